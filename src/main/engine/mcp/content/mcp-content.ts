import { CodedError } from '../../../../shared/errors'
import {
  commandName,
  type McpPrompt,
  type McpResource,
  type McpResourceContent,
} from '../../../../shared/configuration/mcp-content'
import { attach, mayMention, readResource } from './attach'
import { mediaOf, resourceBlock } from './content-parts'
import type { ContentServer } from './content-server'
import { completeValue, findResources } from './find-resources'
import type { WatchedResources } from './watched-resources'
import type { UserPart } from '../../../../shared/model/message'

export interface ContentDeps {
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
    ? `${text.slice(0, MAX_SHOWN).toWellFormed()}\n… ${text.length - MAX_SHOWN} more characters`
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

/** For the engine itself. */
export interface InternalMcpContent extends McpContent {
  /** A prompt with the server content that it mentions. Throws a `CodedError` when that cannot be read. */
  attach(sessionId: string, parts: UserPart[]): Promise<UserPart[]>
  /** The session was removed. */
  forget(sessionId: string): void
}
