import type {
  McpLogLine,
  McpServerDefinition,
  McpServerInput,
  McpServerList,
  McpServerView,
  McpTestResult,
  McpImportPreview,
  McpImportRequest,
} from '../../../../shared/configuration/customize/mcp'
import type { McpPlace } from '../config/configured-server'
import type { CallContext, ToolResult } from '../../tool/tool'

/**
 * The servers of the Model Context Protocol (revision 2026-07-28, and older ones), for hosts. Failures are
 * `CodedError`s.
 */
export interface Mcp {
  /** Starts nothing and connects to nothing. `folder`: include the servers of that project. */
  list(folder?: string): Promise<McpServerList>
  /** A server's definition for a form, without values that could be secrets. */
  definition(serverId: string): Promise<McpServerInput>
  /**
   * Writes a server to its file, keeping other servers and comments. `previousName`: the server that is changed or
   * renamed; without it, the name must be new.
   */
  save(place: McpPlace, definition: McpServerInput, previousName?: string): Promise<McpServerList>
  remove(place: McpPlace): Promise<McpServerList>
  /** Servers of other products that can be imported. Only reads their files. */
  imports(folder?: string): Promise<McpImportPreview[]>
  /** The same for pasted text. */
  previewImport(text: string): Promise<McpImportPreview>
  /** Adds the chosen servers of a preview to the user's own, all or none. */
  import(request: McpImportRequest): Promise<McpServerList>
  setEnabled(serverId: string, enabled: boolean): Promise<McpServerView>
  setToolEnabled(serverId: string, tool: string, enabled: boolean): Promise<McpServerView>
  /** Ends the server and starts it again. */
  restart(serverId: string): Promise<McpServerView>
  /** Connects with a separate connection, so that sessions are not affected. */
  test(serverId: string): Promise<McpTestResult>
  logs(serverId: string): Promise<McpLogLine[]>
  /**
   * Calls one tool, by the server's name for it, for a user who requested exactly this: no rule is consulted. Throws
   * `mcp.sign_in` when a sign-in is required first; other failures are results.
   */
  callTool(serverId: string, tool: string, input: Record<string, unknown>, ctx: CallContext): Promise<ToolResult>
  /** Starts a sign-in and resolves when it is over; `open` gets the page for the browser (http or https). */
  signIn(serverId: string, open: (url: string) => void, signal?: AbortSignal): Promise<McpServerView>
  signOut(serverId: string): Promise<McpServerView>
  /** Sets the servers that the client of one session provides; they need no consent, and `leave` drops them. */
  useInSession(sessionId: string, servers: Readonly<Record<string, McpServerDefinition>>): void
  /**
   * Call when the client closed the session or it was removed: servers without other users are stopped, and those the
   * client provided are dropped.
   */
  leave(sessionId: string): void
  /** Ends every process and connection; takes at most 5 s. */
  close(): Promise<void>
}
