import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import type { CallContext } from '../tool/tool'
import type { McpLogLine } from '../../../shared/model/mcp'
import type { McpAuth } from './auth/mcp-auth'
import type { InputRequest } from './connection/input-rounds'

/** A call that a server works on. */
export interface CallInFlight {
  sessionId: string
  tool: string
  ctx: CallContext
  /** Stops the time limit of the call, while a person is asked say; call what it returns to let it run on. */
  hold(): () => void
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
