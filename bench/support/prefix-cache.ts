import { textBytes } from '../../test/support/strict-model.ts'

/**
 * The cost of requests with a provider that caches prefixes, as Anthropic's pricing does: an exact match, byte for
 * byte. No tokens are counted twice: each is read from the cache, written to it, or neither.
 */

/** Dollars per million tokens. */
export interface CachePrices {
  input: number
  write: number
  read: number
}

/** A request in cache order: tools, instructions, messages. */
export interface CachedRequest {
  pieces: readonly string[]
  /** The size of each for the model, in bytes. */
  bytes: readonly number[]
  /**
   * How many of the pieces end at a cache mark of the request: only there is something stored, and found by later
   * requests.
   */
  marks: readonly number[]
}

interface RequestBody {
  tools?: unknown[]
  system?: string | unknown[]
  messages: { role: string; content: string | unknown[] }[]
}

const MARK = /,?"cache_control":\{[^}]*\}/g

/** The body of a request to Anthropic, for the cache. */
export function cachedRequest(body: Record<string, unknown>): CachedRequest {
  const { tools = [], system = [], messages } = body as unknown as RequestBody
  const pieces: string[] = []
  const bytes: number[] = []
  const marks: number[] = []
  const add = (before: string, value: unknown): void => {
    const text = JSON.stringify(value)
    const plain = text.replaceAll(MARK, '')
    pieces.push(before + plain)
    bytes.push(before === 'tool ' ? Buffer.byteLength(plain) : textBytes(JSON.parse(plain)))
    if (text.includes('"cache_control"')) marks.push(pieces.length)
  }
  for (const tool of tools) add('tool ', tool)
  for (const block of typeof system === 'string' ? [system] : system) add('system ', block)
  for (const { role, content } of messages)
    for (const block of typeof content === 'string' ? [content] : content) add(`${role} `, block)
  return { pieces, bytes, marks }
}

/** How many pieces a provider looks back from each mark for the cache entry of an earlier request. */
const LOOKS_BACK = 20

/**
 * Dollars for a series of requests. `marked`: only what ends at a mark is stored and found, as the provider does it;
 * otherwise everything that was sent before in the same form is read from the cache, and everything else is written to
 * it.
 */
export function costOf(
  requests: readonly CachedRequest[],
  bytesPerToken: number,
  prices: CachePrices,
  marked: boolean,
): { dollars: number; fresh: number } {
  const tokens = (bytes: readonly number[]): number => bytes.reduce((sum, one) => sum + one, 0) / bytesPerToken
  let dollars = 0
  let fresh = 0
  for (const [index, { pieces, bytes, marks }] of requests.entries()) {
    let read = 0
    for (const earlier of requests.slice(0, index).toReversed()) {
      const same = sameBeginning(pieces, earlier.pieces)
      const found = marked ? storedAt(same, earlier.marks, marks) : same
      read = Math.max(read, found)
      if (same === earlier.pieces.length) break
    }
    const written = marked ? Math.max(read, marks.at(-1) ?? 0) : pieces.length
    const [old, made, rest] = [
      tokens(bytes.slice(0, read)),
      tokens(bytes.slice(read, written)),
      tokens(bytes.slice(written)),
    ]
    dollars += (old * prices.read + made * prices.write + rest * prices.input) / 1_000_000
    fresh += made + rest
  }
  return { dollars, fresh }
}

/** The last mark of the earlier request in the common prefix that this request looks up. */
function storedAt(same: number, stored: readonly number[], marks: readonly number[]): number {
  return (
    stored.findLast((place) => place <= same && marks.some((mark) => place <= mark && mark - place <= LOOKS_BACK)) ?? 0
  )
}

function sameBeginning(one: readonly string[], other: readonly string[]): number {
  let same = 0
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1
  return same
}
