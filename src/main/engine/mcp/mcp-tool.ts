import type { ToolAnnotations } from '../tool/tool'

/** A tool of a server, ready to be offered. What the server said is cleaned and bounded: nothing in it can break a request. */
export interface McpTool {
  /** As the configuration calls it. */
  server: string
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
}

/** The tools of a session's servers as they are now: the same array until something changes. */
export interface McpToolSource {
  tools(): readonly McpTool[]
}
