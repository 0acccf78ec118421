import { textBytes } from '../../test/support/strict-model.ts'

/**
 * What requests cost with a provider that keeps what it has read, as Anthropic sells it: a cache of prefixes, exact to
 * the byte. No tokens are counted twice: each is read from the cache, written to it, or neither.
 */

/** Dollars per million tokens. */
export interface CachePrices {
  input: number
  write: number
  read: number
}

/** A request in the order in which it is cached: tools, instructions, messages. */
export interface CachedRequest {
  pieces: readonly string[]
  /** What the model reads of each, in bytes. */
  bytes: readonly number[]
  /**
   * How many of the pieces end at a mark of the request: only there something is stored, and found by later requests.
   */
  marks: readonly number[]
}

interface RequestBody {
  tools?: unknown[]
  system?: string | unknown[]
  messages: { role: string; content: string | unknown[] }[]
}

const MARK = /,?"cache_control":\{[^}]*\}/g

/** The body of a request to Anthropic as the cache sees it. */
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

/** How far a provider looks back from each mark for what an earlier request has stored, in pieces. */
const LOOKS_BACK = 20

/**
 * Dollars for a row of requests. `marked`: only what ends at a mark is stored and found, as the provider does it; else
 * everything that was sent before in the same form is read from the cache, and everything else written to it.
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

/** The furthest mark of the earlier request within the common beginning that this one looks at. */
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
