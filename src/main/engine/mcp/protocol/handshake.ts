import type {
  ClientCapabilities,
  DiscoverResult,
  Implementation,
  JSONRPCMessage,
  JSONRPCRequest,
  Transport,
} from '@modelcontextprotocol/client'
import { codeOf } from './connection'
import { errorCode } from '../../../../shared/error-text'

/** The revision without `initialize` and without sessions. */
export const STATELESS_REVISION = '2026-07-28'
/** The revision offered in `initialize`; servers answer with the newest one they support. */
const NEWEST_WITH_SESSIONS = '2025-11-25'
/** A server that has not answered `server/discover` after this long, in ms, is sent `initialize` as well. */
const DISCOVER_TIMEOUT_MS = 2_000
/** The same for a server that did not answer `server/discover` last time. */
const SHORT_DISCOVER_TIMEOUT_MS = 300
/** The same for a server that answered `server/discover` last time. */
const LONG_DISCOVER_TIMEOUT_MS = 10_000
/** Responses within this time count as simultaneous. */
const SIMULTANEOUS_MS = 20
/** Maximum number of messages kept until the server's generation is known. */
const MAX_EARLY = 100
const META = 'io.modelcontextprotocol/'

/** The protocol generation of a server, with its self-description. */
export type HandshakeResult = { early: readonly JSONRPCMessage[] } & (
  | { generation: 'stateless'; discover: DiscoverResult }
  | { generation: 'initialized'; initialize: Record<string, unknown>; ignoresDiscover?: true }
)

export interface HandshakeOptions {
  clientInfo: Implementation
  capabilities: ClientCapabilities
  /** Sends only `initialize`. */
  skipDiscover: boolean
  /** The last revision agreed on. */
  lastVersion: string | undefined
  /** It did not answer `server/discover` last time. */
  ignoresDiscover: boolean
  /** It is a program: its only connection has one generation. */
  isProgram: boolean
  /** It may be restarted for the newer generation. */
  mayRestart: boolean
}

/** The connection ended during the handshake. */
export class EndedDuringHandshake extends Error {}

/**
 * A slow program that supports both generations was also sent `initialize` and settled on the older one. After a
 * restart, only the newer generation is requested.
 */
export class SettledOnOlderRevision extends Error {}

type Reply = { result: Record<string, unknown> } | { error: Error }

/**
 * Detects which generation of the protocol a server supports, on a transport that is not started yet: sends
 * `server/discover`, and `initialize` after an error response. A server that does not answer for a while is sent both,
 * and the newer one counts if it is answered at all, so a slow start decides nothing. Rejects with the server's last
 * error.
 */
export async function handshake(transport: Transport, greeting: HandshakeOptions): Promise<HandshakeResult> {
  const early: JSONRPCMessage[] = []
  const waiting = new Map<unknown, (reply: Reply) => void>()
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => undefined)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  transport.onclose = () => {
    const error = new EndedDuringHandshake('the connection was closed')
    ended.reject(error)
    // A request that is still waiting would keep a finished program from exiting.
    for (const answer of waiting.values()) answer({ error })
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  transport.onmessage = (message) => {
    if (!('method' in message)) waiting.get(message.id)?.(replyIn(message))
    // Some servers send this before they answer, and wait for the response.
    else if (message.method === 'ping' && 'id' in message)
      transport.send({ jsonrpc: '2.0', id: message.id, result: {} }).catch(() => undefined)
    else if (early.length < MAX_EARLY) early.push(message)
  }
  const ask = (request: JSONRPCRequest): Promise<Reply> =>
    new Promise((resolve) => {
      waiting.set(request.id, resolve)
      transport
        .send(request)
        .catch((error: unknown) => resolve({ error: error instanceof Error ? error : new Error(String(error)) }))
    })
  await transport.start()
  return Promise.race([ended.promise, negotiate(greeting, ask).then((greeted) => ({ ...greeted, early }))])
}

type Agreed = HandshakeResult extends infer Each ? (Each extends HandshakeResult ? Omit<Each, 'early'> : never) : never

async function negotiate(
  greeting: HandshakeOptions,
  ask: (request: JSONRPCRequest) => Promise<Reply>,
): Promise<Agreed> {
  if (greeting.skipDiscover) return initialized(await ask(initialize(greeting, 0)))
  const discovering = ask(discover(greeting, 'discover')).then((reply) =>
    // It rejected the request's revision but lists ours.
    'error' in reply && revisionsIn(reply)?.includes(STATELESS_REVISION)
      ? ask(discover(greeting, 'discover-2'))
      : reply,
  )
  const first = await within(discovering, discoverTimeoutMs(greeting))
  if (first) {
    const found = statelessIn(first)
    if (found) return found
    if ('error' in first && isFinal(first.error)) throw first.error
    const reply = await ask(initialize(greeting, 0))
    if ('error' in reply) throw unknownRevisions(first) ?? reply.error
    return initialized(reply)
  }
  // Another id, because 0 is the first id of a stateless connection.
  const initializing = ask(initialize(greeting, 'initialize'))
  const late = discovering.then((reply) => statelessIn(reply))
  const sooner = await Promise.race([late, initializing.then(() => undefined)])
  // Over HTTP, each request is independent.
  if (sooner && !greeting.isProgram) return sooner
  const reply = await initializing
  // Both responses may have arrived at the same time.
  const found = sooner ?? (await within(late, SIMULTANEOUS_MS))
  if ('error' in reply) {
    // A server that rejects `initialize` answers `server/discover`, or is broken.
    const other = found ?? (await within(late, DISCOVER_TIMEOUT_MS))
    if (other) return other
    throw reply.error
  }
  if (!found) return { ...initialized(reply), ignoresDiscover: true }
  if (greeting.mayRestart) throw new SettledOnOlderRevision('It settled on an older version of the protocol.')
  return initialized(reply)
}

function discoverTimeoutMs({ lastVersion, ignoresDiscover }: HandshakeOptions): number {
  if (ignoresDiscover) return SHORT_DISCOVER_TIMEOUT_MS
  return lastVersion === STATELESS_REVISION ? LONG_DISCOVER_TIMEOUT_MS : DISCOVER_TIMEOUT_MS
}

function discover({ clientInfo, capabilities }: HandshakeOptions, id: string): JSONRPCRequest {
  const meta = {
    [`${META}protocolVersion`]: STATELESS_REVISION,
    [`${META}clientInfo`]: clientInfo,
    [`${META}clientCapabilities`]: capabilities,
  }
  return { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: meta } }
}

function initialize({ clientInfo, capabilities }: HandshakeOptions, id: string | number): JSONRPCRequest {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: NEWEST_WITH_SESSIONS, capabilities, clientInfo },
  }
}

function initialized(reply: Reply): Extract<Agreed, { generation: 'initialized' }> {
  if ('error' in reply) throw reply.error
  return { generation: 'initialized', initialize: reply.result }
}

/**
 * Undefined when the response is not from a server that supports the stateless revision: some answer every method with
 * something.
 */
function statelessIn(reply: Reply): Agreed | undefined {
  if ('error' in reply || !revisionsIn(reply)?.includes(STATELESS_REVISION)) return undefined
  const { capabilities } = reply.result
  if (typeof capabilities !== 'object' || capabilities === null) return undefined
  return { generation: 'stateless', discover: reply.result as unknown as DiscoverResult }
}

function revisionsIn(reply: Reply): string[] | undefined {
  const data =
    'error' in reply
      ? (reply.error as { data?: { supported?: unknown } }).data?.supported
      : reply.result['supportedVersions']
  return Array.isArray(data) ? data.filter((version) => typeof version === 'string') : undefined
}

/** The error for a server that lists its revisions but none of ours. */
function unknownRevisions(reply: Reply): Error | undefined {
  const revisions = revisionsIn(reply)
  if (!revisions || revisions.length === 0) return undefined
  const listed = revisions.slice(0, 5).join(', ').slice(0, 200)
  return new Error(
    `It only supports versions of the protocol that Trestle does not (${listed}). Update Trestle, or the server.`,
  )
}

/** Whether another attempt would fail the same way: the server is not listening, or requires sign-in. */
function isFinal(error: Error): boolean {
  const code = codeOf(error)
  return (
    code === 401 ||
    (code === undefined && error.name !== 'SyntaxError' && errorCode(error) !== 'CLIENT_HTTP_UNEXPECTED_CONTENT')
  )
}

function replyIn(message: object): Reply {
  const { result, error } = message as {
    result?: Record<string, unknown>
    error?: { code: number; message: string; data?: unknown }
  }
  if (error) return { error: Object.assign(new Error(error.message), { code: error.code, data: error.data }) }
  return { result: result ?? {} }
}

/** The result, or undefined when it takes longer than `ms`. */
async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
