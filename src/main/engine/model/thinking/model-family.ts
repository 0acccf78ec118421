/**
 * The family a model belongs to, from its name or id: `kimi` of `moonshotai/Kimi-K2.6`, `claude` of `claude-opus-5`. Its models read each other's plain
 * thinking; a name that says nothing is a family of its own.
 */
export function modelFamily(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  if (last.includes('claude')) return 'claude'
  return /^[a-z]+/.exec(last)?.[0] ?? last
}

/** Families whose servers refuse a message with calls but without its thinking, also where another model wrote it. */
const NEEDS_FIELD: ReadonlySet<string> = new Set(['kimi', 'deepseek'])

/** The thinking field that a model insists on beside every call while it thinks; undefined where none is needed. */
export function neededThinkingField(model: string): 'reasoning_content' | undefined {
  return NEEDS_FIELD.has(modelFamily(model)) ? 'reasoning_content' : undefined
}
