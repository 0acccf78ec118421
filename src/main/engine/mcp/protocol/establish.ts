import { setTimeout as wait } from 'node:timers/promises'
import type { Client, Transport } from '@modelcontextprotocol/client'
import type { McpServerDefinition } from '../../../../shared/configuration/mcp'
import type { CommandSandbox } from '../../../../shared/model/sandbox'
import {
  type ConnectionHooks,
  type ServedConnection,
  type ConnectionPlan,
  type KnownServer,
  TimeoutError,
} from './connection'
import { guardNotifications, guardRequests } from './transport-wrappers'
import { openTransport } from './open-transport'
import { EndedDuringHandshake, handshake } from './handshake'

/** A server that has been greeted, and the library's end of the connection. */
export interface Established {
  client: Client
  transport: Transport
  served: ServedConnection
  hooks: ConnectionHooks
  isStateless: boolean
  sandbox: CommandSandbox | undefined
  /** Resolves, with why, when the connection is no longer there. */
  lost: Promise<string>
  isOpen(): boolean
  close(): Promise<void>
}

/** Time limits are kept by those who call: they depend on progress, and on whether a person is asked. */
export const NO_TIMEOUT = 2_147_000_000

/** Starts or reaches the server, and finds out how it is spoken to. Rejects when everything it has started is gone. */
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
    // The transport first: closing is complete only when its process is gone.
    await transport.close().catch(() => undefined)
    await client?.close().catch(() => undefined)
  }
  const begin = async (): Promise<Pick<Established, 'client' | 'isStateless'>> => {
    const who = {
      clientInfo: { name: 'trestle', title: 'Trestle', version: plan.version },
      capabilities: hooks.capabilities(),
    }
    // HTTP with SSE is older than any other way.
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
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    made.onclose = () => {
      isOpen = false
      lost.resolve(endingOf(transport))
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
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
        text: 'It sends more notifications than anybody can read; most are thrown away.',
      }),
    )
    guardRequests(channel, () =>
      log({
        from: 'connection',
        level: 'warning',
        text: 'It asks faster than it takes answers; what is too much is not answered.',
      }),
    )
    await connecting
    channel.replay()
    return { client: made, isStateless }
  }
  try {
    const begun = await within(begin(), definition.startTimeoutMs, plan.signal, lost.promise)
    return {
      ...begun,
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
    if (error instanceof EndedDuringHandshake)
      error.message = `It went away while it was starting: ${endingOf(transport)}.`
    await close()
    throw error
  }
}

/** How a program ended, in words. */
function endingOf(transport: Transport): string {
  const ending = 'ending' in transport ? transport.ending : undefined
  return typeof ending === 'string' ? ending : 'the connection was closed'
}

/** Greeting may hang in places that no request covers. */
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
        throw new Error(`It went away while it was starting: ${why}.`)
      }),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new TimeoutError(`It did not start within ${ms / 1000} s.`)), ms)
        const stop = (): void => reject(new Error('It was stopped while it started.'))
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

/** A server is told for so long, in ms, that a session is over. */
const END_SESSION_MS = 1_000

/** A server that keeps sessions is told that this one is over. */
async function endSession(transport: Transport): Promise<void> {
  if (
    transport.sessionId === undefined ||
    !('terminateSession' in transport) ||
    typeof transport.terminateSession !== 'function'
  )
    return
  const ended = (transport.terminateSession as () => Promise<void>)().catch(() => undefined)
  const told = new AbortController()
  await Promise.race([ended, wait(END_SESSION_MS, undefined, { signal: told.signal }).catch(() => undefined)])
  told.abort()
}
