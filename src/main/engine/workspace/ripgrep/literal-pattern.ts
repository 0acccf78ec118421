/** Where a match starts and ends, in bytes. */
export interface LiteralMatch {
  at: number
  end: number
}

/** A pattern that consists only of literal text, alternatives (`a|b`) and word boundaries (`\ba\b`). */
export interface LiteralPattern {
  /**
   * At most `max` matches, in order and without overlaps. If several alternatives match at the same byte, the first one
   * counts, as in a regular expression. Undefined if ripgrep has to search, because the matches depend on Unicode or
   * because it is faster.
   */
  matchesIn(bytes: Buffer, max?: number): LiteralMatch[] | undefined
}

interface Alternative {
  text: Buffer
  isWordStart: boolean
  isWordEnd: boolean
}

/** Each alternative takes another pass through the text. */
const MAX_ALTERNATIVES = 10
/**
 * A search for long text can compare most of it at every position: 9,000 characters took 3 s in a file of 500 KB. With
 * all alternatives together limited to this, it takes at most 0.1 s.
 */
const MAX_CHARS = 200
/** After this many consecutive occurrences that are not at word boundaries, ripgrep is faster. */
const MAX_INSIDE_WORDS = 5_000
const WORD_BOUNDARY = String.raw`\b`
/** Characters that are literal if escaped, both in ripgrep and in PCRE2. There are others. */
const LITERAL_WHEN_ESCAPED = '.*+?()[]{}^$|\\/-"\'#'
const HAS_A_MEANING = '.*+?()[{^$\\'
/** Other characters that match an ASCII letter if case is ignored: the Kelvin sign and the long s. */
const FOLDED_TO_ASCII = [Buffer.from('\u212a'), Buffer.from('\u017f')]

/**
 * Parses a regular expression for ripgrep as literal text; undefined if it is more than that, or not valid. If case is
 * ignored, only ASCII patterns are accepted, because bytes are compared.
 */
export function literalPattern(pattern: string, ignoreCase: boolean): LiteralPattern | undefined {
  if (pattern.length > MAX_CHARS) return undefined
  // Control characters and lone surrogates.
  if (/[^\t\x20-\x7e\u00a0-\uffff]/.test(pattern) || !pattern.isWellFormed()) return undefined
  if (ignoreCase && /[^\t\x20-\x7e]/.test(pattern)) return undefined
  const alternatives = alternativesOf(ignoreCase ? pattern.toLowerCase() : pattern)
  if (!alternatives) return undefined
  if (!ignoreCase) return { matchesIn: (bytes, max) => matchesIn(alternatives, bytes, max) }
  return {
    matchesIn: (bytes, max) =>
      FOLDED_TO_ASCII.some((each) => bytes.includes(each))
        ? undefined
        : matchesIn(alternatives, lowerCased(bytes), max),
  }
}

function alternativesOf(pattern: string): Alternative[] | undefined {
  const alternatives: Alternative[] = []
  let [text, isWordStart, isWordEnd] = ['', false, false]
  for (let at = 0; at <= pattern.length; at++) {
    const char = pattern[at]
    if (char === undefined || char === '|') {
      if (text === '' || alternatives.length === MAX_ALTERNATIVES) return undefined
      if ((isWordStart && !isAscii(text[0]!)) || (isWordEnd && !isAscii(text.at(-1)!))) return undefined
      alternatives.push({ text: Buffer.from(text), isWordStart, isWordEnd })
      ;[text, isWordStart, isWordEnd] = ['', false, false]
    } else if (isWordEnd) return undefined
    else if (pattern.startsWith(WORD_BOUNDARY, at)) {
      if (text === '') isWordStart = true
      else isWordEnd = true
      at++
    } else if (char === '\\') {
      const escaped = pattern[++at]
      if (escaped === undefined || !LITERAL_WHEN_ESCAPED.includes(escaped)) return undefined
      text += escaped
    } else if (HAS_A_MEANING.includes(char)) return undefined
    else text += char
  }
  return alternatives
}

function matchesIn(alternatives: readonly Alternative[], bytes: Buffer, max = Infinity): LiteralMatch[] | undefined {
  const found: LiteralMatch[] = []
  // Where each alternative matches next; searched again only after the last match has passed that position.
  const next = alternatives.map(() => -1)
  for (let from = 0; found.length < max;) {
    let first: LiteralMatch | undefined
    for (const [index, alternative] of alternatives.entries()) {
      if (next[index]! < from) {
        const at = nextMatch(alternative, bytes, from)
        if (at === undefined) return undefined
        next[index] = at
      }
      const at = next[index]!
      if (at < (first?.at ?? Infinity)) first = { at, end: at + alternative.text.length }
    }
    if (!first) break
    found.push(first)
    from = first.end
  }
  return found
}

/**
 * The position of the next match, or Infinity. Undefined if a character next to it is not ASCII, so that it is unknown
 * whether it belongs to a word, or if the search takes too long.
 */
function nextMatch({ text, isWordStart, isWordEnd }: Alternative, bytes: Buffer, from: number): number | undefined {
  let insideWords = 0
  for (let at = bytes.indexOf(text, from); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const starts = !isWordStart || isBoundary(bytes, at)
    const ends = !isWordEnd || isBoundary(bytes, at + text.length)
    if (starts === undefined || ends === undefined) return undefined
    if (starts && ends) return at
    if (++insideWords > MAX_INSIDE_WORDS) return undefined
  }
  return Infinity
}

/** Whether a word starts or ends at a byte; undefined if a character next to it is not ASCII. */
function isBoundary(bytes: Buffer, at: number): boolean | undefined {
  const [before, after] = [bytes[at - 1] ?? 0, bytes[at] ?? 0]
  return before > 0x7f || after > 0x7f ? undefined : isWordByte(before) !== isWordByte(after)
}

function isWordByte(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || (byte >= 48 && byte <= 57) || byte === 95
}

function isAscii(char: string): boolean {
  return char.charCodeAt(0) < 0x80
}

function lowerCased(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes)
  for (let at = 0; at < lower.length; at++) if (lower[at]! >= 65 && lower[at]! <= 90) lower[at]! += 32
  return lower
}
