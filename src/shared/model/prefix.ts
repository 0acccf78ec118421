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

/** Most names in `toldWords`. */
const MOST_NAMES = 6

/** What people read of a message that tells the model of changes. */
export function toldWords(facts: readonly Pick<ToldFact, 'key'>[]): string {
  const names = facts.map(({ key }) => nameOf(key))
  const more = names.length - MOST_NAMES
  const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names
  return `The agent was told what has changed: ${shown.join(', ')}.`
}

function nameOf(key: string): string {
  const colon = key.indexOf(':')
  if (colon < 0) return key.replaceAll('-', ' ')
  return key.startsWith('tool:') ? `the tool ${key.slice(colon + 1)}` : key.slice(colon + 1)
}
