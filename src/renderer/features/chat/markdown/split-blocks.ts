import type { Lexer, Links, Token, Tokens } from 'marked'
import { createLexer } from './markdown-lexer'

/** A block that is rendered separately. `key` is its offset in the text, which stays while the text grows. */
export interface Block {
  key: number
  token: Token
  /** It continues the previous block (a list or paragraph split because of its length): no space between them. */
  joined: boolean
}

/** Blocks of a text, and the state needed to continue when the text grows. */
export interface SplitText {
  text: string
  blocks: readonly Block[]
  /** Blocks before this index will not change while text is only appended. */
  settled: number
  /** Offset of the first block that may still change. */
  offset: number
  links: Links
}

/** Longer paragraphs and lists are split, so that no block is slow to lay out or parse again. */
const LONG_BLOCK = 6000
const PIECE = 4000

/** The split of an empty text. */
export const NOTHING: SplitText = { text: '', blocks: [], settled: 0, offset: 0, links: {} }

/** Tokens that continue in the next block. */
const CUT = new WeakSet<Token>()

/**
 * Splits Markdown into blocks. Given the split of an earlier, shorter text, it parses only what may have changed:
 * settled blocks keep their identity, so that a memoized view renders only the end of a growing answer.
 */
export function splitBlocks(source: string, before: SplitText = NOTHING): SplitText {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  const base = text.startsWith(before.text) ? before : NOTHING
  if (base !== NOTHING && base.text === text) return base
  const { tokens, links } = read(copied(text.slice(base.offset)), base.links)
  const blocks = base.blocks.slice(0, base.settled)
  let key = base.offset
  let joined = CUT.has(blocks.at(-1)?.token ?? NO_TOKEN)
  const open: Block[] = []
  for (const token of tokens) {
    if (token.type !== 'space' && token.type !== 'def') {
      open.push({ key, token, joined })
      joined = CUT.has(token)
    }
    key += token.raw.length
  }
  // The last two blocks may still change type: a paragraph into a table, two lists into one.
  const kept = Math.min(2, open.length)
  const from = open[open.length - kept]?.key ?? base.offset
  blocks.push(...open)
  // Sometimes (tabs, whitespace at the end of lists) a token differs from the source text, so the position to continue
  // from is unknown.
  const exact = open.slice(0, -kept).every((block) => text.startsWith(block.token.raw, block.key))
  const settled = exact ? blocks.length - kept : base.settled
  return keepSame(
    exact ? { text, blocks, settled, offset: from, links } : { ...base, text, blocks, settled },
    base.blocks,
    base.settled,
  )
}

/**
 * A split with those blocks of an earlier one that say the same, from an index on: they are not rendered again. Equal
 * source is not enough, as a link's address can come later in the text.
 */
export function keepSame(split: SplitText, before: readonly Block[], from = 0): SplitText {
  const known = new Map(before.slice(from).map((block) => [block.key, block]))
  const blocks = split.blocks.map((block, index) => {
    const old = index < from ? undefined : known.get(block.key)
    return old &&
      old.joined === block.joined &&
      isSame(old.token, block.token) &&
      CUT.has(old.token) === CUT.has(block.token)
      ? old
      : block
  })
  return { ...split, blocks }
}

/** Whether two tokens, or parts of them, are equal. They are trees. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  )
}

const NO_TOKEN: Token = { type: 'space', raw: '' }

/**
 * A copy of a text's end. Without it, every settled block, whose text is a slice of a slice, would keep the whole
 * answer of that moment in memory.
 */
function copied(text: string): string {
  return ` ${text}`.slice(1)
}

function read(source: string, known: Links): { tokens: Token[]; links: Links } {
  const lexer = createLexer()
  Object.assign(lexer.tokens.links, known)
  const tokens = lexer.blockTokens(source, lexer.tokens).flatMap((token) => cutParagraph(token, lexer).flatMap(cutList))
  // Like lexer.lex, but lexes a long run of inline text in parts: doing it at once takes more than linear time.
  for (const { src, tokens: into } of lexer.inlineQueue)
    for (const piece of pieces(src)) lexer.inlineTokens(piece, into)
  return { tokens, links: { ...lexer.tokens.links } }
}

function cutParagraph(token: Token, lexer: Lexer): Token[] {
  if (token.type !== 'paragraph' || token.raw.length <= LONG_BLOCK) return [token]
  lexer.inlineQueue = lexer.inlineQueue.filter((entry) => entry.tokens !== token.tokens)
  return markCut(
    pieces(token.raw).map((raw) => {
      const piece: Tokens.Paragraph = { type: 'paragraph', raw, text: raw, tokens: [] }
      lexer.inlineQueue.push({ src: raw, tokens: piece.tokens })
      return piece
    }),
  )
}

function cutList(token: Token): Token[] {
  if (!isList(token) || token.raw.length <= LONG_BLOCK) return [token]
  const lists: Tokens.List[] = []
  let start = typeof token.start === 'number' ? token.start : 1
  let items: Tokens.ListItem[] = []
  let raw = ''
  const close = (): void => {
    if (items.length === 0) return
    lists.push({ ...token, raw, items, start: token.ordered ? start : '' })
    start += items.length
    items = []
    raw = ''
  }
  for (const item of token.items) {
    items.push(item)
    raw += item.raw
    if (raw.length >= PIECE) close()
  }
  close()
  return markCut(lists)
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list'
}

function markCut<Piece extends Token>(parts: Piece[]): Piece[] {
  for (const part of parts.slice(0, -1)) CUT.add(part)
  return parts
}

function pieces(text: string): string[] {
  const found: string[] = []
  let start = 0
  while (text.length - start > LONG_BLOCK) {
    const end = start + pieceLength(text.slice(start, start + PIECE))
    found.push(text.slice(start, end))
    start = end
  }
  found.push(text.slice(start))
  return found
}

/** Where to split a long text: after a line, a sentence or a word; never inside a character. */
function pieceLength(piece: string): number {
  for (const sign of ['\n', '. ', ' ']) {
    const at = piece.lastIndexOf(sign)
    if (at > PIECE / 2) return at + sign.length
  }
  const code = piece.charCodeAt(piece.length - 1)
  return code >= 0xd800 && code <= 0xdbff ? piece.length - 1 : piece.length
}
