/** An argument of a prompt. */
export interface McpPromptArgument {
  name: string
  description?: string
  required: boolean
}

/** A prompt that a server offers: `/mcp:server:name` in the composer. */
export interface McpPrompt {
  /** As the configuration calls the server. */
  server: string
  /** As the server calls it. */
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
  /** `uri` is how the addresses of a family of resources begin: something has to follow. */
  isOpen?: true
}

/** What a resource holds, to be looked at. */
export interface McpResourceContent {
  server: string
  uri: string
  /** In order; of what can be shown neither as text nor as a picture, what it is. */
  parts: (
    | { type: 'text'; text: string }
    | { type: 'media'; mediaType: string; data: string }
    | { type: 'other'; text: string }
  )[]
}

/** How a server or a prompt is written in a message: without what would end the word. */
export function commandName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_./-]+/gu, '_')
}

/** The command that stands for a prompt, without its slash. */
export function promptCommand({ server, name }: Pick<McpPrompt, 'server' | 'name'>): string {
  return `mcp:${commandName(server)}:${commandName(name)}`
}

/** The arguments of a prompt as they are written behind its command. */
export interface PromptArguments {
  values: Record<string, string>
  /** Written, and more than it takes. */
  surplus: string[]
}

// Without a choice for each character of a quoted text: one of millions of characters would overflow the stack.
const TOKEN = /([^\s="']+)=("[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'|\S*)|"([^"\\]*(?:\\.[^"\\]*)*)"|'([^']*)'|(\S+)/g

/**
 * Reads what stands behind the command of a prompt: `name=value` for an argument of that name, else values in the order
 * of the arguments; quotes keep spaces together. What a prompt with one argument gets is all of it.
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
