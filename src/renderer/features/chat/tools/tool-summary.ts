import { argumentText } from '../../../../shared/model/argument-text'
import type { CallArgument } from '../../../../shared/model/preview'
import type { ToolItem } from '../../../../shared/model/transcript-item'

const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'name']

/** One line on what a call is about: the tool's own summary, or the most telling argument while there is none. */
export function toolSummary(item: Pick<ToolItem, 'summary' | 'input'>): string {
  if (item.summary !== '') return oneLine(item.summary)
  const input = parsedInput(item.input)
  if (typeof input !== 'object' || input === null) return ''
  for (const key of TELLING) {
    const value: unknown = (input as Record<string, unknown>)[key]
    if (typeof value === 'string' && value !== '') return oneLine(value)
  }
  return ''
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
