import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FilteredFiles } from '../../../../shared/model/project/file-view'
import { projectFiles } from '../../workspace/ripgrep/project-files'

/** Age in ms after which a list is refreshed; the old one is used until the new one is ready. */
const FRESH_MS = 5_000
/** The refresh starts after this many ms without a filter call. */
const PAUSE_MS = 800
/** An unused list is released after this many ms. */
const KEEP_MS = 120_000
const MAX_QUERY = 200
/** How many ms a filter waits for the first list before it answers from the files found so far. */
const WAIT_MS = 15
/** How many paths are prepared without a pause. */
const AT_ONCE = 5_000

/** The files of a folder, prepared for filtering. */
interface FileList {
  paths: readonly string[]
  /** In lower case. */
  folded: readonly string[]
  /** Where the file name starts in each path. */
  nameAt: ArrayLike<number>
  /** The matches of the last filter: an extended filter can only match some of them. */
  last?: { query: string; rows: Int32Array; takesLetters: boolean }
}

/** The files found while the first list is created. */
interface Growing {
  paths: string[]
  folded: string[]
  nameAt: number[]
}

interface Kept {
  list: Promise<FileList>
  /** Set until the list is ready. */
  growing?: Growing
  made: number
  /** Lists the files again once the user has stopped typing for a while. */
  refresh?: NodeJS.Timeout
  timer: NodeJS.Timeout
}

/** Filters the files of projects as the user types. Lists are kept while they are used. */
export class FileFilter {
  readonly #kept = new Map<string, Kept>()
  readonly #filesOf: typeof projectFiles

  constructor(filesOf = projectFiles) {
    this.#filesOf = filesOf
  }

  /** Lists the files of a folder now, so that the first filter doesn't wait. */
  async prepare(root: string): Promise<number> {
    return (await this.#listOf(root)).paths.length
  }

  /**
   * The files below `root` (its real path) that match `query`, best first: the path must contain all words, in any
   * order; a single word also matches if its letters occur in this order. Ignored and sensitive files are omitted.
   * `early`: during the first listing, answers from the files found so far.
   */
  async filter(root: string, query: string, limit: number, early = false): Promise<FilteredFiles> {
    const short = query.slice(0, MAX_QUERY)
    const listed = this.#listOf(root)
    const growing = this.#kept.get(root)?.growing
    // There are enough files for a first page of results, so the key press does not wait for the rest.
    const waitMs = growing && growing.paths.length >= limit ? 0 : WAIT_MS
    const list = growing && early ? await within(listed, waitMs) : await listed
    if (list) return filterList(list, short, limit)
    return { ...filterList({ ...growing! }, short, limit), partial: true }
  }

  close(): void {
    for (const { timer, refresh } of this.#kept.values()) {
      clearTimeout(timer)
      clearTimeout(refresh)
    }
    this.#kept.clear()
  }

  #listOf(root: string): Promise<FileList> {
    const known = this.#kept.get(root)
    if (!known) {
      const growing: Growing = { paths: [], folded: [], nameAt: [] }
      const list = this.#keep(root, makeList(this.#filesOf(root, (some) => grow(growing, some))))
      const kept = this.#kept.get(root)!
      kept.growing = growing
      const end = (): void => void delete kept.growing
      list.then(end, end)
      return list
    }
    known.timer.refresh()
    if (performance.now() - known.made > FRESH_MS) {
      // Listing 128,000 files takes a second of processor time, which must not delay the next key press.
      if (known.refresh) known.refresh.refresh()
      else
        known.refresh = setTimeout(
          () => void this.#replace(root, known, makeList(this.#filesOf(root))),
          PAUSE_MS,
        ).unref()
    }
    return known.list
  }

  async #replace(root: string, known: Kept, next: Promise<FileList>): Promise<void> {
    try {
      await next
      if (this.#kept.get(root) === known) void this.#keep(root, next)
    } catch {
      // The old list is kept; the next filter call tries again.
      delete known.refresh
    }
  }

  #keep(root: string, list: Promise<FileList>): Promise<FileList> {
    clearTimeout(this.#kept.get(root)?.timer)
    const timer = setTimeout(() => this.#kept.delete(root), KEEP_MS).unref()
    this.#kept.set(root, { list, made: performance.now(), timer })
    list.catch(() => {
      clearTimeout(timer)
      if (this.#kept.get(root)?.list === list) this.#kept.delete(root)
    })
    return list
  }
}

/** Prepares paths for filtering. */
async function makeList(found: Promise<readonly string[]>): Promise<FileList> {
  const paths = await found
  const nameAt = new Int32Array(paths.length)
  const folded: string[] = []
  for (const [row, path] of paths.entries()) {
    nameAt[row] = path.lastIndexOf('/') + 1
    folded.push(path.toLowerCase())
    if (row % AT_ONCE === AT_ONCE - 1) await nextTurn()
  }
  return { paths, folded, nameAt }
}

function grow(growing: Growing, some: readonly string[]): void {
  for (const path of some) {
    growing.paths.push(path)
    growing.folded.push(path.toLowerCase())
    growing.nameAt.push(path.lastIndexOf('/') + 1)
  }
}

/** The result of `work`, or undefined if that takes longer. */
async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  if (ms === 0) return undefined
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** How well a path matches: lower is better. */
const FIT = { name: 0, nameStart: 1, wordStart: 2, inName: 3, inPath: 4, letters: 5 }
const NONE = -1
/** Longer paths are ordered as if they had this length. */
const MAX_LENGTH = 1024

/** The matching rows of a list, sorted by match quality, then path length, then name. */
export function filterList(list: FileList, query: string, limit: number): FilteredFiles {
  const words = query.toLowerCase().replaceAll('\\', '/').split(/\s+/).filter(Boolean)
  if (words.length === 0) return { files: [], count: list.paths.length }
  const { last } = list
  const before = last && last.query !== '' && query.startsWith(last.query) ? last : undefined
  let found = rowsThatFit(list, before?.rows, (path, nameAt) => fitOf(path, nameAt, words))
  // Letters in order match many paths by chance, so they count only if there are few other matches.
  const [word = ''] = words
  const takesLetters = words.length === 1 && word.length > 1 && found.count < limit
  if (takesLetters)
    found = rowsThatFit(list, before?.takesLetters ? before.rows : undefined, (path, nameAt) => {
      const fit = fitOf(path, nameAt, words)
      return fit === NONE && hasLetters(path, word) ? FIT.letters : fit
    })
  list.last = { query, rows: found.rows, takesLetters }
  const files = found.best(limit).map((row) => ({
    path: list.paths[row]!,
    at: placesOf(list.folded[row]!, list.nameAt[row]!, words),
  }))
  return { files, count: found.count }
}

/**
 * Checks the given rows, or all rows. Rows are in the order of their paths; the best are found by counting, because
 * sorting 100,000 rows takes too long for a key press.
 */
function rowsThatFit(
  { folded, nameAt }: FileList,
  among: Int32Array | undefined,
  fitOfRow: (path: string, nameAt: number) => number,
): { rows: Int32Array; count: number; best(limit: number): number[] } {
  const total = among?.length ?? folded.length
  const rows = new Int32Array(total)
  const ranks = new Int16Array(total)
  const counts = new Int32Array((FIT.letters + 1) * MAX_LENGTH)
  let count = 0
  for (let n = 0; n < total; n++) {
    const row = among ? among[n]! : n
    const path = folded[row]!
    const fit = fitOfRow(path, nameAt[row]!)
    if (fit === NONE) continue
    const rank = fit * MAX_LENGTH + Math.min(path.length, MAX_LENGTH - 1)
    rows[count] = row
    ranks[count] = rank
    counts[rank]! += 1
    count += 1
  }
  const best = (limit: number): number[] => {
    let worst = 0
    for (let sum = 0; worst < counts.length; worst++) {
      sum += counts[worst]!
      if (sum >= limit) break
    }
    // Only as many rows of the worst rank as still fit, so that the list stays short.
    let room = limit
    for (let rank = 0; rank < worst; rank++) room -= counts[rank]!
    const kept: { row: number; rank: number }[] = []
    for (let n = 0; n < count; n++) {
      const rank = ranks[n]!
      if (rank > worst || (rank === worst && room-- <= 0)) continue
      kept.push({ row: rows[n]!, rank })
    }
    return kept.sort((a, b) => a.rank - b.rank || a.row - b.row).map(({ row }) => row)
  }
  return { rows: rows.subarray(0, count), count, best }
}

function fitOf(path: string, nameAt: number, words: readonly string[]): number {
  let fit = FIT.name
  for (const word of words) {
    const found = path.indexOf(word)
    if (found < 0) return NONE
    const inName = found >= nameAt ? found : path.indexOf(word, nameAt)
    const one = inName >= 0 ? nameFit(path, nameAt, word, inName) : FIT.inPath
    if (one > fit) fit = one
  }
  return fit
}

function nameFit(path: string, nameAt: number, word: string, found: number): number {
  if (found > nameAt) return isBoundary(path.charCodeAt(found - 1)) ? FIT.wordStart : FIT.inName
  const rest = nameAt + word.length
  return rest === path.length || path.indexOf('.', nameAt) === rest ? FIT.name : FIT.nameStart
}

/** `-`, `_`, `.`, `/` and space. */
function isBoundary(code: number): boolean {
  return code === 45 || code === 95 || code === 46 || code === 47 || code === 32
}

function hasLetters(path: string, word: string): boolean {
  let at = -1
  for (let n = 0; n < word.length; n++) {
    at = path.indexOf(word[n]!, at + 1)
    if (at < 0) return false
  }
  return true
}

/** The positions of the matching characters in a path, for highlighting. */
function placesOf(path: string, nameAt: number, words: readonly string[]): number[] {
  const places = new Set<number>()
  for (const word of words) {
    const inName = path.indexOf(word, nameAt)
    const found = inName >= 0 ? inName : path.indexOf(word)
    if (found >= 0) {
      for (let n = 0; n < word.length; n++) places.add(found + n)
      continue
    }
    let at = -1
    for (const letter of word) {
      at = path.indexOf(letter, at + 1)
      places.add(at)
    }
  }
  return [...places].sort((a, b) => a - b)
}
