import { promptCommand, writtenArguments, type McpPrompt, type McpPromptArgument } from '../../../shared/model/mcp-content'
import type { OpenMention } from './file-completion'

/** The argument of a prompt of a server that is being written. */
export interface OpenArgument extends OpenMention {
  prompt: McpPrompt
  argument: McpPromptArgument
  /** What the others are. */
  given: Record<string, string>
}

/** The argument the caret is in, behind the command of a known prompt. `query` is what stands there so far. */
export function argumentAt(prompts: readonly McpPrompt[], text: string, caret: number): OpenArgument | undefined {
  const match = /^\s*\/(mcp:\S+)(\s+)/.exec(text)
  const prompt = match && prompts.find((one) => promptCommand(one) === match[1])
  if (!match || !prompt || caret < match[0].length) return undefined
  const [only, second] = prompt.arguments
  const before = text.slice(match[0].length, caret)
  if (only && !second) {
    const named = before.startsWith(`${only.name}=`) ? only.name.length + 1 : 0
    const start = match[0].length + named
    return { prompt, argument: only, given: {}, query: text.slice(start, caret), start, end: text.length }
  }
  const [, done = '', word = ''] = /^((?:.*\s)?)(\S*)$/s.exec(before) ?? []
  // Within quotes a space ends nothing.
  if ((done.match(/"/g)?.length ?? 0) % 2 === 1) return undefined
  const given = writtenArguments(prompt.arguments, done).values
  const name = /^([^="\s]+)=/.exec(word)?.[1]
  const named = name === undefined ? undefined : prompt.arguments.find((argument) => argument.name === name)
  const argument = named ?? prompt.arguments.find((one) => !Object.hasOwn(given, one.name))
  if (!argument) return undefined
  const query = (named ? word.slice(named.name.length + 1) : word).replace(/^["']/, '')
  const rest = /^\S*/.exec(text.slice(caret))?.[0] ?? ''
  return {
    prompt,
    argument,
    given,
    query,
    start: caret - (named ? word.length - named.name.length - 1 : word.length),
    end: caret + rest.length,
  }
}

/** The text with a value in the argument's place. */
export function withArgument(text: string, { prompt, start, end }: OpenArgument, value: string): { text: string; caret: number } {
  const isOnly = prompt.arguments.length === 1
  const written = !isOnly && /[\s"'=]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
  const head = text.slice(0, start) + written + (isOnly ? '' : ' ')
  return { text: head + text.slice(end).replace(/^\s/, ''), caret: head.length }
}

/** What the hint below the field says of it. */
export function argumentHint({ argument: { name, description, required } }: Pick<OpenArgument, 'argument'>): string {
  return [`${name}${required ? '' : ' (optional)'}`, description].filter(Boolean).join(': ')
}
