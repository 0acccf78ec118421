import type { Progress, ServerCapabilities } from '@modelcontextprotocol/client'
import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { CommandSandbox } from '../../../../shared/model/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { CallInFlight, ConnectionHooks, ServedConnection } from '../connection-hooks'
import type { TransportPlace } from '../transport/open-transport'
import type { Listed } from './list-pages'

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
