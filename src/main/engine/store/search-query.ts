/** Words that must follow each other; `open`: the last one may be a prefix ("conf" finds "config"). */
export interface Phrase {
  words: string[]
  open: boolean
}

const MAX_PHRASES = 16
const BEFORE = 50
const LENGTH = 180

/**
 * Parses a search: every term must match; "quoted terms" match exactly, the last word of other terms may be a prefix.
 * Operators of FTS5 have no meaning here. Empty when the query has no words.
 */
export function parseQuery(query: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const [term, quoted] of query.slice(0, 1000).matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const words = Array.from(wordsOf(quoted ?? term), (word) => word.folded)
    if (words.length === 0) continue
    // A prefix needs two letters: a single letter would scan half of the index.
    phrases.push({ words, open: quoted === undefined && (words.at(-1)?.length ?? 0) > 1 })
    if (phrases.length === MAX_PHRASES) break
  }
  return phrases
}

/** The phrases as an FTS5 expression; safe without escaping, because words are letters and digits only. */
export function matchExpression(phrases: readonly Phrase[]): string {
  return phrases.map(({ words, open }) => `"${words.join(' ')}"${open ? ' *' : ''}`).join(' AND ')
}

/** The part of `text` around the first match on one line, each match between U+0001 and U+0002. */
export function snippetOf(text: string, phrases: readonly Phrase[]): string {
  const first = matchesIn(text, phrases).next().value
  const from = first && first.start > BEFORE ? clean(text, wordStart(text, first.start - BEFORE)) : 0
  const to = clean(text, Math.min(text.length, from + LENGTH))
  const cut = text.slice(from, to)
  let out = ''
  let done = 0
  for (const { start, end } of matchesIn(cut, phrases)) {
    if (start < done) continue
    out += `${plain(cut.slice(done, start))}\u0001${plain(cut.slice(start, end))}\u0002`
    done = end
  }
  out = (out + plain(cut.slice(done))).trim()
  return `${from > 0 ? '…' : ''}${out}${to < text.length ? '…' : ''}`
}

function* matchesIn(text: string, phrases: readonly Phrase[]): Generator<{ start: number; end: number }> {
  const longest = Math.max(0, ...phrases.map((phrase) => phrase.words.length))
  const recent: { folded: string; start: number; end: number }[] = []
  for (const word of wordsOf(text)) {
    recent.push(word)
    if (recent.length > longest) recent.shift()
    for (const { words, open } of phrases) {
      const begin = recent[recent.length - words.length]
      if (!begin) continue
      const offset = recent.length - words.length
      const fits = words.every((wanted, index) => {
        const seen = recent[offset + index]?.folded
        return seen === wanted || (open && index === words.length - 1 && seen?.startsWith(wanted) === true)
      })
      if (!fits) continue
      yield { start: begin.start, end: word.end }
      break
    }
  }
}

/** Moves forward to the next word if one is near, so that the snippet does not start within a word. */
function wordStart(text: string, position: number): number {
  const space = text.slice(position, position + 20).search(/\s/)
  return space < 0 ? position : position + space + 1
}

/** Moves the position out of a surrogate pair. */
function clean(text: string, position: number): number {
  const code = text.charCodeAt(position)
  return code >= 0xdc00 && code <= 0xdfff ? position - 1 : position
}

function plain(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ')
}

/**
 * The definition of a word for texts, queries and snippets: a run of letters and digits, folded (case, accents,
 * full-width forms). Each character of a script that is written without spaces, and each emoji, is a separate word, so
 * that part of a Chinese sentence can be found.
 */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const ALONE = String.raw`${SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}\p{Extended_Pictographic}`
const WORDS = new RegExp(String.raw`[${ALONE}]|[[\p{L}\p{N}\p{M}\p{Co}]--[${ALONE}]]+`, 'gv')
const ASCII_WORDS = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /\P{ASCII}/u

export interface Word {
  folded: string
  start: number
  end: number
}

/** The words of a text, in order and lazily. */
function* wordsOf(text: string): Generator<Word> {
  const plain = !BEYOND_ASCII.test(text)
  for (const match of text.matchAll(plain ? ASCII_WORDS : WORDS)) {
    const folded = plain ? match[0].toLowerCase() : fold(match[0])
    if (folded !== '') yield { folded, start: match.index, end: match.index + match[0].length }
  }
}

/** A text in the form that the index needs: SQLite splits ASCII itself; other text is split and folded here. */
export function indexable(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.replaceAll('\u0000', ' ')
  const words: string[] = []
  for (const word of wordsOf(text)) words.push(word.folded)
  return words.join(' ')
}

/** Normalization may add spaces and punctuation (`⑴` becomes `(1)`): only word characters are kept. */
function fold(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase()
  return word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}\p{Co}\p{Extended_Pictographic}]+/gu, '')
    .toLowerCase()
}
