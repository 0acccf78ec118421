import { CodedError } from '../../../../shared/model/errors'
import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { Connection, ConnectionPlan, KnownServer } from './connection'
import { codeOf, failureToConnect } from './connection-failure'
import { establish } from './establish'
import { EndedWhileGreeting, SettledOnOlder, STATELESS } from './greet'
import { STARTED_AGAIN } from './log-ring'
import { serverRequests } from './server-requests'

/** Connects and greets. Rejects with a `CodedError` that says what went wrong, after everything it has started is gone. */
export async function openConnection(plan: ConnectionPlan): Promise<Connection> {
  const { definition, signal, known = {} } = plan
  try {
    return await connect(plan, definition, known)
  } catch (error) {
    // Some programs end at a request before `initialize`; others would have ended in any case, and do so again.
    if (error instanceof EndedWhileGreeting && definition.transport === 'stdio' && !known.endsAtDiscover && !signal?.aborted) {
      known.endsAtDiscover = true
      plan.log({ from: 'connection', level: 'info', text: STARTED_AGAIN.olderOnly })
      return openConnection({ ...plan, known })
    }
    if (error instanceof SettledOnOlder && !signal?.aborted) {
      known.settledOnOlder = true
      known.version = STATELESS
      plan.log({ from: 'connection', level: 'info', text: STARTED_AGAIN.newerOnly })
      return openConnection({ ...plan, known })
    }
    // A server of before 2025-03-26 knows no streamable HTTP: it answers the first message so, and is spoken to the older way.
    const code = codeOf(error)
    if (definition.transport === 'http' && (code === 400 || code === 404 || code === 405) && !signal?.aborted) {
      const older = await connect(plan, { ...definition, transport: 'sse' }, known).catch(() => undefined)
      if (older) return older
    }
    // Not every transport passes on what fetch threw.
    const wants = definition.transport === 'stdio' || error instanceof CodedError ? undefined : plan.hooks.auth.view(definition)?.wants
    throw wants === undefined ? failureToConnect(error, definition) : new CodedError('mcp.sign_in', wants, { cause: error })
  }
}

async function connect(plan: ConnectionPlan, definition: McpServerDefinition, known: KnownServer): Promise<Connection> {
  const connection = serverRequests(await establish(plan, definition, known))
  known.version = connection.info.protocolVersion
  return connection
}
