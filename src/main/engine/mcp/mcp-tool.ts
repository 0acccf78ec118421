import type { Connection } from './connection/connection'
import type { Listing } from './connection/listing'
import type { CallContext, ToolAnnotations, ToolResult } from '../tool/tool'

/** A tool of a server, ready to be offered. What the server said is cleaned and bounded: nothing in it can break a request. */
export interface McpTool {
  /** As the configuration calls it. */
  server: string
  /** Tells its server from servers of the same name elsewhere. */
  serverId?: string
  /** As the server calls it. */
  name: string
  /** As the model calls it: `mcp__server__tool`, at most 64 characters, never the name of a built-in. */
  fullName: string
  title?: string
  description: string
  /** A JSON Schema whose top is an object. */
  inputSchema: Readonly<Record<string, unknown>>
  /** Hints of the server: they can make a policy stricter, never laxer. What it does not say counts as the worst. */
  annotations: ToolAnnotations
  /** The server itself says that the tool can destroy something. */
  saysDestructive: boolean
  /** It can only be called as a task of the protocol. */
  needsTask?: true
  /** It runs on this machine, so it may read and change any file. */
  isLocal: boolean
}

/** The tools of a session's servers as they are now: the same array, of the same tools, until something changes. */
export interface McpToolSource {
  tools(): readonly McpTool[]
  /** Those that the configuration of their server switches off: for people to see, never offered. */
  switchedOff(): readonly McpTool[]
  /** What the servers say about their use. */
  instructions(): readonly { server: string; text: string }[]
}

/** Who uses servers: a session of a person; its subagents use them as that session. */
export interface McpUser {
  sessionId: string
  folder: string
}

/** What the engine itself does with servers, beside what hosts do. */
export interface McpSessions {
  /**
   * To be awaited before a turn: reads what is configured, and gives servers that were never seen before a few seconds to say what they offer. Starts nothing
   * that is known already. Undefined where there are no servers.
   */
  forTurn(user: McpUser, signal?: AbortSignal): Promise<McpToolSource | undefined>
  /** The same without starting anything: what is known of them now. */
  toolsOf(user: McpUser): Promise<McpToolSource | undefined>
  /** Runs a call that is allowed; starts the server where it does not run. Failures are results with advice. */
  call(user: McpUser, tool: McpTool, input: Record<string, unknown>, ctx: CallContext): Promise<ToolResult>
  /** The servers this session can use, and what is known of each; starts nothing. */
  servers(user: McpUser): Promise<{ name: string; serverId: string; listing?: Listing }[]>
  /**
   * Runs something with the connection of a server, by its name in the session; starts it where it does not run. CodedError: `mcp.not_found`, or why it does not
   * start.
   */
  withServer<Result>(
    user: McpUser,
    name: string,
    signal: AbortSignal | undefined,
    run: (connection: Connection) => Promise<Result>,
  ): Promise<Result>
}
