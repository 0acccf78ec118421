import { setTimeout as wait } from 'node:timers/promises'
import type { Client, Transport } from '@modelcontextprotocol/client'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import type { CommandSandbox } from '../../../../shared/model/task/sandbox'
import {
  type ConnectionHooks,
  type ServedConnection,
  type ConnectionPlan,
  type KnownServer,
  TimeoutError,
} from './connection'
import { guardNotifications, guardRequests, onRequest } from './transport-wrappers'
import { openTransport } from './open-transport'
import { EndedDuringHandshake, handshake } from './handshake'

/** An initialized server, and our end of the connection. */
export interface Established {
  client: Client
  transport: Transport
  served: ServedConnection
  hooks: ConnectionHooks
  isStateless: boolean
  sandbox: CommandSandbox | undefined
  /** Resolves, with the reason, when the connection is lost. */
  lost: Promise<string>
  isOpen(): boolean
  close(): Promise<void>
}

/** Callers enforce timeouts, because they depend on progress and on whether the user is being asked. */
export const NO_TIMEOUT = 2_147_000_000

/** Starts or reaches the server, and negotiates the revision. Rejects after everything it started has ended. */
export async function establish(
  plan: ConnectionPlan,
  definition: McpServerDefinition,
  known: KnownServer,
): Promise<Established> {
  const { hooks, log } = plan
  const sandbox = await plan.sandbox(definition)
  const transport = await openTransport(definition, { ...plan, sandbox, fetchFor: hooks.auth.fetchFor })
  const served: ServedConnection = { ...plan.served, log }
  const lost = Promise.withResolvers<string>()
  let client: Client | undefined
  let isOpen = true
  const close = async (): Promise<void> => {
    if (definition.transport === 'http') await endSession(transport)
    // The transport is closed first: closing is complete only when its process has ended.
    await transport.close().catch(() => undefined)
    await client?.close().catch(() => undefined)
  }
  const begin = async (): Promise<Pick<Established, 'client' | 'isStateless'>> => {
    const who = {
      clientInfo: { name: 'trestle', title: 'Trestle', version: plan.version },
      capabilities: hooks.capabilities(),
    }
    // HTTP with SSE predates `server/discover`.
    const skipDiscover = definition.transport === 'sse' || known.endsAtDiscover === true
    const greeted = await handshake(transport, {
      ...who,
      skipDiscover,
      lastVersion: known.version,
      ignoresDiscover: known.ignoresDiscover === true,
      isProgram: definition.transport === 'stdio',
      mayRestart: !known.settledOnOlder,
    })
    known.ignoresDiscover = 'ignoresDiscover' in greeted
    const [{ Client: ProtocolClient }, { ReplayTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('./transport-wrappers'),
    ])
    const channel = new ReplayTransport(transport, greeted)
    const made = new ProtocolClient(who.clientInfo, {
      capabilities: who.capabilities,
      inputRequired: { autoFulfill: false },
    })
    client = made
    hooks.prepare(made, served)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    made.onclose = () => {
      isOpen = false
      lost.resolve(endingOf(transport))
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    made.onerror = (error) => log({ from: 'connection', level: 'warning', text: error.message.slice(0, 1000) })
    const isStateless = greeted.generation === 'stateless'
    const connecting = made.connect(channel, {
      timeout: NO_TIMEOUT,
      prior: isStateless ? { kind: 'modern', discover: greeted.discover } : { kind: 'legacy' },
    })
    guardNotifications(channel, () =>
      log({
        from: 'connection',
        level: 'warning',
        text: 'It sends notifications too fast; most are dropped.',
      }),
    )
    onRequest(channel, (request) => hooks.received?.(served, request))
    guardRequests(channel, () =>
      log({
        from: 'connection',
        level: 'warning',
        text: 'It sends requests faster than it accepts responses; the excess is not answered.',
      }),
    )
    await connecting
    channel.replay()
    return { client: made, isStateless }
  }
  try {
    const established = await within(begin(), definition.startTimeoutMs, plan.signal, lost.promise)
    return {
      ...established,
      transport,
      served,
      hooks,
      sandbox:
        definition.transport === 'stdio'
          ? { level: sandbox?.level ?? 'unrestricted', network: sandbox?.network ?? 'open' }
          : undefined,
      lost: lost.promise,
      isOpen: () => isOpen,
      close,
    }
  } catch (error) {
    if (error instanceof EndedDuringHandshake) error.message = `It stopped during startup: ${endingOf(transport)}.`
    await close()
    throw error
  }
}

/** How a program ended, as text. */
function endingOf(transport: Transport): string {
  const ending = 'ending' in transport ? transport.ending : undefined
  return typeof ending === 'string' ? ending : 'the connection was closed'
}

/** Limits the time of the whole handshake, which can also hang outside of a request. */
async function within<Result>(
  work: Promise<Result>,
  ms: number,
  signal: AbortSignal | undefined,
  lost: Promise<string>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const over = new AbortController()
  try {
    return await Promise.race([
      work,
      lost.then((why) => {
        throw new Error(`It stopped during startup: ${why}.`)
      }),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new TimeoutError(`It did not start within ${ms / 1000} s.`)), ms)
        const stop = (): void => reject(new Error('It was stopped during startup.'))
        if (signal?.aborted) stop()
        else signal?.addEventListener('abort', stop, { once: true, signal: over.signal })
      }),
    ])
  } finally {
    work.catch(() => undefined)
    clearTimeout(timer)
    over.abort()
  }
}

/** Time limit, in ms, for notifying a server that a session is over. */
const END_SESSION_MS = 1_000

/** Notifies a server with sessions that this session is over. */
async function endSession(transport: Transport): Promise<void> {
  if (
    transport.sessionId === undefined ||
    !('terminateSession' in transport) ||
    typeof transport.terminateSession !== 'function'
  )
    return
  const ended = (transport.terminateSession as () => Promise<void>)().catch(() => undefined)
  const waiting = new AbortController()
  await Promise.race([ended, wait(END_SESSION_MS, undefined, { signal: waiting.signal }).catch(() => undefined)])
  waiting.abort()
}
