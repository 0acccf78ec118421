/** Methods of the contract that change nothing, by name, so they can be called again. */
const READS = [
  /\.(?:list|get|view|window|search|find|read|lines|bytes|outline|folder|filter|text|version|output|status|overview|details|complete|report|offer|revision|choices|proposal|points|preview|files|hunks|context|tools|info|backups)$/,
  /^usage\./,
]
/** Methods that match the above, but change something. */
const ACTS = new Set(['app.readShellEnvironment', 'preview.open', 'conversation.import'])

/** Whether a method can be called twice without doing more than once. */
export function isReadOnly(method: string): boolean {
  return !ACTS.has(method) && (method === 'session.open' || READS.some((pattern) => pattern.test(method)))
}
