import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openFolder } from '../file/pinned-folder'
import { IGNORE_FILES, ignoreRules, type IgnoreRules } from '../path/ignore-rules'
import { LineCutter } from './line-cutter'
import type { LiteralMatch, LiteralPattern } from './literal-pattern'
import type { RipgrepRun } from './run-ripgrep'
import { VCS_FOLDERS } from './search-scope'

/** Beyond these limits, ripgrep is faster, and a search here would block this process for too long. */
const MAX_FOLDERS = 200
const MAX_FILES = 400
/** Entries of all folders, also those that are skipped: each of them is compared with the ignore rules. */
const MAX_ENTRIES = 1_500
const MAX_FILE_BYTES = 512 * 1024
const MAX_BYTES = 4 * 1024 * 1024
/** For slow disks; a search within the limits above takes 10 ms. */
const MAX_MS = 100
const MAX_MATCHES = 2_000
/** If ripgrep's first read of a file contains a NUL, the file is binary, and ripgrep does not search it. */
const FIRST_READ_BYTES = 64 * 1024

/** How long to remember that a folder could not be searched here. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 500

const NUL = 0
const NEWLINE = 10
const VCS = new Set<string>(VCS_FOLDERS)
const IGNORE_NAMES = new Set<string>(IGNORE_FILES)
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** A search for literal text in a folder. */
export interface SmallSearch {
  /** Real paths of the searched folder and of the project. */
  folder: string
  root: string
  /** Files are named relative to it, with a leading `./`. */
  cwd: string
  pattern: LiteralPattern
  /** What to print for a matching file: its lines, the number 1, or the number of its matches. */
  output: 'lines' | 'one' | 'matches'
  /** Number of context lines before and after each match. */
  before: number
  after: number
  includeIgnored: boolean
  /** Whether to skip an entry (absolute path), in addition to ignored entries and version control. */
  leavesOut(path: string, isFolder: boolean): boolean
}

/** The result that ripgrep would have with `cutsLines`. */
export interface SmallRun extends RipgrepRun {
  /** Whether a binary file matches; ripgrep prints nothing about it. */
  hasBinary: boolean
}

/** Searches small folders for literal text without ripgrep, which takes longer to start than reading 60 files. */
export class SmallSearcher {
  readonly #givenUp = new Map<string, number>()

  /**
   * Undefined if ripgrep has to search: the folder is too large, a file has another encoding or cannot be read, or the
   * matches depend on Unicode. That is remembered for the folder for a while.
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
      // ripgrep reports what cannot be read.
    }
    if (this.#givenUp.size >= MAX_REMEMBERED) this.#givenUp.clear()
    this.#givenUp.set(folder, performance.now())
    return undefined
  }
}

/** All files are read into this buffer, one after the other. */
let buffer: Buffer | undefined

/** One search. Its methods return false if ripgrep has to search instead. */
class SmallWalk {
  readonly #search: SmallSearch
  readonly #printed: Buffer[] = []
  readonly #until = performance.now() + MAX_MS
  #folders = 0
  #entries = 0
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

  /** `rulesFor` is called with whether there are ignore files among the entries. */
  searchFolder(path: string, rulesFor: (hasIgnoreFile: boolean) => IgnoreRules): boolean {
    if (++this.#folders > MAX_FOLDERS) return false
    const opened = openFolder(path)
    try {
      const entries = readdirSync(opened.path, { withFileTypes: true })
      this.#entries += entries.length
      if (this.#entries > MAX_ENTRIES) return false
      const rules = rulesFor(entries.some(({ name }) => IGNORE_NAMES.has(name)))
      for (const entry of entries) {
        if (performance.now() > this.#until) return false
        const isFolder = entry.isDirectory()
        // Like ripgrep, don't follow links or open special files.
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

  /** `at`: the path for opening the file, in the folder that is open. */
  #searchFile(at: string, path: string): boolean {
    if (++this.#files > MAX_FILES) return false
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

/** Reads a whole regular file if it fits into `into`; undefined for anything else. */
function readInto(into: Buffer, path: string): Buffer | undefined {
  const fd = openSync(path, OPEN_FLAGS)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size >= into.length) return undefined
    // One byte more than expected: if it can be read, the file is growing.
    const length = readSync(fd, into, 0, stat.size + 1, 0)
    return length === stat.size ? into.subarray(0, length) : undefined
  } finally {
    closeSync(fd)
  }
}

/** Whether there is a byte order mark of UTF-16 or UTF-8; ripgrep then reads the file in that encoding. */
function hasByteOrderMark(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) >= 0xef && /^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(bytes.toString('latin1', 0, 3))
}

/** Matching lines and their context, as ripgrep prints them with `--null --line-number --column`. */
function linesAround(
  name: string,
  bytes: Buffer,
  matches: readonly LiteralMatch[],
  { before, after }: { before: number; after: number },
): Buffer {
  const starts = lineStarts(bytes)
  const printed: Buffer[] = []
  /** The first line that was not printed yet. */
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
  // Copied, because the next file overwrites the bytes.
  return Buffer.concat(printed)
}

function lineStarts(bytes: Buffer): number[] {
  const starts = bytes.length > 0 ? [0] : []
  for (let at = bytes.indexOf(NEWLINE) + 1; at > 0 && at < bytes.length; at = bytes.indexOf(NEWLINE, at) + 1)
    starts.push(at)
  return starts
}
