import { argumentText } from '../../../../shared/model/argument-text'
import type { CallArgument } from '../../../../shared/model/preview'
import { isPlanFile } from '../../../../shared/model/plan'
import type { ToolItem } from '../../../../shared/model/transcript-item'

const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'name']

/** One line on what a call is about: the tool's own summary, or the most telling argument while there is none. */
export function toolSummary(item: Pick<ToolItem, 'name' | 'summary' | 'input'>): string {
  if (item.name === 'TodoList' && /^(?:read|clear)$/.test(item.summary)) return item.summary === 'read' ? '' : 'emptied'
  if (item.summary !== '') return isPlanFile(item.summary.trim()) ? 'the plan' : oneLine(item.summary)
  const input = parsedInput(item.input)
  if (typeof input !== 'object' || input === null) return ''
  for (const key of TELLING) {
    const value: unknown = (input as Record<string, unknown>)[key]
    if (typeof value === 'string' && value !== '') return oneLine(value)
  }
  return ''
}

/** What the model said that its command is for; undefined when it said nothing. */
export function commandPurpose({ name, input }: Pick<ToolItem, 'name' | 'input'>): string | undefined {
  const parsed = name === 'Bash' ? parsedInput(input) : undefined
  const purpose: unknown = typeof parsed === 'object' && parsed !== null && 'description' in parsed ? parsed.description : undefined
  return typeof purpose === 'string' && purpose.trim() !== '' ? oneLine(purpose) : undefined
}

/** The arguments as JSON to read; as they were written when they do not parse. */
export function prettyInput(input: string): string {
  const parsed = parsedInput(input)
  return parsed === undefined ? input : JSON.stringify(parsed, null, 2)
}

/** The arguments of a call of a server's tool, to be read one by one; undefined for other tools, and when they do not parse. */
export function namedArguments({ name, input }: Pick<ToolItem, 'name' | 'input'>): CallArgument[] | undefined {
  const parsed = name.startsWith('mcp__') ? parsedInput(input) : undefined
  if (typeof parsed !== 'object' || parsed === null) return undefined
  return Object.entries(parsed).map(([key, value]) => ({
    name: key,
    text: argumentText(value),
  }))
}

function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

function oneLine(text: string): string {
  return text.slice(0, 300).replace(/\s+/g, ' ').trim()
}
