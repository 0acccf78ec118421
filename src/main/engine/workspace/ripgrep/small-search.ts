import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openFolder } from '../file/pinned-folder'
import { IGNORE_FILES, ignoreRules, type IgnoreRules } from '../path/ignore-rules'
import { LineCutter } from './line-cutter'
import type { LiteralMatch, LiteralPattern } from './literal-pattern'
import type { RipgrepRun } from './run-ripgrep'
import { VCS_FOLDERS } from './search-scope'

/** Beyond these ripgrep is quicker, and nothing else of this process is done meanwhile. */
const MAX_FOLDERS = 200
const MAX_FILES = 400
const MAX_FILE_BYTES = 512 * 1024
const MAX_BYTES = 4 * 1024 * 1024
/** For slow disks; what is within the limits above takes 10 ms. */
const MAX_MS = 100
const MAX_MATCHES = 2_000
/** A NUL in what ripgrep reads first makes a file a binary one, which it does not search. */
const FIRST_READ_BYTES = 64 * 1024

/** For how long it is remembered that a folder could not be searched here. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 500

const NUL = 0
const NEWLINE = 10
const VCS = new Set<string>(VCS_FOLDERS)
const IGNORE_NAMES = new Set<string>(IGNORE_FILES)
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** A search for literal text in a folder. */
export interface SmallSearch {
  /** Real paths: of the folder, and of the project. */
  folder: string
  root: string
  /** Files are named from here, with `./` in front. */
  cwd: string
  pattern: LiteralPattern
  /** What is printed of a file that matches: its lines, the number 1, or the number of its matches. */
  output: 'lines' | 'one' | 'matches'
  /** Lines around each match. */
  before: number
  after: number
  includeIgnored: boolean
  /** Whether an entry (absolute path) is left out, besides what ignore files and version control leave out. */
  leavesOut(path: string, isFolder: boolean): boolean
}

/** What ripgrep would print, with `cutsLines`. */
export interface SmallRun extends RipgrepRun {
  /** A binary file matches, of which ripgrep prints nothing. */
  hasBinary: boolean
}

/**
 * Searches small folders for literal text without ripgrep, which takes longer to start than 60 files take to read.
 */
export class SmallSearcher {
  readonly #givenUp = new Map<string, number>()

  /**
   * Undefined when ripgrep has to search: the folder is too large (which is remembered for a while), a file is in
   * another encoding or cannot be read, or it depends on Unicode what matches.
   */
  search(search: SmallSearch): SmallRun | undefined {
    const { folder, root, includeIgnored } = search
    const since = this.#givenUp.get(folder)
    if (since !== undefined && performance.now() - since < REMEMBERED_MS) return undefined
    const walk = new SmallWalk(search)
    try {
      const names = includeIgnored ? [] : IGNORE_FILES
      if (walk.searchFolder(folder, () => ignoreRules(folder, root, names))) return walk.result()
    } catch {
      // ripgrep says what cannot be read.
    }
    if (this.#givenUp.size >= MAX_REMEMBERED) this.#givenUp.clear()
    this.#givenUp.set(folder, performance.now())
    return undefined
  }
}

/** All files are read into it, one after the other. */
let buffer: Buffer | undefined

/** One search. Its methods answer false when ripgrep has to search instead. */
class SmallWalk {
  readonly #search: SmallSearch
  readonly #printed: Buffer[] = []
  readonly #until = performance.now() + MAX_MS
  #folders = 0
  #files = 0
  #bytes = 0
  #matches = 0
  #hasBinary = false

  constructor(search: SmallSearch) {
    this.#search = search
  }

  result(): SmallRun {
    const exitCode = this.#printed.length > 0 ? 0 : 1
    return { output: this.#cut(), errors: '', exitCode, hasBinary: this.#hasBinary }
  }

  #cut(): Buffer {
    if (this.#search.output !== 'lines') return Buffer.concat(this.#printed)
    const lines: Buffer[] = []
    const cutter = new LineCutter((chunk) => lines.push(chunk))
    for (const chunk of this.#printed) cutter.push(chunk)
    cutter.end()
    return Buffer.concat(lines)
  }

  /** `rulesFor`: given whether there are ignore files among its entries. */
  searchFolder(path: string, rulesFor: (hasIgnoreFile: boolean) => IgnoreRules): boolean {
    if (++this.#folders > MAX_FOLDERS) return false
    const opened = openFolder(path)
    try {
      const entries = readdirSync(opened.path, { withFileTypes: true })
      const rules = rulesFor(entries.some(({ name }) => IGNORE_NAMES.has(name)))
      for (const entry of entries) {
        const isFolder = entry.isDirectory()
        // As ripgrep, which follows no links and opens nothing special.
        if ((!isFolder && !entry.isFile()) || VCS.has(entry.name)) continue
        const inner = join(path, entry.name)
        if (rules.ignores(inner, isFolder) || this.#search.leavesOut(inner, isFolder)) continue
        const isSearched = isFolder
          ? this.searchFolder(inner, (hasIgnoreFile) => (hasIgnoreFile ? rules.into(inner) : rules))
          : this.#searchFile(join(opened.path, entry.name), inner)
        if (!isSearched) return false
      }
      opened.verify()
      return true
    } finally {
      opened.close()
    }
  }

  /** `at`: where the file is opened, in the folder that was opened. */
  #searchFile(at: string, path: string): boolean {
    if (++this.#files > MAX_FILES || performance.now() > this.#until) return false
    const bytes = readInto((buffer ??= Buffer.allocUnsafeSlow(MAX_FILE_BYTES)), at)
    if (!bytes || hasByteOrderMark(bytes)) return false
    this.#bytes += bytes.length
    if (this.#bytes > MAX_BYTES) return false
    const { pattern, output } = this.#search
    const nul = bytes.indexOf(NUL)
    if (nul >= FIRST_READ_BYTES) return false
    const most = output === 'one' || nul >= 0 ? 1 : MAX_MATCHES - this.#matches
    const matches = pattern.matchesIn(bytes, most)
    if (!matches || (matches.length === most && output !== 'one' && nul < 0)) return false
    this.#matches += matches.length
    if (matches.length === 0) return true
    if (nul >= 0) this.#hasBinary = true
    else this.#print(`./${relative(this.#search.cwd, path)}`, bytes, matches)
    return true
  }

  #print(name: string, bytes: Buffer, matches: readonly LiteralMatch[]): void {
    const { output, before, after } = this.#search
    if (output === 'lines') this.#printed.push(linesAround(name, bytes, matches, { before, after }))
    else this.#printed.push(Buffer.from(`${name}\0${output === 'one' ? 1 : matches.length}\n`))
  }
}

/** A whole regular file that fits; undefined for anything else. */
function readInto(into: Buffer, path: string): Buffer | undefined {
  const fd = openSync(path, OPEN_FLAGS)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size >= into.length) return undefined
    // One byte more than there should be: getting it means that the file grows.
    const length = readSync(fd, into, 0, stat.size + 1, 0)
    return length === stat.size ? into.subarray(0, length) : undefined
  } finally {
    closeSync(fd)
  }
}

/** Of UTF-16 or UTF-8: ripgrep reads what follows in that encoding. */
function hasByteOrderMark(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) >= 0xef && /^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(bytes.toString('latin1', 0, 3))
}

/** Lines with matches and those around them, as ripgrep prints them with `--null --line-number --column`. */
function linesAround(
  name: string,
  bytes: Buffer,
  matches: readonly LiteralMatch[],
  { before, after }: { before: number; after: number },
): Buffer {
  const starts = lineStarts(bytes)
  const printed: Buffer[] = []
  /** The next line that was not printed. */
  let next = 0
  const print = (line: number, mark: string): void => {
    const end = starts[line + 1] ?? bytes.length
    printed.push(Buffer.from(`${name}\0${line + 1}${mark}`), bytes.subarray(starts[line], end))
    if (bytes[end - 1] !== NEWLINE) printed.push(Buffer.of(NEWLINE))
    next = line + 1
  }
  const printContext = (from: number, to: number): void => {
    for (let line = Math.max(from, next); line < to; line++) print(line, '-')
  }
  let [line, last] = [0, -1]
  for (const { at } of matches) {
    while ((starts[line + 1] ?? Infinity) <= at) line++
    if (line === last) continue
    if (last >= 0) printContext(last + 1, Math.min(last + 1 + after, line))
    printContext(line - before, line)
    print(line, `:${at - starts[line]! + 1}:`)
    last = line
  }
  printContext(last + 1, Math.min(last + 1 + after, starts.length))
  // A copy: the bytes are overwritten by the next file.
  return Buffer.concat(printed)
}

function lineStarts(bytes: Buffer): number[] {
  const starts = bytes.length > 0 ? [0] : []
  for (let at = bytes.indexOf(NEWLINE) + 1; at > 0 && at < bytes.length; at = bytes.indexOf(NEWLINE, at) + 1)
    starts.push(at)
  return starts
}
