/** An argument of a prompt. */
export interface McpPromptArgument {
  name: string
  description?: string
  required: boolean
}

/** A prompt that a server offers: `/mcp:server:name` in the composer. */
export interface McpPrompt {
  /** The server's name in the configuration. */
  server: string
  /** The server's own name for it. */
  name: string
  title?: string
  description: string
  arguments: McpPromptArgument[]
}

/** A resource that a server offers: `@server:uri` in the composer. */
export interface McpResource {
  server: string
  uri: string
  name: string
  title?: string
  description?: string
  mediaType?: string
  /** `uri` is the start of the addresses of a family of resources: the user must complete it. */
  isOpen?: true
}

/** The contents of a resource, for display. */
export interface McpResourceContent {
  server: string
  uri: string
  /** In order; parts that are neither text nor a picture are described. */
  parts: (
    | { type: 'text'; text: string }
    | { type: 'media'; mediaType: string; data: string }
    | { type: 'other'; text: string }
  )[]
}

/** The name of a server or a prompt in a message: without characters that would end the word. */
export function commandName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_./-]+/gu, '_')
}

/** The command for a prompt, without its slash. */
export function promptCommand({ server, name }: Pick<McpPrompt, 'server' | 'name'>): string {
  return `mcp:${commandName(server)}:${commandName(name)}`
}

/** The arguments of a prompt, parsed from the text after its command. */
export interface PromptArguments {
  values: Record<string, string>
  /** Arguments beyond those the prompt accepts. */
  surplus: string[]
}

// No alternation per character of a quoted text: with millions of characters it would overflow the stack.
const TOKEN = /([^\s="']+)=("[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'|\S*)|"([^"\\]*(?:\\.[^"\\]*)*)"|'([^']*)'|(\S+)/g

/**
 * Parses the text after the command of a prompt: `name=value` for an argument of that name, otherwise values in the
 * order of the arguments; quotes keep spaces together. A prompt with one argument gets the whole text.
 */
export function parsePromptArguments(known: readonly McpPromptArgument[], text: string): PromptArguments {
  const [only, second] = known
  const trimmed = text.trim()
  if (only && !second && trimmed !== '' && !/^["']/.test(trimmed) && !trimmed.startsWith(`${only.name}=`))
    return { values: { [only.name]: trimmed }, surplus: [] }
  const named: Record<string, string> = {}
  const inOrder: string[] = []
  for (const match of trimmed.matchAll(TOKEN)) {
    const [whole, name, value = '', double, single, bare] = match
    if (name !== undefined && known.some((argument) => argument.name === name)) named[name] = unquoted(value)
    else inOrder.push(double === undefined ? (single ?? bare ?? whole) : double.replace(/\\(.)/g, '$1'))
  }
  const open = known.filter(({ name }) => !Object.hasOwn(named, name))
  const values = { ...named }
  for (const [index, argument] of open.entries()) {
    const value = inOrder[index]
    if (value !== undefined) values[argument.name] = value
  }
  return { values, surplus: inOrder.slice(open.length) }
}

function unquoted(value: string): string {
  if (/^".*"$/s.test(value)) return value.slice(1, -1).replace(/\\(.)/g, '$1')
  return /^'.*'$/s.test(value) ? value.slice(1, -1) : value
}
