import type { MemoryEntry } from '../../../shared/model/assistant/memory'
import { placeWord, type MemoryRows } from '../store/rows/memory-rows'
import { isTelling, stem, wordsOf } from './words'
import table from '../../../../resources/memory/similar-words.txt?raw'

/** The weight of an entry that contains only a similar word, or only a word that the searched word leads to. */
const SIMILAR = 0.55
const LEADS_TO = 0.4

let words: Map<string, Map<string, number>> | undefined

/** Stems of similar words, each with its weight below 1. The table is read on first use. */
function similarWords(stemmed: string): ReadonlyMap<string, number> {
  return (words ??= readTable()).get(stemmed) ?? NONE
}

const NONE: ReadonlyMap<string, number> = new Map()

function readTable(): Map<string, Map<string, number>> {
  const stems = new Map<string, string>()
  const stemOnce = (word: string): string => {
    let known = stems.get(word)
    if (known === undefined) stems.set(word, (known = stem(word)))
    return known
  }
  const read = new Map<string, Map<string, number>>()
  for (const line of table.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [group = [], others] = line.split(' > ').map((part) => part.split(' ').map(stemOnce))
    for (const word of group) {
      let similar = read.get(word)
      if (!similar) read.set(word, (similar = new Map()))
      const weight = others ? LEADS_TO : SIMILAR
      for (const other of others ?? group)
        if (other !== word && (similar.get(other) ?? 0) < weight) similar.set(other, weight)
    }
  }
  return read
}

/** An entry with its score for a text; scores are comparable only within one ranking. */
export interface RankedEntry {
  entry: MemoryEntry
  score: number
}

/** How many words of a text are looked up, so that a pasted file does not take long. */
const MAX_WORDS = 48
/** How many characters of a text are read, half from its start and half from its end. */
const MAX_CHARS = 8_000
/** Words in more entries than this are not distinctive, so only their newest entries are used. */
const MAX_MATCHES = 250
/** How many entries are read for exact ranking. */
const MAX_CANDIDATES = 120
/** The weight of a word that only starts with the searched word. */
const PREFIX = 0.5
const DAY_MS = 24 * 60 * 60 * 1000

type Source = Pick<MemoryRows, 'matching' | 'byIds' | 'count'>

/** The entries that match a text, best first, from the project and for all projects. */
export function rankEntries(
  rows: Source,
  text: string,
  { folder, now, limit }: { folder: string | undefined; now: number; limit: number },
): RankedEntry[] {
  const asked = askedWords(text)
  if (asked.length === 0) return []
  const total = Math.max(1, rows.count())
  const rough = new Map<number, number>()
  const rarity = new Map<string, number>()
  for (const { forms } of asked) {
    const best = new Map<number, number>()
    for (const [form, weight] of forms) {
      const ids = matches(rows, form, folder)
      const value = Math.log(1 + (total - ids.length + 0.5) / (ids.length + 0.5))
      rarity.set(form, value)
      for (const id of ids) best.set(id, Math.max(best.get(id) ?? 0, value * weight))
    }
    for (const [id, value] of best) rough.set(id, (rough.get(id) ?? 0) + value)
  }
  const candidates = [...rough].toSorted((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, MAX_CANDIDATES)
  return rows
    .byIds(candidates.map(([id]) => id))
    .filter((entry) => entry.folder === undefined || entry.folder === folder)
    .map((entry) => ({ entry, score: exactScore(entry, asked, rarity) * standing(entry, now) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.entry.updatedAt - a.entry.updatedAt || b.entry.id - a.entry.id)
    .slice(0, limit)
}

/** A word of the text with the forms to search for and their weights; a form that ends with `*` is a prefix. */
interface AskedWord {
  forms: ReadonlyMap<string, number>
}

function askedWords(text: string): AskedWord[] {
  const read = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS / 2)} ${text.slice(-MAX_CHARS / 2)}` : text
  const stems = new Set<string>()
  for (const word of wordsOf(read)) {
    if (isTelling(word)) stems.add(stem(word))
    if (stems.size === MAX_WORDS) break
  }
  // In a long text, similar words would only add noise.
  const isLong = stems.size > 16
  return [...stems].map((word) => {
    const forms = new Map<string, number>([[word, 1]])
    if (isLong) return { forms }
    for (const [other, weight] of similarWords(word)) forms.set(other, weight)
    if (word.length >= 5) forms.set(`${word}*`, PREFIX)
    return { forms }
  })
}

/** The newest entries with a word; of a common word, only those that the session can see. */
function matches(rows: Source, form: string, folder: string | undefined): number[] {
  const isPrefix = form.endsWith('*')
  const term = isPrefix ? `"${form.slice(0, -1)}" *` : `"${form}"`
  const ids = rows.matching(term, MAX_MATCHES)
  if (ids.length < MAX_MATCHES) return ids
  const places = [placeWord(undefined), ...(folder === undefined ? [] : [placeWord(folder)])]
  return rows.matching(`${term} AND (${places.join(' OR ')})`, MAX_MATCHES)
}

/**
 * The sum, over the searched words, of the best matching form's weight. Words in the key and in short entries count
 * more.
 */
function exactScore(
  { key, category = '', text }: MemoryEntry,
  asked: readonly AskedWord[],
  rarity: ReadonlyMap<string, number>,
): number {
  const inKey = new Set(wordsOf(`${key} ${category}`).map(stem))
  const words = wordsOf(text).filter(isTelling)
  const inText = new Set(words.map(stem))
  let sum = 0
  let hit = 0
  for (const { forms } of asked) {
    let best = 0
    for (const [form, weight] of forms) {
      const place = has(inKey, form) ? 1.4 : has(inText, form) ? 1 : 0
      best = Math.max(best, place * weight * (rarity.get(form) ?? 0))
    }
    sum += best
    if (best > 0) hit += 1
  }
  const length = inKey.size + words.length
  return (sum * (0.7 + 0.3 * (hit / asked.length))) / (0.8 + 0.2 * (length / 12))
}

function has(words: ReadonlySet<string>, form: string): boolean {
  if (!form.endsWith('*')) return words.has(form)
  const prefix = form.slice(0, -1)
  for (const word of words) if (word.startsWith(prefix)) return true
  return false
}

/** A small bonus for entries that were used, are recent, or belong to the project, to decide between equal scores. */
export function standing({ uses, shown, usedAt = 0, updatedAt, folder }: MemoryEntry, now: number): number {
  const days = Math.max(0, now - Math.max(usedAt, updatedAt)) / DAY_MS
  return (
    (1 + 0.08 * Math.log2(1 + uses) + 0.02 * Math.log2(1 + shown)) *
    (1 + 0.08 * 2 ** (-days / 30)) *
    (folder === undefined ? 1 : 1.08)
  )
}
