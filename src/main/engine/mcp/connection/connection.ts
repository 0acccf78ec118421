import { setTimeout as wait } from 'node:timers/promises'
import { CodedError } from '../../../../shared/model/errors'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress, ServerCapabilities } from '@modelcontextprotocol/sdk/types.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { CommandSandbox } from '../../../../shared/model/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { ConnectionHooks, ServedConnection } from '../connection-hooks'
import { guardNotifications } from '../transport/guard-notifications'
import { guardRequests } from '../transport/guard-requests'
import { openTransport, type TransportPlace } from '../transport/open-transport'
import { serverWords } from '../server-words'
import { failureToConnect, LostError, TimeoutError } from './connection-failure'
import { listPages, type Listed } from './list-pages'

/** How a request is made. */
export interface RequestLimits {
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
}

/** A connection to a server that has been greeted. */
export interface Connection {
  readonly client: Client
  /** As those know it who answer what the server asks. */
  readonly served: ServedConnection
  readonly info: { name: string; version: string; protocolVersion: string }
  readonly capabilities: ServerCapabilities
  /** How it says it is to be used; cut. */
  readonly instructions: string | undefined
  readonly pid: number | undefined
  /** What its process runs in. */
  readonly sandbox: CommandSandbox | undefined
  /** Resolves, with why, when the connection is no longer there. */
  readonly lost: Promise<string>
  readonly isOpen: boolean
  /** The server has given it an id, and may forget that (streamable HTTP). */
  readonly hasSession: boolean
  /** Any request; without a time limit of its own. An abort tells the server that it is cancelled. */
  request(method: string, params: Record<string, unknown>, limits?: RequestLimits): Promise<Record<string, unknown>>
  list(method: string, key: string, timeoutMs: number, signal?: AbortSignal): Promise<Listed>
  /** Whether the server answers within `timeoutMs`. */
  ping(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

export interface ConnectionPlan extends Omit<TransportPlace, 'fetchFor' | 'sandbox'> {
  /** Variables in it are filled in. */
  definition: McpServerDefinition
  /** What a program is started with; asked just before. */
  sandbox(definition: McpServerDefinition): Promise<SandboxPolicy | undefined>
  version: string
  hooks: ConnectionHooks
  served: Omit<ServedConnection, 'log'>
  signal?: AbortSignal
}

/** Time limits are kept by those who call: they depend on progress, and on whether a person is asked. */
const NO_TIMEOUT = 2_147_000_000
/** More of what a server says about its use is not kept. */
const INSTRUCTIONS_CHARS = 8_000

/** Connects and greets. Rejects with a `CodedError` that says what went wrong, after everything it has started is gone. */
export async function openConnection(plan: ConnectionPlan): Promise<Connection> {
  const { definition, signal } = plan
  try {
    return await connect(plan, definition)
  } catch (error) {
    // A server of before 2025-03-26 knows no streamable HTTP: it answers the first message so, and is spoken to the older way.
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    if (definition.transport === 'http' && (code === 400 || code === 404 || code === 405) && !signal?.aborted) {
      const older = await connect(plan, { ...definition, transport: 'sse' }).catch(() => undefined)
      if (older) return older
    }
    // Not every transport passes on what fetch threw.
    const wants = definition.transport === 'stdio' || error instanceof CodedError ? undefined : plan.hooks.auth.view(definition)?.wants
    throw wants === undefined ? failureToConnect(error, definition) : new CodedError('mcp.sign_in', wants, { cause: error })
  }
}

async function connect(plan: ConnectionPlan, definition: McpServerDefinition): Promise<Connection> {
  const { hooks, served, log } = plan
  const sandbox = await plan.sandbox(definition)
  const transport = await openTransport(definition, { ...plan, sandbox, fetchFor: hooks.auth.fetchFor })
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'trestle', title: 'Trestle', version: plan.version }, { capabilities: hooks.capabilities() })
  const known: ServedConnection = { ...served, log }
  hooks.prepare(client, known)
  let protocolVersion = ''
  noteVersion(transport, (version) => (protocolVersion = version))
  const lost = Promise.withResolvers<string>()
  let isOpen = true
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onclose = () => {
    isOpen = false
    const ending = 'ending' in transport ? transport.ending : undefined
    lost.resolve(typeof ending === 'string' ? ending : 'the connection was closed')
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onerror = (error) => log({ from: 'connection', level: 'warning', text: error.message.slice(0, 1000) })
  const close = async (): Promise<void> => {
    if (definition.transport === 'http') await endSession(transport)
    // The transport first: closing is complete only when its process is gone.
    await transport.close().catch(() => undefined)
    await client.close().catch(() => undefined)
  }
  try {
    const greeting = client.connect(transport, { timeout: NO_TIMEOUT })
    guardNotifications(transport, () =>
      log({ from: 'connection', level: 'warning', text: 'It sends more notifications than anybody can read; most are thrown away.' }),
    )
    guardRequests(transport, () =>
      log({ from: 'connection', level: 'warning', text: 'It asks faster than it takes answers; what is too much is not answered.' }),
    )
    await within(greeting, definition.startTimeoutMs, plan.signal, lost.promise)
  } catch (error) {
    await close()
    throw error
  }
  const server = client.getServerVersion()
  const instructions = client.getInstructions()
  // Without being asked many servers say nothing, or everything.
  if (client.getServerCapabilities()?.logging) client.setLoggingLevel('info').catch(() => undefined)
  const { looseResult } = await import('./loose-result')
  const request: Connection['request'] = async (method, params, { signal, onProgress } = {}) => {
    const wasOpen = isOpen
    try {
      return await client.request({ method, params }, looseResult, {
        timeout: NO_TIMEOUT,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      })
    } catch (error) {
      // Told by the connection, not by the code of the error: servers use that one for whatever they like.
      throw wasOpen && !isOpen && !signal?.aborted ? new LostError(`It went away: ${await lost.promise}.`, { cause: error }) : error
    }
  }
  return {
    client,
    served: known,
    info: { name: text(server?.name), version: text(server?.version), protocolVersion },
    capabilities: client.getServerCapabilities() ?? {},
    instructions: instructions === undefined ? undefined : serverWords(instructions, INSTRUCTIONS_CHARS).toWellFormed(),
    pid: 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : undefined,
    sandbox:
      definition.transport === 'stdio' ? { level: sandbox?.level ?? 'unrestricted', network: sandbox?.network ?? 'open' } : undefined,
    lost: lost.promise,
    get isOpen() {
      return isOpen
    },
    get hasSession() {
      return transport.sessionId !== undefined
    },
    request,
    list: (method, key, timeoutMs, signal) => {
      const deadline = performance.now() + timeoutMs
      return listPages(
        (cursor) =>
          limited(Math.max(deadline - performance.now(), 1000), signal, (limit) =>
            request(method, cursor === undefined ? {} : { cursor }, { signal: limit }),
          ),
        key,
        { now: () => performance.now(), deadline },
      )
    },
    ping: (timeoutMs) =>
      limited(timeoutMs, undefined, (limit) => request('ping', {}, { signal: limit })).then(
        () => true,
        // An error is an answer, too.
        (error: unknown) => isOpen && error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 0,
      ),
    close,
  }
}

/** Runs a request that is cancelled after so long. */
async function limited<Result>(ms: number, signal: AbortSignal | undefined, run: (limit: AbortSignal) => Promise<Result>): Promise<Result> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new TimeoutError(`It did not answer within ${Math.round(ms / 1000)} s.`)), ms)
  try {
    return await run(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** Greeting may hang in places that no request covers. */
async function within(work: Promise<void>, ms: number, signal: AbortSignal | undefined, lost: Promise<string>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new AbortController()
  try {
    await Promise.race([
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

/** The protocol's implementation tells the transport alone which revision was agreed on. */
function noteVersion(transport: Transport, note: (version: string) => void): void {
  const set = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    note(version)
    set?.(version)
  }
}

/** A server is told for so long, in ms, that a session is over. */
const END_SESSION_MS = 1_000

/** A server that keeps sessions is told that this one is over. */
async function endSession(transport: Transport): Promise<void> {
  if (transport.sessionId === undefined || !('terminateSession' in transport) || typeof transport.terminateSession !== 'function') return
  const ended = (transport.terminateSession as () => Promise<void>)().catch(() => undefined)
  const told = new AbortController()
  await Promise.race([ended, wait(END_SESSION_MS, undefined, { signal: told.signal }).catch(() => undefined)])
  told.abort()
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}
