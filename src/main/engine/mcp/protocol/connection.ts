import type { Progress, ServerCapabilities, Client, ClientCapabilities } from '@modelcontextprotocol/client'
import type { McpServerDefinition, McpLogLine } from '../../../../shared/configuration/mcp'
import type { CommandSandbox } from '../../../../shared/model/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { TransportPlace } from './open-transport'
import type { Listed, InputRequest } from './request-rounds'
import type { CallContext } from '../../tool/tool'
import type { McpAuth } from '../sign-in/mcp-auth'
import { CodedError } from '../../../../shared/errors'
import { connectionError } from '../../model/errors/connection-error'
import { isUnknownIssuer } from '../../network/certificates'

/** How a request is made. */
export interface RequestLimits {
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** The call it belongs to: its person is asked for what the server wants to know before it answers. */
  call?: CallInFlight
  /** Headers beside the usual ones; only for HTTP servers of the stateless revision. */
  headers?: Readonly<Record<string, string>>
}

/** A connection to a server that has been greeted. */
export interface Connection {
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
  /** It speaks the stateless revision, 2026-07-28: each request stands for itself. */
  readonly isStateless: boolean
  /** Values of a call are sent to it as headers, too, where its tools ask for that. */
  readonly takesHeaders: boolean
  /** Any request; without a time limit of its own. An abort tells the server that it is cancelled. */
  request(method: string, params: Record<string, unknown>, limits?: RequestLimits): Promise<Record<string, unknown>>
  list(method: string, key: string, timeoutMs: number, signal?: AbortSignal): Promise<Listed>
  /** Calls `changed` whenever the server says that one of its lists has changed, or it may have said so unheard. */
  onListsChanged(changed: () => void): void
  /** Has the server say when a resource changes, where it does that. */
  watchResource(uri: string, signal?: AbortSignal): Promise<void>
  /** Whether the server answers within `timeoutMs`. */
  ping(timeoutMs: number): Promise<boolean>
  /** Whether the server answers within `timeoutMs` in the revision that was agreed on: one that was started again may speak another. */
  isStillAgreed(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

/** What is remembered of a server between connections, so that the next one begins without delay. */
export interface KnownServer {
  /** The revision agreed on the last time. */
  version?: string
  /** Its process ends when it gets another request before `initialize`. */
  endsAtDiscover?: boolean
  /** It does not answer `server/discover`. */
  ignoresDiscover?: boolean
  /** It was started again because it had been asked for both generations. */
  settledOnOlder?: boolean
}

export interface ConnectionPlan extends Omit<TransportPlace, 'fetchFor' | 'sandbox'> {
  /** Variables in it are filled in. */
  definition: McpServerDefinition
  /** What a program is started with; asked just before. */
  sandbox(definition: McpServerDefinition): Promise<SandboxPolicy | undefined>
  version: string
  hooks: ConnectionHooks
  /** Read, and written. */
  known?: KnownServer
  served: Omit<ServedConnection, 'log'>
  signal?: AbortSignal
}

/** A call that a server works on. */
export interface CallInFlight {
  sessionId: string
  tool: string
  ctx: CallContext
  /** Stops the time limit of the call, while a person is asked say; call what it returns to let it run on. */
  pauseTimeout(): () => void
}

/** A connection as those see it who answer what servers ask. */
export interface ServedConnection {
  /** What the server is called in the configuration of the session that started it; for people. */
  readonly name: string
  /** Sessions that use it now. */
  sessions(): readonly string[]
  /** The calls it works on, the oldest first. stdio does not tell which of them a request of the server belongs to. */
  calls(): readonly CallInFlight[]
  log(line: Omit<McpLogLine, 'at'>): void
}

/** What is plugged into every connection: answers to what servers ask, and signing in. */
export interface ConnectionHooks {
  /** What we say we can do. Asked at each connection. */
  capabilities(): ClientCapabilities
  /** Before the connection is made: the place to install handlers of requests and notifications. */
  prepare(client: Client, connection: ServedConnection): void
  /**
   * Answers what a server of the stateless revision wants before it answers a request; `call`: the one that the request belongs to. Rejects, with words for people, when there is no
   * answer to give.
   */
  answer(
    connection: ServedConnection,
    call: CallInFlight | undefined,
    request: InputRequest,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
  /** Signing in at an HTTP server: its `fetchFor` goes to the transport; `mcp.sign_in` thrown by it means the state `sign_in`. */
  auth: Pick<McpAuth, 'fetchFor' | 'view'>
}

/** The server took too long. */
export class TimeoutError extends Error {}

/** The connection ended before the answer came. */
export class LostError extends Error {}

/**
 * The number of an error: the status of an HTTP answer, or the code of an error of the protocol, which is negative. Undefined for errors of this side and of the network.
 */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { status, code } = error as { status?: unknown; code?: unknown }
  if (typeof status === 'number') return status
  return typeof code === 'number' ? code : undefined
}

/** Why a server could not be connected to, in words that help. */
export function connectionFailure(error: unknown, definition: McpServerDefinition): CodedError {
  if (error instanceof CodedError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TimeoutError) return new CodedError('mcp.timeout', message, { cause: error })
  if (isSignInRequired(error))
    return new CodedError('mcp.sign_in', 'It wants a sign-in before it answers.', { cause: error })
  if (definition.transport === 'stdio') return new CodedError('mcp.start', message, { cause: error })
  return new CodedError('mcp.connection', `${definition.url}: ${reasonOf(error)}`, { cause: error })
}

/** Whether the server refuses because nobody has signed in, or no longer counts as signed in. */
export function isSignInRequired(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'UnauthorizedError' || error.constructor.name === 'UnauthorizedError' || codeOf(error) === 401
}

/** fetch says only that it failed; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner = cause instanceof Error ? cause : undefined
  const code = inner && 'code' in inner ? String(inner.code) : undefined
  const known = connectionError(error)
  if (known && ((inner && 'proxy' in inner) || isUnknownIssuer(error))) return known.message
  if (code === 'ECONNREFUSED') return 'nothing listens there.'
  if (code === 'ENOTFOUND') return 'there is no such host.'
  return inner && error.message === 'fetch failed' ? inner.message : error.message.slice(0, 500)
}

/** A server that answers this is alive and knows us. */
const PING_MS = 5_000
/** HTTP statuses with which servers say that they do not know a session; the protocol wants 404. */
const UNKNOWN_SESSION_STATUSES = new Set([400, 404, 405, 410])
/** Codes of JSON-RPC for a request that was not understood, or not taken. */
const REJECTED_CODES = new Set([-32_600, -32_000, -32_001, -32_002])
/** The server does not speak the revision that was agreed on. */
const UNSUPPORTED_VERSION = -32_022
const UNKNOWN_SESSION_MESSAGE =
  /\b(?:no|not|invalid|unknown|missing|expired|stale|bad|terminated|closed|uninitialized)\b.*\bsession\b|\bsession\b.*\b(?:not|no|invalid|unknown|missing|expired|stale|terminated|closed|required|gone|uninitialized)\b/is

/**
 * Whether a request was rejected because of its connection, and not for what it asks: nobody listens there any more, or the server does not know its session, because it was
 * started again, maybe in another version that speaks another revision of the protocol. With a new connection it can be made once more: nothing was done.
 */
export async function isStaleConnection(
  connection: Pick<Connection, 'hasSession' | 'isStateless' | 'isStillAgreed'>,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Error)) return false
  const { cause } = error
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') return true
  const code = codeOf(error)
  if (code === undefined) return false
  if (code === 404 || code === UNSUPPORTED_VERSION) return true
  if (connection.isStateless || !connection.hasSession)
    return (
      (UNKNOWN_SESSION_STATUSES.has(code) || REJECTED_CODES.has(code)) && !(await connection.isStillAgreed(PING_MS))
    )
  if ((UNKNOWN_SESSION_STATUSES.has(code) || REJECTED_CODES.has(code)) && UNKNOWN_SESSION_MESSAGE.test(error.message))
    return true
  // Otherwise the request may be to blame. Whoever else uses the session would lose it for nothing.
  return UNKNOWN_SESSION_STATUSES.has(code) && !(await connection.isStillAgreed(PING_MS))
}
