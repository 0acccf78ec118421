import { mcpWord } from '../../../../shared/model/mcp-content'

export interface Mention {
  /** The server as it was written, see `mcpWord`. */
  server: string
  uri: string
}

/** As the composer finds them: `@` begins a mention only at the start of a word. */
const MENTION = /(?:^|[\s([{"'`])@(?:"([^"\n]+)"|([^\s"@]+))/g

/** Resources that a text mentions, each once. Only names of `servers` count: whatever else stands behind an `@` is a file, or nothing. */
export function mentionsIn(text: string, servers: readonly string[]): Mention[] {
  const words = new Set(servers.map(mcpWord))
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
export function withoutPunctuation(uri: string): string {
  return uri.replace(/[.,;:!?)\]}'`]+$/, '')
}
