import { CodedError } from '../../../../shared/errors'
import { isUserProvided, type UserPart } from '../../../../shared/model/turn/message'
import {
  commandName,
  promptCommand,
  parsePromptArguments,
  type McpPrompt,
} from '../../../../shared/configuration/customize/mcp-content'
import { contentParts } from './content-parts'
import { askServer, type ContentServer } from './content-server'

const MAX_MENTIONS = 20
const COMMAND = /^\s*\/(mcp:\S+)(?:\s+([^]*))?$/

/** Whether a prompt could mention anything from a server; if not, no lookup is needed. */
export function mayMention(parts: readonly UserPart[]): boolean {
  return parts.some(
    (part) =>
      part.type === 'text' && isUserProvided(part) && (/@"?[^\s@]*:/.test(part.text) || COMMAND.test(part.text)),
  )
}

/**
 * Appends to a prompt what it mentions from servers: the messages of the prompt it starts with (`/mcp:server:prompt`),
 * and its mentioned resources (`@server:uri`). The user's text stays unchanged. Throws a `CodedError` when something is
 * missing or cannot be read; nothing is sent then.
 */
export async function attach(
  servers: readonly ContentServer[],
  parts: readonly UserPart[],
  onAttached: (server: ContentServer, uri: string) => void = () => undefined,
): Promise<UserPart[]> {
  const text = parts.flatMap((part) => (part.type === 'text' && isUserProvided(part) ? [part.text] : [])).join('\n')
  const [, command, written = ''] = COMMAND.exec(text) ?? []
  const given = command === undefined ? [] : await promptParts(servers, command, written)
  const mentions = mentionsIn(
    text,
    servers.map(({ name }) => name),
  )
  const wanted = new Map<string, { server: ContentServer; uri: string }>()
  for (const mention of mentions) {
    const server = servers.find(({ name }) => commandName(name) === mention.server)!
    const uri = meantBy(server, mention)
    wanted.set(`${server.name} ${uri}`, { server, uri })
  }
  if (wanted.size > MAX_MENTIONS)
    throw new CodedError('mcp.not_attached', `A message can mention at most ${MAX_MENTIONS} resources.`)
  const resources = await Promise.all(
    [...wanted.values()].map(async ({ server, uri }) => {
      const contents = await readResource(server, uri)
      onAttached(server, uri)
      return contentParts(
        contents.map((resource) => ({ type: 'resource', resource })),
        { kind: 'resource', server: server.name, name: uri },
        [`<resource server=${JSON.stringify(server.name)} uri=${JSON.stringify(uri)}>`, '</resource>'],
      )
    }),
  )
  return [...parts, ...given, ...resources.flat()]
}

/** Punctuation that ends the sentence is not part of the address, unless the server has that exact address. */
function meantBy(server: ContentServer, { uri }: Mention): string {
  const listed = server.known()?.resources.map((one) => one.uri) ?? []
  const bare = withoutPunctuation(uri)
  return !listed.includes(uri) && listed.includes(bare) ? bare : uri
}

/** The contents of a resource, as the server sent it. */
export async function readResource(server: ContentServer, uri: string): Promise<Record<string, unknown>[]> {
  const answer = await askServer(server, 'resources/read', { uri })
  const contents = Array.isArray(answer['contents']) ? (answer['contents'] as unknown[]) : []
  const records = contents.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
  if (records.length === 0)
    throw new CodedError('mcp.answer', `The resource ${uri} of the server ${server.name} is empty.`)
  return records
}

async function promptParts(servers: readonly ContentServer[], command: string, written: string): Promise<UserPart[]> {
  const { server, prompt } = await promptFor(servers, command)
  const { values, surplus } = parsePromptArguments(prompt.arguments, written)
  const missing = prompt.arguments.filter(({ name, required }) => required && !values[name])
  if (missing.length > 0) {
    const what = missing
      .map(({ name, description }) => (description === undefined ? name : `${name} (${description})`))
      .join(', ')
    throw new CodedError(
      'mcp.not_attached',
      `/${command} needs ${what}. Write it behind the command, e.g. ${missing[0]?.name}="…".`,
    )
  }
  if (surplus.length > 0)
    throw new CodedError(
      'mcp.not_attached',
      `/${command} does not take “${surplus[0]}”. Put values with spaces in quotes.`,
    )
  const answer = await askServer(server, 'prompts/get', { name: prompt.name, arguments: values })
  const messages: unknown[] = Array.isArray(answer['messages']) ? answer['messages'] : []
  if (messages.length === 0)
    throw new CodedError('mcp.answer', `The prompt ${prompt.name} of the server ${server.name} is empty.`)
  const items = messages.flatMap((message): unknown[] => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown }
    return [...(role === 'assistant' ? [{ type: 'text', text: '[as if you had said:]' }] : []), content]
  })
  const head = `<prompt server=${JSON.stringify(server.name)} name=${JSON.stringify(prompt.name)}>`
  return contentParts(items, { kind: 'prompt', server: server.name, name: prompt.name }, [head, '</prompt>'])
}

async function promptFor(
  servers: readonly ContentServer[],
  command: string,
): Promise<{ server: ContentServer; prompt: Omit<McpPrompt, 'server'> }> {
  const word = command.split(':')[1]
  const named = servers.filter(({ name }) => commandName(name) === word)
  if (named.length === 0)
    throw new CodedError('mcp.not_attached', `/${command}: there is no MCP server of this name here. See the settings.`)
  for (const server of named) {
    const { prompts } = await server.offer()
    const prompt = prompts.find(({ name }) => promptCommand({ server: server.name, name }) === command)
    if (prompt) return { server, prompt }
  }
  throw new CodedError('mcp.not_attached', `/${command}: the server ${named[0]?.name} has no such prompt.`)
}

interface Mention {
  /** The server as it was written; see `mcpWord`. */
  server: string
  uri: string
}

/** As in the composer, `@` starts a mention only at the start of a word. */
const MENTION = /(?:^|[\s([{"'`])@(?:"([^"\n]+)"|([^\s"@]+))/g

/**
 * Resources that a text mentions, without duplicates. Only names in `servers` count: anything else after an `@` is a
 * file or plain text.
 */
export function mentionsIn(text: string, servers: readonly string[]): Mention[] {
  const words = new Set(servers.map(commandName))
  const found = new Map<string, Mention>()
  for (const [, quoted, bare] of text.matchAll(MENTION)) {
    const word = quoted ?? bare ?? ''
    const colon = word.indexOf(':')
    const server = word.slice(0, colon)
    const uri = word.slice(colon + 1)
    if (colon > 0 && uri !== '' && words.has(server)) found.set(word, { server, uri })
  }
  return [...found.values()]
}

/** The same without the punctuation that ends a sentence. */
function withoutPunctuation(uri: string): string {
  return uri.replace(/[.,;:!?)\]}'`]+$/, '')
}
