/** `active`: sent with every request. `deferred`: only named in a list, until tool search loads it. `off`: not offered at all. */
export type ToolState = 'active' | 'deferred' | 'off'

/** A tool of a session, for people. */
export interface SessionTool {
  /** As the model calls it. */
  name: string
  /** Of a server: its name, and the tool's there. */
  server?: { name: string; tool: string }
  /** The beginning of what the model is told. */
  description: string
  state: ToolState
  /** Why it is off, as a sentence. */
  reason?: string
  /** Estimated tokens and bytes of its schema, in each request that has it. */
  tokens: number
  bytes: number
}

/** What the tools of servers take of each request. */
export interface ServerToolsCost {
  /** How many there are, and how many of them are sent in full. */
  tools: number
  sent: number
  /** Whether tool search is in use: the others are only listed. */
  isSearching: boolean
  /** Bytes of all schemas, which each request would carry without tool search. */
  bytesAll: number
  /** Bytes that each request carries now: the schemas of those sent, and with tool search the list and its own tool. */
  bytesSent: number
}

/** All tools of a session. */
export interface ToolsView {
  tools: SessionTool[]
  /** Absent without tools of servers. */
  cost?: ServerToolsCost
}
