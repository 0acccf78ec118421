import { CodedError } from '../../../../shared/model/errors'
import { mcpWord } from '../../../../shared/model/mcp-content'
import type { HeldMcpContent } from '../mcp-content'
import { attach, mayMention, readResource } from './attach'
import { mediaOf, resourceBlock } from './content-parts'
import type { ContentServer } from './content-server'
import { completeValue, findResources } from './find-resources'
import type { WatchedResources } from './watched-resources'

export interface ContentDeps {
  /** The servers a session can use; none of them is started by asking. */
  serversOf(sessionId: string): Promise<readonly ContentServer[]>
  /** Loaded with the first connection. */
  watched(): Promise<WatchedResources> | undefined
}

/** What is shown of one resource at most, in characters. */
const MOST_SHOWN = 200_000

export function createContent({ serversOf, watched }: ContentDeps): HeldMcpContent {
  async function serverOf(sessionId: string, name: string): Promise<ContentServer> {
    const server = (await serversOf(sessionId)).find((one) => one.name === name)
    if (!server) throw new CodedError('request.invalid', `There is no MCP server ${name} that this session can use.`)
    return server
  }

  return {
    async prompts(sessionId, word) {
      const servers = await serversOf(sessionId)
      const named = word === undefined ? servers : servers.filter(({ name }) => mcpWord(name) === word)
      const offers = await Promise.all(
        named.map(async (server) => ({ server: server.name, offer: word === undefined ? server.known() : await server.offer() })),
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
          if (media?.mediaType.startsWith('image/')) return { type: 'media' as const, mediaType: media.mediaType, data: media.data }
          if (media?.text !== undefined) return { type: 'text' as const, text: cut(media.text) }
          const bytes = Buffer.from(block.data, 'base64')
          return { type: 'other' as const, text: `${block.mediaType}, ${bytes.length.toLocaleString('en')} bytes` }
        }),
      )
      return { server: name, uri, parts }
    },
    async attach(sessionId, parts) {
      const seen = await watched()
      const news = seen?.news(sessionId) ?? []
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
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).toWellFormed()}\n… ${text.length - MOST_SHOWN} more characters` : text
}
