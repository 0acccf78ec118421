import {
  promptCommand,
  parsePromptArguments,
  type McpPrompt,
  type McpPromptArgument,
} from '../../../shared/configuration/customize/mcp-content'

/** An `@word` being typed. */
export interface OpenMention {
  /** The text after the `@`. */
  query: string
  /** Start of the `@` and end of the word. */
  start: number
  end: number
}

/** The mention at the caret, if any. `@` counts only at the start of a word, so mail addresses are left alone. */
export function mentionAt(text: string, caret: number): OpenMention | undefined {
  const before = text.slice(Math.max(0, caret - 500), caret)
  const match = /(?:^|[\s([{"'`])@(?:"([^"\n]*)|([^\s"@]*))$/.exec(before)
  if (!match) return undefined
  const query = match[1] ?? match[2] ?? ''
  const quoted = match[1] !== undefined
  const start = caret - query.length - (quoted ? 2 : 1)
  const rest = /^[^\s"@]*/.exec(text.slice(caret))?.[0] ?? ''
  return { query, start, end: quoted ? caret : caret + rest.length }
}

/** The `/word` being typed at the very beginning of the message, if the caret is in it. */
export function commandAt(text: string, caret: number): OpenMention | undefined {
  const match = /^\/([a-z0-9-]*|[a-z0-9-]+:[\p{L}\p{N}_./:-]*)$/iu.exec(text.slice(0, caret))
  if (!match) return undefined
  // A slash also starts paths: only after a colon, as in `mcp:`, is it part of a name.
  const rest = (match[1]?.includes(':') ? /^[\p{L}\p{N}_./:-]*/u : /^[\w-]*/).exec(text.slice(caret))?.[0] ?? ''
  return { query: match[1] ?? '', start: 0, end: caret + rest.length }
}

/** The text with the mention replaced by an MCP resource; the popup stays open if the URI needs more input. */
export function withResource(
  text: string,
  mention: OpenMention,
  word: string,
  isOpen: boolean,
): { text: string; caret: number } {
  const quoted = /\s/.test(word)
  const written = quoted ? `@"${word}${isOpen ? '' : '"'}` : `@${word}`
  const after = text.slice(mention.end)
  const gap = isOpen || /^\s/.test(after) ? '' : ' '
  const head = text.slice(0, mention.start) + written + gap
  return { text: head + after, caret: head.length + (gap === '' && !isOpen ? 1 : 0) }
}

/**
 * The text with the mention replaced by a path, and the new caret position. A folder stays open, to continue inside it.
 */
export function withMention(
  text: string,
  mention: OpenMention,
  path: string,
  isFolder: boolean,
): { text: string; caret: number } {
  const clean = path.replace(/\/+$/, '')
  const name = isFolder ? `${clean}/` : clean
  const quoted = /\s/.test(name)
  const word = quoted ? `@"${name}${isFolder ? '' : '"'}` : `@${name}`
  const after = text.slice(mention.end)
  const gap = isFolder || /^\s/.test(after) ? '' : ' '
  const head = text.slice(0, mention.start) + word + gap
  return { text: head + after, caret: head.length + (gap === '' && !isFolder ? 1 : 0) }
}

/**
 * The text with files and folders mentioned at a position, project files by relative path; and the new caret position.
 */
export function withPaths(
  text: string,
  at: number,
  paths: readonly { path: string; isFolder: boolean }[],
  folder: string | undefined,
): { text: string; caret: number } {
  const words = paths.map(({ path, isFolder }) => {
    const inside = folder !== undefined && (path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`))
    const name = `${inside ? path.slice(folder.length + 1) : path}${isFolder ? '/' : ''}`
    return /\s/.test(name) ? `@"${name}"` : `@${name}`
  })
  const before = text.slice(0, at)
  const after = text.slice(at)
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${words.join(' ')} `
  return { text: head + after.replace(/^ /, ''), caret: head.length }
}

/** The argument of an MCP prompt being typed. */
export interface OpenArgument extends OpenMention {
  prompt: McpPrompt
  argument: McpPromptArgument
  /** Values of the other arguments. */
  given: Record<string, string>
}

/** The argument at the caret, after the command of a known prompt. `query` is its text so far. */
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
  // A space within quotes does not end the argument.
  if ((done.match(/"/g)?.length ?? 0) % 2 === 1) return undefined
  const given = parsePromptArguments(prompt.arguments, done).values
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

/** The text with the argument replaced by a value. */
export function withArgument(
  text: string,
  { prompt, start, end }: OpenArgument,
  value: string,
): { text: string; caret: number } {
  const isOnly = prompt.arguments.length === 1
  const written = !isOnly && /[\s"'=]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
  const head = text.slice(0, start) + written + (isOnly ? '' : ' ')
  return { text: head + text.slice(end).replace(/^\s/, ''), caret: head.length }
}

/** The hint below the field for the argument. */
export function argumentHint({ argument: { name, description, required } }: Pick<OpenArgument, 'argument'>): string {
  return [`${name}${required ? '' : ' (optional)'}`, description].filter(Boolean).join(': ')
}

/** A command: `/name` at the beginning of a message. */
export interface SlashCommand {
  /** Without the slash. */
  name: string
  description: string
  /** Its origin in a word: `project`, `personal`. */
  origin?: string
  /** Runs it immediately; without it the name stays in the message, and the user finishes and sends it. */
  run?: () => void
  /** Called instead of sending the message, with the text after the name. */
  send?: (argument: string) => Promise<unknown>
}

/** The action for a message that starts with a command with its own handler; undefined for any other message. */
export function commandSent(commands: readonly SlashCommand[], text: string): (() => Promise<unknown>) | undefined {
  const match = /^\/([a-z0-9-]+)(?:\s+([\s\S]*))?$/i.exec(text.trim())
  const send = match && commands.find(({ name }) => name.toLowerCase() === match[1]?.toLowerCase())?.send
  return send ? () => send(match[2]?.trim() ?? '') : undefined
}

/** Whether the message is only the name of the command, in full. */
export function isCommandAlone(text: string, { name }: SlashCommand): boolean {
  return text.trim() === `/${name}`
}

/** The commands that match the text after the slash, prefix matches first. */
export function matchingCommands(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const wanted = query.toLowerCase()
  const rank = (command: SlashCommand): number => {
    const name = command.name.toLowerCase()
    if (name.startsWith(wanted)) return 0
    if (name.includes(wanted)) return 1
    return wanted.length > 2 && command.description.toLowerCase().includes(wanted) ? 2 : 3
  }
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((entry) => entry.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map((entry) => entry.command)
}
