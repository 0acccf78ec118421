import type { Progress, ServerCapabilities, Client, ClientCapabilities } from '@modelcontextprotocol/client'
import { errorCode, errorText } from '../../../../shared/error-text'
import type { McpServerDefinition, McpLogLine } from '../../../../shared/configuration/customize/mcp'
import type { CommandSandbox } from '../../../../shared/model/task/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { TransportPlace } from './open-transport'
import type { Listed, InputRequest } from './request-rounds'
import type { CallContext } from '../../tool/tool'
import type { McpAuth } from '../sign-in/mcp-auth'
import { CodedError } from '../../../../shared/errors'
import { connectionError } from '../../model/errors/connection-error'
import { isUnknownIssuer } from '../../network/certificates'

/** Options of a request. */
export interface RequestLimits {
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** The call it belongs to: the call's user is asked when the server requires input before it answers. */
  call?: CallInFlight
  /** Additional headers; only for HTTP servers of the stateless revision. */
  headers?: Readonly<Record<string, string>>
}

/** An initialized connection to a server. */
export interface Connection {
  /** The connection for handlers of the server's requests. */
  readonly served: ServedConnection
  readonly info: { name: string; version: string; protocolVersion: string }
  readonly capabilities: ServerCapabilities
  /** The server's instructions; truncated. */
  readonly instructions: string | undefined
  readonly pid: number | undefined
  /** The sandbox of its process. */
  readonly sandbox: CommandSandbox | undefined
  /** Resolves, with the reason, when the connection is lost. */
  readonly lost: Promise<string>
  readonly isOpen: boolean
  /** The server assigned the connection a session id, which it may forget (streamable HTTP). */
  readonly hasSession: boolean
  /** The server uses the stateless revision, 2026-07-28: each request is independent. */
  readonly isStateless: boolean
  /** Some values of a call are also sent as headers if its tools require that. */
  readonly takesHeaders: boolean
  /** Sends any request, without a timeout of its own. On abort, the server is notified of the cancellation. */
  request(method: string, params: Record<string, unknown>, limits?: RequestLimits): Promise<Record<string, unknown>>
  list(method: string, key: string, timeoutMs: number, signal?: AbortSignal): Promise<Listed>
  /** Calls `changed` whenever the server reports that a list has changed, or such a report may have been missed. */
  onListsChanged(changed: () => void): void
  /** Subscribes to changes of a resource, if the server supports that. */
  watchResource(uri: string, signal?: AbortSignal): Promise<void>
  /** Whether the server answers within `timeoutMs`. */
  ping(timeoutMs: number): Promise<boolean>
  /** Whether the server answers within `timeoutMs` in the agreed revision: after a restart it may use another. */
  isStillAgreed(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

/** What is remembered about a server between connections, so that the next one starts without delay. */
export interface KnownServer {
  /** The last revision agreed on. */
  version?: string
  /** Its process exits if it receives any request before `initialize`. */
  endsAtDiscover?: boolean
  /** It does not respond to `server/discover`. */
  ignoresDiscover?: boolean
  /** It was restarted because it had been sent requests of both protocol generations. */
  settledOnOlder?: boolean
}

export interface ConnectionPlan extends Omit<TransportPlace, 'fetchFor' | 'sandbox'> {
  /** The definition, with its variables expanded. */
  definition: McpServerDefinition
  /** The start options of a program; called just before the start. */
  sandbox(definition: McpServerDefinition): Promise<SandboxPolicy | undefined>
  version: string
  hooks: ConnectionHooks
  /** Read and updated by the connection. */
  known?: KnownServer
  served: Omit<ServedConnection, 'log'>
  signal?: AbortSignal
}

/** A call that a server is working on. */
export interface CallInFlight {
  sessionId: string
  tool: string
  ctx: CallContext
  /** Pauses the timeout of the call, for example while the user is asked; call the returned function to resume it. */
  pauseTimeout(): () => void
}

/** A connection for handlers of the server's requests. */
export interface ServedConnection {
  /** The server's name in the configuration of the session that started it, for display. */
  readonly name: string
  /** Sessions that currently use it. */
  sessions(): readonly string[]
  /** The running calls, oldest first. stdio does not specify which of them a server's request belongs to. */
  calls(): readonly CallInFlight[]
  log(line: Omit<McpLogLine, 'at'>): void
}

/** A server's request before it is validated. */
export interface ServerRequest {
  method: string
  params?: Record<string, unknown>
}

/** Hooks of every connection: handlers for the server's requests, and sign-in. */
export interface ConnectionHooks {
  /** The client capabilities to declare. Called for each connection. */
  capabilities(): ClientCapabilities
  /** Called before the connection is opened: the place to install handlers for requests and notifications. */
  prepare(client: Client, connection: ServedConnection): void
  /** Called when a request from the server has arrived, with the request as sent; the library may refuse it. */
  received?(connection: ServedConnection, request: ServerRequest): void
  /**
   * Provides what a server of the stateless revision requires before it answers a request; `call` is the call that the
   * request belongs to. Rejects, with a message for the user, when no answer is possible.
   */
  answer(
    connection: ServedConnection,
    call: CallInFlight | undefined,
    request: InputRequest,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
  /**
   * Sign-in at an HTTP server. Its `fetchFor` is passed to the transport; if that throws `mcp.sign_in`, the state
   * becomes `sign_in`.
   */
  auth: Pick<McpAuth, 'fetchFor' | 'view'>
}

/** The server took too long. */
export class TimeoutError extends Error {}

/** The connection ended before the response arrived. */
export class LostError extends Error {}

/**
 * The numeric code of an error: the status of an HTTP response, or the (negative) code of a protocol error. Undefined
 * for local and network errors.
 */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { status, code } = error as { status?: unknown; code?: unknown }
  if (typeof status === 'number') return status
  return typeof code === 'number' ? code : undefined
}

/** Why a connection failed, as an error with a helpful message. */
export function connectionFailure(error: unknown, definition: McpServerDefinition): CodedError {
  if (error instanceof CodedError) return error
  const message = errorText(error)
  if (error instanceof TimeoutError) return new CodedError('mcp.timeout', message, { cause: error })
  if (isSignInRequired(error)) return new CodedError('mcp.sign_in', 'It requires sign-in.', { cause: error })
  if (definition.transport === 'stdio') return new CodedError('mcp.start', message, { cause: error })
  return new CodedError('mcp.connection', `${definition.url}: ${reasonOf(error)}`, { cause: error })
}

/** Whether the server refused because a sign-in is missing or no longer valid. */
export function isSignInRequired(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'UnauthorizedError' || error.constructor.name === 'UnauthorizedError' || codeOf(error) === 401
}

/** fetch reports only that it failed; the error's cause contains the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner = cause instanceof Error ? cause : undefined
  const code = errorCode(inner)
  const known = connectionError(error)
  if (known && ((inner && 'proxy' in inner) || isUnknownIssuer(error))) return known.message
  if (code === 'ECONNREFUSED') return 'nothing listens there.'
  if (code === 'ENOTFOUND') return 'there is no such host.'
  if (inner?.message === 'bad port')
    return 'its port is reserved for another protocol. Let the server listen on another port.'
  return inner && error.message === 'fetch failed' ? inner.message : error.message.slice(0, 500)
}

/** Time limit for a ping. A server that answers it is alive and knows the session. */
const PING_MS = 5_000
/** HTTP statuses that servers use for an unknown session; the protocol specifies 404. */
const UNKNOWN_SESSION_STATUSES = new Set([400, 404, 405, 410])
/** JSON-RPC codes for a request that was not understood or not accepted. */
const REJECTED_CODES = new Set([-32_600, -32_000, -32_001, -32_002])
/** The JSON-RPC code of a server that does not support the agreed revision. */
const UNSUPPORTED_VERSION = -32_022
const UNKNOWN_SESSION_MESSAGE =
  /\b(?:no|not|invalid|unknown|missing|expired|stale|bad|terminated|closed|uninitialized)\b.*\bsession\b|\bsession\b.*\b(?:not|no|invalid|unknown|missing|expired|stale|terminated|closed|required|gone|uninitialized)\b/is

/**
 * Whether a request was rejected because of its connection rather than its content: the server is no longer listening,
 * or does not know the session because it was restarted, maybe with a version that uses another protocol revision. It
 * can be retried with a new connection, because nothing was done.
 */
export async function isStaleConnection(
  connection: Pick<Connection, 'hasSession' | 'isStateless' | 'isStillAgreed'>,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Error)) return false
  const { cause } = error
  if (errorCode(cause) === 'ECONNREFUSED') return true
  const code = codeOf(error)
  if (code === undefined) return false
  if (code === 404 || code === UNSUPPORTED_VERSION) return true
  if (connection.isStateless || !connection.hasSession)
    return (
      (UNKNOWN_SESSION_STATUSES.has(code) || REJECTED_CODES.has(code)) && !(await connection.isStillAgreed(PING_MS))
    )
  if ((UNKNOWN_SESSION_STATUSES.has(code) || REJECTED_CODES.has(code)) && UNKNOWN_SESSION_MESSAGE.test(error.message))
    return true
  // Otherwise the request may be to blame, and dropping the session would affect its other users.
  return UNKNOWN_SESSION_STATUSES.has(code) && !(await connection.isStillAgreed(PING_MS))
}
