import type { ToolDetails } from '../../../../shared/model/approval/preview'
import { sortNewestFirst, pathSortKey } from '../../workspace/file/list-files'
import { truncateText } from '../truncate-result'
import { printablePath } from '../file-paths'
import { failed, ok, type ToolResult } from '../tool'
import { reachedPcre2Limit, searchFailure, unreadableFiles, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import { MAX_LINE_BYTES } from '../../workspace/ripgrep/line-cutter'
import { parseCounts, parseMatches, type FileMatches, type MatchLine } from '../../workspace/ripgrep/parse-output'
import { WorkSlices } from '../../runtime/work-slices'

/** Limits for the tool card. */
const CARD_LINES = 200
const CARD_LINE_CHARS = 500
const MAX_NAMES = 20

const BINARY_ADVICE = 'To see what a binary file says there, use `grep -a` or `strings` with Bash.'

type Matches = Extract<ToolDetails, { kind: 'matches' }>

export interface SearchReport {
  pattern: string
  mode: 'files_with_matches' | 'content' | 'count_matches'
  lineNumbers: boolean
  /** Maximum number of paths or lines shown; may be infinite. */
  limit: number
  offset: number
  timeoutMs: number
  /** The time limit for sorting files (as `performance.now()`). */
  deadline: number
  signal: AbortSignal
  /** Whether lines around matches were requested. */
  hasContext: boolean
  /** Files that may contain secrets, which are never searched. */
  unsearched: readonly string[]
  /** Whether a path is never mentioned, neither as a match nor as a possible one. */
  excludes(path: string): boolean
  /** The absolute form of a path that ripgrep printed. */
  absolute(found: string): string
  display(absolutePath: string): string
  /** Searches binary files, which a search of a folder leaves out; called only when nothing was found. */
  searchBinary?(): Promise<RipgrepRun>
  /** Which of the found paths may have been found elsewhere, and a repeated search that no link can lead elsewhere. */
  again?(found: Iterable<string>): Promise<SearchAgain | undefined>
}

export interface SearchAgain {
  moved: ReadonlySet<string>
  run: RipgrepRun
}

/**
 * Turns what ripgrep found into the result: paged, sorted, without excluded paths, and with notes about everything else
 * that is missing.
 */
export async function reportSearch(run: RipgrepRun, report: SearchReport): Promise<ToolResult> {
  const page = await pageOf(run, report)
  const failure = page.total > 0 ? undefined : searchFailure({ ...run, output: Buffer.alloc(0) })
  if (failure !== undefined) return failed(failure)
  const binary = page.total > 0 ? [] : await binaryMatches(run, report)
  const text = page.entries.length > 0 ? page.entries.join('\n') : nothing(run, report, page.total, binary)
  const notes = [
    ...cutNote(page.cut ?? []),
    ...(page.hasBinary ? [`[${BINARY_ADVICE}]`] : []),
    ...pageNotes(page, report),
    ...stopNotes(run, report, page),
    ...unsearchedNote(report.unsearched.map((path) => report.display(path))),
    ...errorNotes(run),
  ]
  return ok([...(page.head === undefined ? [] : [page.head]), text, ...notes].join('\n'), page.details)
}

interface Page {
  /** The first line, the same on every page. */
  head?: string
  entries: string[]
  /** Where lines of the page were cut, as listed in the note. */
  cut?: string[]
  /** A binary file matches: its lines are not shown. */
  hasBinary?: boolean
  /** The number of entries on all pages. */
  total: number
  unit: string
  unsorted?: boolean
  details: Matches
}

async function pageOf(run: RipgrepRun, report: SearchReport): Promise<Page> {
  switch (report.mode) {
    case 'content':
      return linePage(await foundIn(run, report, parseMatches), report)
    case 'count_matches':
      return countPage(await foundIn(run, report, parseCounts), report)
    default:
      return filePage(
        run,
        report,
        (await foundIn(run, report, parseCounts)).map(({ path }) => path),
      )
  }
}

/** What a search found in files that are not excluded, with their absolute paths. */
async function foundIn<Found extends { path: string }>(
  run: RipgrepRun,
  { absolute, excludes, again }: SearchReport,
  parse: (output: Buffer) => Found[],
): Promise<Found[]> {
  const keep = async ({ output }: RipgrepRun): Promise<Found[]> => {
    const kept: Found[] = []
    const slices = new WorkSlices()
    for (const entry of parse(output)) {
      if (slices.isOver) await slices.next()
      const path = absolute(entry.path)
      if (!excludes(path)) kept.push({ ...entry, path })
    }
    return kept
  }
  const found = await keep(run)
  const other = found.length === 0 ? undefined : await again?.(found.map(({ path }) => path))
  return other ? [...found.filter(({ path }) => !other.moved.has(path)), ...(await keep(other.run))] : found
}

async function filePage(run: RipgrepRun, report: SearchReport, found: string[]): Promise<Page> {
  const sorted = run.stopped === 'timeout' ? undefined : await sortNewestFirst(found, report)
  const paths = pageSlice(sorted ?? found, report).map((path) => report.display(path))
  const files = paths.slice(0, CARD_LINES).map((path) => ({ path, lines: [] }))
  const details = matches(report, files, found.length, run, paths.length)
  return { entries: paths.map(printablePath), total: found.length, unit: 'files', unsorted: !sorted, details }
}

function countPage(found: { path: string; count: number }[], report: SearchReport): Page {
  const total = found.reduce((sum, file) => sum + file.count, 0)
  const shown = pageSlice(byPath(found), report).map(({ path, count }) => ({
    path: report.display(path),
    count,
    lines: [],
  }))
  const files = found.length === 1 ? 'file' : 'files'
  const head = `${total} ${total === 1 ? 'match' : 'matches'} in ${found.length} ${files}`
  const details: Matches = {
    kind: 'matches',
    pattern: report.pattern,
    files: shown.slice(0, CARD_LINES),
    total,
    truncated: shown.length < found.length || shown.length > CARD_LINES,
  }
  return {
    ...(found.length > 0 && { head }),
    entries: shown.map(({ path, count }) => `${printablePath(path)}:${count}`),
    total: found.length,
    unit: 'files',
    details,
  }
}

function linePage(found: FileMatches[], report: SearchReport): Page {
  const entries: string[] = []
  const files: Matches['files'] = []
  const cut: string[] = []
  let hasBinary = false
  let [skip, room, card] = [report.offset, report.limit, CARD_LINES]
  for (const file of byPath(found)) {
    const size = file.lines + (file.note === undefined ? 0 : 1)
    if (skip >= size || room <= 0) {
      skip = Math.max(0, skip - size)
      continue
    }
    const path = report.display(file.path)
    const shown = takeLines(file, skip, room)
    if (report.hasContext && entries.length > 0) entries.push('--')
    entries.push(...render(printablePath(path), shown, report))
    cut.push(...shown.flatMap((each) => cutText(printablePath(path), each)))
    if (file.note !== undefined && shown.length < room) {
      entries.push(`${printablePath(path)}: ${file.note}`)
      hasBinary = true
    }
    const forCard = shown.slice(0, card).map(({ line, text }) => ({ line, text: truncateText(text, CARD_LINE_CHARS) }))
    if (card > 0) files.push({ path, count: file.matches, lines: forCard })
    card -= Math.max(1, shown.length)
    room -= shown.length + (file.note === undefined ? 0 : 1)
    skip = 0
  }
  const total = found.reduce((sum, file) => sum + file.lines + (file.note === undefined ? 0 : 1), 0)
  const matching = found.reduce((sum, file) => sum + file.matches, 0)
  const truncated = room <= 0 || report.offset > 0 || card < 0
  return {
    entries,
    cut,
    hasBinary,
    total,
    unit: 'lines',
    details: { kind: 'matches', pattern: report.pattern, files, total: matching, truncated },
  }
}

function takeLines(file: FileMatches, skip: number, room: number): MatchLine[] {
  const taken: MatchLine[] = []
  let at = 0
  for (const line of file.read()) {
    if (taken.length >= room) break
    if (at++ >= skip) taken.push(line)
  }
  return taken
}

/** `a.js:3 (characters 201-1200 of 500000)` */
function cutText(path: string, { line, text, cut }: MatchLine): string[] {
  return cut ? [`${path}:${line} (characters ${cut.first}-${cut.first - 1 + text.length} of ${cut.total})`] : []
}

function cutNote(cut: readonly string[]): string[] {
  if (cut.length === 0) return []
  const more = cut.length > MAX_NAMES ? ` and ${cut.length - MAX_NAMES} more` : ''
  return [
    `[Lines over ${MAX_LINE_BYTES} bytes are cut to what surrounds their first match: ` +
      `${cut.slice(0, MAX_NAMES).join(', ')}${more}. Read shows more of a line with char_offset.]`,
  ]
}

/**
 * As ripgrep writes it: `path:12:match`, `path-11-context`; without numbers `path:text`. `--` stands where lines were
 * left out between contexts.
 */
function render(path: string, lines: readonly MatchLine[], { lineNumbers, hasContext }: SearchReport): string[] {
  return lines.flatMap(({ line, isMatch, text, cut }, index) => {
    const mark = isMatch ? ':' : '-'
    const isCutAfter = cut && cut.first - 1 + text.length < cut.total
    const shown = cut ? `${cut.first > 1 ? '…' : ''}${text}${isCutAfter ? '…' : ''}` : text
    const rendered = lineNumbers ? `${path}${mark}${line}${mark}${shown}` : `${path}${mark}${shown}`
    const before = lines[index - 1]
    return hasContext && before && line > before.line + 1 ? ['--', rendered] : [rendered]
  })
}

/** Sorts in the order of a tree walk: ripgrep's own order changes between runs, so pages would overlap. */
function byPath<T extends { path: string }>(found: T[]): T[] {
  return found
    .map((entry) => ({ entry, key: pathSortKey(entry.path) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry)
}

function pageSlice<T>(all: readonly T[], { offset, limit }: SearchReport): T[] {
  return all.slice(offset, offset + limit)
}

function matches(
  report: SearchReport,
  files: Matches['files'],
  total: number,
  run: RipgrepRun,
  shown: number,
): Matches {
  return {
    kind: 'matches',
    pattern: report.pattern,
    files,
    total,
    truncated: shown < total || files.length < shown || run.stopped !== undefined,
  }
}

function nothing(
  run: RipgrepRun,
  { offset, timeoutMs }: SearchReport,
  total: number,
  binary: readonly string[],
): string {
  if (total > 0) return `Nothing more: offset ${offset} is past the end.`
  if (run.stopped === 'timeout') return `No matches found within ${timeoutMs / 1000} s.`
  if (binary.length === 0)
    return run.stopped || reachedPcre2Limit(run) ? 'No matches found in what was searched' : 'No matches found'
  const names = binary.slice(0, MAX_NAMES).map(printablePath).join(', ')
  const more = binary.length > MAX_NAMES ? ` and ${binary.length - MAX_NAMES} more` : ''
  return `No matches found in text files. Binary files that match: ${names}${more}. ${BINARY_ADVICE}`
}

/** The binary files that match, as displayed. */
async function binaryMatches(run: RipgrepRun, report: SearchReport): Promise<string[]> {
  if (!report.searchBinary || run.stopped || performance.now() >= report.deadline) return []
  const found = await foundIn(await report.searchBinary(), report, parseCounts)
  return byPath(found).map(({ path }) => report.display(path))
}

function pageNotes({ entries, total, unit }: Page, { offset, limit }: SearchReport): string[] {
  const end = Math.min(total, offset + limit)
  if (entries.length === 0 || (offset === 0 && end >= total))
    return entries.length === 0 && total > 0 ? [`[${total} ${total === 1 ? unit.slice(0, -1) : unit} in all]`] : []
  const more = end < total ? ` Continue with offset ${end}, or narrow the search.` : ''
  return [`[${unit} ${offset + 1}-${end} of ${total}.${more}]`]
}

function stopNotes(run: RipgrepRun, { timeoutMs }: SearchReport, page: Page): string[] {
  if (run.stopped === 'timeout') {
    return [
      `[Partial: the search was stopped after ${timeoutMs / 1000} ` +
        `s${page.unsorted ? ', so results are unsorted' : ''}. Narrow it with path, glob or type.]`,
    ]
  }
  if (run.stopped === 'output_limit')
    return ['[Partial: the search was stopped at 10 MiB of output. Narrow it with pattern, path, glob or type.]']
  return page.unsorted ? ['[Unsorted: there was no time left to look at every file.]'] : []
}

function unsearchedNote(names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return [`[Sensitive files are not searched: ${names.slice(0, MAX_NAMES).map(printablePath).join(', ')}${more}]`]
}

function errorNotes(run: RipgrepRun): string[] {
  const lines = unreadableFiles(run)
  return lines.length === 0 ? [] : ['[Not searched:', ...lines.map((line) => `  ${line}`), ']']
}
