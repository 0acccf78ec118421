import type {
  McpLogLine,
  McpServerDefinition,
  McpServerInput,
  McpServerList,
  McpServerView,
  McpTestResult,
  McpImportPreview,
  McpImportRequest,
} from '../../../../shared/configuration/mcp'
import type { CallContext, ToolResult } from '../../tool/tool'

/** Which server is meant: where it is written and its name there. `folder` goes with `project`. */
export type McpPlace = { scope: 'user'; name: string } | { scope: 'project'; folder: string; name: string }

/** The servers of the Model Context Protocol (revision 2026-07-28, and older ones), for hosts. Failures are `CodedError`s. */
export interface Mcp {
  /** Starts nothing and connects to nothing. `folder`: with the servers of that project. */
  list(folder?: string): Promise<McpServerList>
  /** What is written about a server, for a form: without the values that could be secrets. */
  definition(serverId: string): Promise<McpServerInput>
  /** Writes a server into its file, others and comments as they are. `previousName`: the one that is changed, or renamed; without it the name must be new. */
  save(place: McpPlace, definition: McpServerInput, previousName?: string): Promise<McpServerList>
  remove(place: McpPlace): Promise<McpServerList>
  /** Servers of other products that could be taken over. Reads their files and writes nothing. */
  imports(folder?: string): Promise<McpImportPreview[]>
  /** The same for text that was pasted. */
  previewImport(text: string): Promise<McpImportPreview>
  /** Adds what was chosen of a preview to the user's own servers, all or none. */
  import(request: McpImportRequest): Promise<McpServerList>
  setEnabled(serverId: string, enabled: boolean): Promise<McpServerView>
  setToolEnabled(serverId: string, tool: string, enabled: boolean): Promise<McpServerView>
  /** Ends what runs and starts it anew. */
  restart(serverId: string): Promise<McpServerView>
  /** Connects with a connection of its own, so that sessions do not notice. */
  test(serverId: string): Promise<McpTestResult>
  logs(serverId: string): Promise<McpLogLine[]>
  /**
   * Calls one tool, as the server calls it, for a person who asked for exactly this: no rule is consulted. CodedError `mcp.sign_in` where they have to sign in
   * first; other failures are results.
   */
  callTool(serverId: string, tool: string, input: Record<string, unknown>, ctx: CallContext): Promise<ToolResult>
  /** Begins a sign-in and ends when it is over; `open` is given the page for the browser, which is http(s). */
  signIn(serverId: string, open: (url: string) => void, signal?: AbortSignal): Promise<McpServerView>
  signOut(serverId: string): Promise<McpServerView>
  /** Servers that the client of one session brings along; they need no consent, and go with the session's last use. */
  useInSession(sessionId: string, servers: Readonly<Record<string, McpServerDefinition>>): void
  /** Its client has closed the session, or it is gone: servers that nobody else uses are stopped, those it has brought along forgotten. */
  leave(sessionId: string): void
  /** Ends every process and connection; at most 5 s. */
  close(): Promise<void>
}
