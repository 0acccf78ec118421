import { CodedError } from '../../../../shared/errors'
import {
  commandName,
  type McpPrompt,
  type McpResource,
  type McpResourceContent,
} from '../../../../shared/configuration/customize/mcp-content'
import { attach, mayMention, readResource } from './attach'
import { mediaOf, resourceBlock } from './content-parts'
import { type ContentServer, askServer, type OfferedTemplate } from './content-server'
import type { WatchedResources } from './watched-resources'
import type { UserPart } from '../../../../shared/model/turn/message'
import { cutText } from '../../../../shared/cut-text'

interface ContentDeps {
  /** The servers a session can use; listing them starts no server. */
  serversOf(sessionId: string): Promise<readonly ContentServer[]>
  /** Loaded with the first connection. */
  watched(): Promise<WatchedResources> | undefined
}

/** Maximum length shown of one resource, in characters. */
const MAX_SHOWN = 200_000

export function createContent({ serversOf, watched }: ContentDeps): InternalMcpContent {
  async function serverOf(sessionId: string, name: string): Promise<ContentServer> {
    const server = (await serversOf(sessionId)).find((one) => one.name === name)
    if (!server) throw new CodedError('request.invalid', `There is no MCP server ${name} that this session can use.`)
    return server
  }

  return {
    async prompts(sessionId, word) {
      const servers = await serversOf(sessionId)
      const named = word === undefined ? servers : servers.filter(({ name }) => commandName(name) === word)
      const offers = await Promise.all(
        named.map(async (server) => ({
          server: server.name,
          offer: word === undefined ? server.known() : await server.offer(),
        })),
      )
      return offers.flatMap(({ server, offer }) => (offer?.prompts ?? []).map((prompt) => ({ server, ...prompt })))
    },
    resources: async (sessionId, query, limit) => findResources(await serversOf(sessionId), query, limit),
    async complete(sessionId, { server, prompt, argument, value, given }) {
      const named = await serverOf(sessionId, server)
      return completeValue(named, { type: 'ref/prompt', name: prompt }, argument, value, given)
    },
    async read(sessionId, name, uri) {
      const server = await serverOf(sessionId, name)
      const contents = await readResource(server, uri)
      const parts = await Promise.all(
        contents.slice(0, 20).map(async (content) => {
          const block = resourceBlock(content)
          if ('text' in block) return { type: 'text' as const, text: cut(block.text) }
          const media = await mediaOf(block)
          if (media?.mediaType.startsWith('image/'))
            return { type: 'media' as const, mediaType: media.mediaType, data: media.data }
          if (media?.text !== undefined) return { type: 'text' as const, text: cut(media.text) }
          const bytes = Buffer.from(block.data, 'base64')
          return { type: 'other' as const, text: `${block.mediaType}, ${bytes.length.toLocaleString('en')} bytes` }
        }),
      )
      return { server: name, uri, parts }
    },
    async attach(sessionId, parts) {
      const seen = await watched()
      const news = seen?.takeChanges(sessionId) ?? []
      if (!mayMention(parts)) return [...parts, ...news]
      const attached: { server: ContentServer; uri: string }[] = []
      const all = await attach(await serversOf(sessionId), parts, (server, uri) => void attached.push({ server, uri }))
      if (attached.length > 0) {
        const watching = await watched()
        for (const { server, uri } of attached) void watching?.watch(sessionId, server, uri)
      }
      return [...all, ...news]
    },
    forget(sessionId) {
      void watched()?.then((seen) => seen.forget(sessionId))
    },
  }
}

function cut(text: string): string {
  return text.length > MAX_SHOWN
    ? `${cutText(text, MAX_SHOWN).toWellFormed()}\n… ${text.length - MAX_SHOWN} more characters`
    : text
}

/**
 * What MCP servers offer a session besides tools, for hosts. See the contract of the same name. Failures are
 * `CodedError`s.
 */
export interface McpContent {
  prompts(sessionId: string, server?: string): Promise<McpPrompt[]>
  resources(sessionId: string, query: string, limit: number): Promise<McpResource[]>
  complete(
    sessionId: string,
    argument: {
      server: string
      prompt: string
      argument: string
      value: string
      given: Readonly<Record<string, string>>
    },
  ): Promise<string[]>
  read(sessionId: string, server: string, uri: string): Promise<McpResourceContent>
}

/** For use inside the engine. */
export interface InternalMcpContent extends McpContent {
  /** A prompt with the server content that it mentions. Throws a `CodedError` when that content cannot be read. */
  attach(sessionId: string, parts: UserPart[]): Promise<UserPart[]>
  /** Call when the session was removed. */
  forget(sessionId: string): void
}

/**
 * Resources that match the text after an `@`, best first: `server:` limits the search to that server, which is then
 * also asked for template values.
 */
export async function findResources(
  servers: readonly ContentServer[],
  query: string,
  limit: number,
): Promise<McpResource[]> {
  const colon = query.indexOf(':')
  const named = colon > 0 ? servers.find(({ name }) => commandName(name) === query.slice(0, colon)) : undefined
  if (!named) {
    const all = servers.flatMap((server) =>
      (server.known()?.resources ?? []).map((one) => ({ server: server.name, ...one })),
    )
    return ranked(all, query).slice(0, limit)
  }
  const wanted = query.slice(colon + 1)
  const { resources, templates } = await named.offer()
  const listed = ranked(
    resources.map((one) => ({ server: named.name, ...one })),
    wanted,
  )
  const made = await Promise.all(templates.map((template) => fromTemplate(named, template, wanted)))
  const seen = new Set(listed.map(({ uri }) => uri))
  return [...listed, ...made.flat().filter(({ uri }) => !seen.has(uri))].slice(0, limit)
}

function ranked(resources: readonly McpResource[], query: string): McpResource[] {
  const wanted = query.toLowerCase()
  const rank = ({ server, uri, name, title = '' }: McpResource): number => {
    if (wanted === '') return 1
    const texts = [uri, name, title].map((text) => text.toLowerCase())
    if (texts.some((text) => text.startsWith(wanted))) return 0
    if (texts.some((text) => text.includes(wanted))) return 1
    return commandName(server).toLowerCase().startsWith(wanted) ? 2 : 3
  }
  return resources
    .map((resource) => ({ resource, rank: rank(resource) }))
    .filter((entry) => entry.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map((entry) => entry.resource)
}

/**
 * Addresses that a template can produce and that start with the given text. If a variable comes next, the server is
 * asked for its values.
 */
async function fromTemplate(server: ContentServer, template: OfferedTemplate, wanted: string): Promise<McpResource[]> {
  const at = variableAt(template.uri, wanted)
  if (!at) return []
  const { head, variable, value, tail, given } = at
  const values = await completeValue(server, { type: 'ref/resource', uri: template.uri }, variable, value, given).catch(
    () => [],
  )
  const uris = values.map((one) => `${head}${one}${tail}`)
  // Without values from the server, the text itself may be a value; without text, the fixed prefix is offered.
  if (uris.length === 0 && value !== '') uris.push(`${head}${value}${tail}`)
  if (uris.length === 0) return [{ server: server.name, ...template, uri: head, isOpen: true }]
  return uris.map((uri): McpResource => {
    const open = uri.indexOf('{')
    return { server: server.name, ...template, ...(open < 0 ? { uri } : { uri: uri.slice(0, open), isOpen: true }) }
  })
}

/**
 * The variable of a template that is at the end of `wanted`, with the text before and after it. Only simple variables,
 * `{name}`, are supported.
 */
export function variableAt(
  template: string,
  wanted: string,
): { head: string; variable: string; value: string; tail: string; given: Record<string, string> } | undefined {
  const pieces = template.split(/(\{[^{}]+\})/)
  const given: Record<string, string> = {}
  let head = ''
  let rest = wanted
  for (let index = 0; index < pieces.length; index += 2) {
    const fixed = pieces[index] ?? ''
    if (!rest.startsWith(fixed)) {
      // Still within the prefix that all of the template's addresses share.
      if (!fixed.startsWith(rest)) return undefined
      rest = ''
    } else rest = rest.slice(fixed.length)
    head += fixed
    const variable = /^\{([\w.]+)\}$/.exec(pieces[index + 1] ?? '')?.[1]
    if (variable === undefined) return undefined
    const next = pieces[index + 2] ?? ''
    const end = next === '' ? -1 : rest.indexOf(next)
    if (end < 0) return { head, variable, value: rest, tail: pieces.slice(index + 2).join(''), given }
    given[variable] = rest.slice(0, end)
    head += given[variable]
    rest = rest.slice(end)
  }
  return undefined
}

const MAX_VALUES = 100

/** Values that a server suggests for an argument; empty when it suggests nothing. */
async function completeValue(
  server: ContentServer,
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
  argument: string,
  value: string,
  given: Readonly<Record<string, string>>,
): Promise<string[]> {
  const completes = await server.use(async ({ capabilities }) => capabilities.completions !== undefined)
  if (!completes) return []
  const answer = await askServer(server, 'completion/complete', {
    ref,
    argument: { name: argument, value },
    context: { arguments: given },
  })
  const { values } = (answer['completion'] ?? {}) as { values?: unknown }
  if (!Array.isArray(values)) return []
  return values
    .filter((one) => typeof one === 'string' && one !== '' && one.length <= 500 && !/\p{Cc}/u.test(one))
    .slice(0, MAX_VALUES)
}
