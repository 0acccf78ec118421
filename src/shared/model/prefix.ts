/** A tool as every request lists it. `schema` is JSON Schema. */
export interface ListedTool {
  name: string
  description: string
  schema: Record<string, unknown>
}

/** What the model was told of one thing around it. What is said of a tool has the key `tool:` and its name, and a digest as its text. */
export interface ToldFact {
  key: string
  text: string
  /** What is said when it is gone; absent: nothing. */
  removed?: string
  /** The text is a head and a line for each of several things. */
  isList?: true
  /** It was told that this is gone. */
  gone?: true
}

/**
 * What every request of a session begins with, as it was when the conversation began or was last compacted. It stays the same, to the byte: what changes is told
 * in later messages.
 */
export interface RequestPrefix {
  system: string
  tools: ListedTool[]
  /** What of the system prompt can change. */
  facts: ToldFact[]
}
