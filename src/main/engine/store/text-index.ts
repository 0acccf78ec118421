import type { EventBody } from '../../../shared/events/event'
import type { SearchHit } from '../../../shared/model/session/session'
import type { Database } from './database/database'

/**
 * How much of a message is searchable, in UTF-16 units: indexing a long one (a pasted log) must not slow down the
 * append.
 */
const MAX_TEXT_CHARS = 256 * 1024

/** The searchable text of an event: what the user wrote and what the model answered; empty for all others. */
function searchText(event: EventBody): string {
  if (
    event.type !== 'turn.started' &&
    event.type !== 'step.finished' &&
    !(event.type === 'turn.steered' && event.by === 'user')
  )
    return ''
  if (event.type === 'turn.started' && event.news) return ''
  let text = ''
  for (const part of event.parts) if (part.type === 'text') text += text === '' ? part.text : `\n${part.text}`
  return text.slice(0, MAX_TEXT_CHARS)
}

/** The search index. It is filled inside the transaction of the append, so it always matches the log. */
export interface TextIndex {
  add(eventId: number | bigint, body: EventBody): void
  /** `isLeftOut`: whether a restore removed the event from its conversation; such hits are skipped. */
  search(
    query: string,
    limit: number,
    isLeftOut: (sessionId: string, seq: number) => boolean,
    sessionId?: string | null,
  ): SearchHit[]
}

interface HitRow {
  id: number
  sessionId: string
  title: string
  folder: string
  seq: number
  at: number
  body: string
}

export function createTextIndex(db: Database): TextIndex {
  const insert = insertion(db)
  // Newest first needs no ranking of all matches: reading stops at the limit.
  const find = db.prepare<[{ match: string; before: number; limit: number; sessionId: string | null }], HitRow>(`
    SELECT e.id, s.id AS sessionId, s.title, s.folder, e.seq, e.at, e.body
    FROM search JOIN event e ON e.id = search.rowid JOIN session s ON s.id = e.session_id AND s.removed = 0
    WHERE search MATCH @match AND search.rowid < @before AND (@sessionId IS NULL OR e.session_id = @sessionId)
    ORDER BY search.rowid DESC LIMIT @limit`)
  return {
    add(eventId, body) {
      const text = searchText(body)
      if (text !== '') insert.run(eventId, indexable(text))
    },
    search(query, limit, isLeftOut, sessionId = null) {
      const phrases = parseQuery(query)
      if (phrases.length === 0) return []
      const rows: HitRow[] = []
      for (let before = Number.MAX_SAFE_INTEGER; rows.length < limit;) {
        const next = find.all({ match: matchExpression(phrases), before, limit, sessionId })
        rows.push(...next.filter((hit) => !isLeftOut(hit.sessionId, hit.seq)))
        if (next.length < limit) break
        before = next.at(-1)!.id
      }
      return rows.slice(0, limit).map(({ body, id: _id, ...hit }) => {
        const event: EventBody = JSON.parse(body)
        return { ...hit, snippet: snippetOf(searchText(event), phrases) }
      })
    },
  }
}

/** Fills an empty index from the log, for the migration that adds the index. */
export function indexEvents(db: Database): void {
  const insert = insertion(db)
  const next = db.prepare<[number], { id: number; body: string }>(
    'SELECT id, body FROM event WHERE id > ? ' +
      "AND type IN ('turn.started', 'turn.steered', 'step.finished') ORDER BY id LIMIT 200",
  )
  let last = 0
  for (;;) {
    const rows = next.all(last)
    for (const { id, body } of rows) {
      const text = searchText(JSON.parse(body))
      if (text !== '') insert.run(id, indexable(text))
      last = id
    }
    if (rows.length === 0) return
  }
}

function insertion(db: Database) {
  return db.prepare<[number | bigint, string]>('INSERT INTO search (rowid, text) VALUES (?, ?)')
}

/** Words that must follow each other; `open`: the last one may be a prefix ("conf" finds "config"). */
interface Phrase {
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
function parseQuery(query: string): Phrase[] {
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
function matchExpression(phrases: readonly Phrase[]): string {
  return phrases.map(({ words, open }) => `"${words.join(' ')}"${open ? ' *' : ''}`).join(' AND ')
}

/** The part of `text` around the first match on one line, each match between U+0001 and U+0002. */
function snippetOf(text: string, phrases: readonly Phrase[]): string {
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

interface Word {
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
function indexable(text: string): string {
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
