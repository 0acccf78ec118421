import { CodedError } from '../../../shared/errors'
import { cutText } from '../../../shared/cut-text'
import { nearest } from '../../../shared/nearest'
import {
  MEMORY_LIMITS,
  type MemoryContent,
  type MemoryDetails,
  type MemoryEntry,
  type MemoryFilter,
  type MemoryOverview,
  type MemoryPage,
  type MemorySource,
} from '../../../shared/model/assistant/memory'
import type { MemoryOrigin, MemoryRows, MemoryWords, WordMatch } from '../store/rows/memory-rows'
import { rankEntries } from './rank-entries'
import { recallEntries, type Recall, type RecallRequest } from './recall'
import { secretIn } from './secret/secret-text'
import { isTelling, stem, wordsOf } from './words'

/** The words of an entry in the search indexes. */
function entryWords({ key, category = '', text }: Pick<MemoryContent, 'key' | 'category' | 'text'>): MemoryWords {
  const [name, content] = [wordsOf(`${key} ${category}`), wordsOf(text)]
  return {
    stems: [...new Set([...name, ...content.filter(isTelling)].map(stem))].join(' '),
    words: [...new Set([...name, ...content])].join(' '),
  }
}

/** Maximum words in a search; people type fewer. */
const MAX_TERMS = 12

/** A user's search: all words must match, each by a form of the word or by its start. */
function searchMatches(query: string): WordMatch[] {
  const words = [...new Set(wordsOf(query.slice(0, 500)))].slice(0, MAX_TERMS)
  return words.map((word) => ({ stems: `"${stem(word)}"`, words: `"${word}" *` }))
}

/** How long a deleted entry can be restored. */
const KEEP_DELETED_MS = 30 * 24 * 60 * 60 * 1000
const MAX_VERSIONS_SHOWN = 50
/** How many characters of the text become the key of an entry that was learned without one. */
const LEARNED_KEY_CHARS = 60

/** Content that an agent or a user wants to store. */
export type NewMemory = Pick<MemoryContent, 'key' | 'text' | 'category' | 'folder'>

export interface StoredMemory {
  entry: MemoryEntry
  change: 'created' | 'changed' | 'unchanged'
}

/** The memory across sessions. Failures are `CodedError`s. `folder` undefined: for all projects. */
export interface Memory {
  /** Stores a text under a key, replacing the previous one. Throws `memory.secret` if it looks like a secret. */
  store(content: NewMemory, origin: MemoryOrigin): StoredMemory
  /** Stores a text under a key from its category and first words. Storing the same text again changes nothing. */
  learn(content: Omit<NewMemory, 'key'>, origin: MemoryOrigin): StoredMemory
  /** Records that an entry was right and useful. */
  reinforce(folder: string | undefined, key: string, at: number): MemoryEntry
  /** Deletes the project's entry with this key or, without one, the entry for all projects. */
  forget(folder: string | undefined, key: string, origin: MemoryOrigin): MemoryEntry
  /** The entries that match an agent's query, best first. */
  search(query: string, scope: { folder: string | undefined; now: number; limit: number }): MemoryEntry[]
  /** The recall for the next message of a session. Entries included because of matching words count as used. */
  recall(request: RecallRequest): Recall | undefined

  list(filter: MemoryFilter, offset: number, limit: number): MemoryPage
  details(id: number): MemoryDetails
  overview(budgetBytes: number): MemoryOverview
  /** Changes an entry that the user selected. */
  change(id: number, content: NewMemory, origin: MemoryOrigin): MemoryEntry
  remove(ids: readonly number[], origin: MemoryOrigin): number
  restore(ids: readonly number[], origin: MemoryOrigin): number
  /** Permanently deletes entries that are already deleted. */
  purge(ids: readonly number[]): number
}

/** The user's actions on the memory, in any host. Failures are `CodedError`s. */
export interface MemoryActions {
  list(filter: MemoryFilter, offset: number, limit: number): Promise<MemoryPage>
  details(id: number): Promise<MemoryDetails>
  overview(): Promise<MemoryOverview>
  add(content: MemoryContent): Promise<MemoryEntry>
  change(id: number, content: MemoryContent): Promise<MemoryEntry>
  remove(ids: readonly number[]): Promise<number>
  restore(ids: readonly number[]): Promise<number>
  purge(ids: readonly number[]): Promise<number>
}

export interface MemoryDeps {
  rows: MemoryRows
  now(): number
  /** The session and message that an entry came from. */
  sourceOf(sessionId: string, seq: number | undefined): MemorySource
}

export function createMemory({ rows, now, sourceOf }: MemoryDeps): Memory {
  rows.purge({ deletedBefore: now() - KEEP_DELETED_MS })

  function store(given: NewMemory, origin: MemoryOrigin): StoredMemory {
    const content = checked(given)
    return rows.transaction(() => {
      const known = rows.find(content.folder, content.key)
      if (known && isSame(known, content)) return { entry: known, change: 'unchanged' }
      if (known)
        return { entry: rows.write(known.id, content, entryWords(content), origin, 'changed'), change: 'changed' }
      if (rows.count() >= MEMORY_LIMITS.entries)
        throw new CodedError(
          'memory.full',
          `${MEMORY_LIMITS.entries.toLocaleString('en')} entries are remembered already.`,
        )
      const deleted = rows.findDeleted(content.folder, content.key)
      const entry = deleted
        ? rows.write(deleted.id, content, entryWords(content), origin, 'restored')
        : rows.insert(content, entryWords(content), origin)
      return { entry, change: 'created' }
    })
  }

  /** The entry with this key that applies to a session in the folder. */
  function seen(folder: string | undefined, key: string): MemoryEntry {
    const name = cleanKey(key)
    const found = (folder === undefined ? undefined : rows.find(folder, name)) ?? rows.find(undefined, name)
    if (found) return found
    const folders = folder === undefined ? [undefined] : [folder, undefined]
    const close = nearest(name, rows.keys(folders, 5000), 3)
    const advice = close.length === 0 ? '' : ` Similar keys: ${close.map((one) => JSON.stringify(one)).join(', ')}.`
    throw new CodedError('memory.not_found', `Nothing is remembered under the key ${JSON.stringify(name)}.${advice}`)
  }

  function required(id: number): MemoryEntry {
    const entry = rows.get(id)
    if (!entry) throw new CodedError('memory.not_found', `There is no memory with the number ${id}.`)
    return entry
  }

  return {
    store,
    learn(given, origin) {
      const category = given.category?.trim() ?? ''
      const key = learnedKey(rows, category, given)
      return store({ ...given, category, key }, origin)
    },
    reinforce(folder, key, at) {
      const { id } = seen(folder, key)
      rows.used([id], at, 'reinforced')
      return required(id)
    },
    forget: (folder, key, origin) => rows.transaction(() => rows.remove(seen(folder, key).id, origin)),
    search(query, { folder, now: at, limit }) {
      const found = rankEntries(rows, query, { folder, now: at, limit }).map(({ entry }) => entry)
      rows.used(
        found.map(({ id }) => id),
        at,
        'found',
      )
      return found
    },
    recall(request) {
      const recall = recallEntries(rows, request)
      if (recall) rows.used(recall.matched, request.now, 'shown')
      return recall
    },
    list: (filter, offset, limit) => {
      const match = filter.query === undefined ? [] : searchMatches(filter.query)
      // The query has only characters that no entry can match.
      if (filter.query !== undefined && filter.query.trim() !== '' && match.length === 0 && !filter.deleted)
        return { entries: [], total: 0 }
      return rows.list(filter, match, offset, limit)
    },
    details(id) {
      const entry = required(id)
      return {
        entry,
        versions: rows.versions(id, MAX_VERSIONS_SHOWN),
        ...(entry.sessionId !== undefined && { source: sourceOf(entry.sessionId, entry.seq) }),
      }
    },
    overview: (budgetBytes) => ({ ...rows.overview(), budgetBytes }),
    change(id, given, origin) {
      const content = checked(given)
      return rows.transaction(() => {
        const entry = required(id)
        const other = rows.find(content.folder, content.key)
        if (other && other.id !== id)
          throw new CodedError(
            'memory.key_taken',
            `There is an entry with the key ${JSON.stringify(content.key)} already.`,
          )
        return isSame(entry, content) ? entry : rows.write(id, content, entryWords(content), origin, 'changed')
      })
    },
    remove: (ids, origin) =>
      rows.transaction(() => {
        const present = ids.filter((id) => rows.get(id)?.deletedAt === undefined && rows.get(id) !== undefined)
        for (const id of present) rows.remove(id, origin)
        return present.length
      }),
    restore: (ids, origin) =>
      rows.transaction(() => {
        let restored = 0
        for (const id of ids) {
          const entry = required(id)
          if (entry.deletedAt === undefined) continue
          if (rows.find(entry.folder, entry.key))
            throw new CodedError(
              'memory.key_taken',
              `There is a newer entry with the key ${JSON.stringify(entry.key)}.`,
            )
          rows.write(id, entry, entryWords(entry), origin, 'restored')
          restored += 1
        }
        return restored
      }),
    purge: (ids) => rows.transaction(() => ids.reduce((sum, id) => sum + rows.purge({ id }), 0)),
  }
}

/**
 * Validates the content and returns it as stored. Throws `request.invalid` if it is empty or too long, and
 * `memory.secret`.
 */
function checked({ key, text, category, folder }: NewMemory): MemoryContent {
  const content = {
    key: cleanKey(key),
    text: text.trim(),
    ...(category !== undefined && category.trim() !== '' && { category: category.trim() }),
    ...(folder !== undefined && { folder }),
  }
  const { keyChars, textChars, categoryChars } = MEMORY_LIMITS
  for (const [name, value, most] of [
    ['key', content.key, keyChars],
    ['text', content.text, textChars],
    ['category', content.category ?? '-', categoryChars],
  ] as const) {
    if (value === '') throw new CodedError('request.invalid', `${name}: it is empty.`)
    if (value.length > most)
      throw new CodedError(
        'request.invalid',
        `${name}: it has ${value.length} characters; at most ${most} are remembered.`,
      )
  }
  const secret = secretIn(content.text, content.key) ?? secretIn(content.category ?? '')
  if (secret !== undefined)
    throw new CodedError('memory.secret', `This looks like ${secret}, which is never remembered.`)
  return content
}

function cleanKey(key: string): string {
  return key.trim().replaceAll(/\s+/g, ' ')
}

function isSame(entry: MemoryEntry, { key, text, category, folder }: MemoryContent): boolean {
  return entry.key === key && entry.text === text && entry.category === category && entry.folder === folder
}

/** A key for learned content: its category and first words, with a number if another text has that key. */
function learnedKey(rows: MemoryRows, category: string, { text, folder }: Omit<NewMemory, 'key'>): string {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  const cut =
    words.length <= LEARNED_KEY_CHARS
      ? words
      : cutText(words, LEARNED_KEY_CHARS)
          .replace(/\s+\S*$/, '')
          .toWellFormed()
  const base = cutText(`${category === '' ? '' : `${category}: `}${cut}`, MEMORY_LIMITS.keyChars - 4).trim()
  for (let n = 1; ; n += 1) {
    const key = n === 1 ? base : `${base} ${n}`
    const known = rows.find(folder, key)
    if (!known || known.text === text.trim()) return key
  }
}
