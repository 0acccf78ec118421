import { CUT_CONTEXT, CUT_MATCH, endOfNumber, takeNotes } from './line-cutter'

/**
 * Parses the output of ripgrep with `--null`: a path ends with a NUL byte, so names with colons or newlines stay
 * intact. An incomplete record at the end is omitted. Bytes that are not UTF-8 become U+FFFD.
 */

const NUL = 0
const NEWLINE = 10
const COLON = 58

/** Paths from `--files`. */
export function parsePaths(output: Buffer): string[] {
  const end = output.lastIndexOf(NUL)
  return end < 0 ? [] : output.toString('utf8', 0, end).split('\0')
}

/** `path NUL number` lines from `--count` and `--count-matches`. */
export function parseCounts(output: Buffer): { path: string; count: number }[] {
  const counts: { path: string; count: number }[] = []
  for (let at = 0; at < output.length;) {
    const nul = output.indexOf(NUL, at)
    const end = nul < 0 ? -1 : output.indexOf(NEWLINE, nul)
    if (end < 0) break
    counts.push({ path: output.toString('utf8', at, nul), count: Number(output.toString('latin1', nul + 1, end)) })
    at = end + 1
  }
  return counts
}

/** The matches in one file; lines are decoded only when they are read. */
export interface FileMatches {
  path: string
  /** Number of lines, including context. */
  lines: number
  /** Number of matching lines. */
  matches: number
  /** A remark of ripgrep about the file, e.g. that it is binary and matches. */
  note?: string
  read(): Generator<MatchLine>
}

export interface MatchLine {
  /** Counts from 1. */
  line: number
  /** False for a line of context. */
  isMatch: boolean
  text: string
  /**
   * Set if `text` is only part of a long line: the position of its first character (from 1), and the number of
   * characters in the line.
   */
  cut?: { first: number; total: number }
}

/** Parses the output of `LineCutter`, by file. The search had line numbers, columns and no context separators. */
export function parseMatches(output: Buffer): FileMatches[] {
  const files: FileMatches[] = []
  let current: { file: FileMatches; head: Buffer } | undefined
  for (let at = 0; at < output.length;) {
    const nul = output.indexOf(NUL, at)
    let head = output.subarray(at, nul < 0 ? output.length : nul)
    if (!current?.head.equals(head)) {
      const { notes, rest } = takeNotes(head)
      for (const { path, note } of notes) addNote(files, path, note)
      head = rest
    }
    const end = nul < 0 ? -1 : output.indexOf(NEWLINE, nul)
    if (end < 0) break
    const start = at + (nul - at - head.length)
    if (!current?.head.equals(head)) {
      current = { file: newFile(output, head, start), head }
      files.push(current.file)
    }
    current.file.lines++
    if (isMatchMark(output[endOfNumber(output, nul + 1)])) current.file.matches++
    at = end + 1
  }
  return files
}

function newFile(output: Buffer, head: Buffer, start: number): FileMatches {
  const file: FileMatches = {
    path: head.toString('utf8'),
    lines: 0,
    matches: 0,
    *read() {
      let at = start
      for (let index = 0; index < file.lines; index++) {
        const number = at + head.length + 1
        const separator = endOfNumber(output, number)
        const end = output.indexOf(NEWLINE, separator)
        const line = Number(output.toString('latin1', number, separator))
        yield { line, isMatch: isMatchMark(output[separator]), ...textOf(output, separator, end) }
        at = end + 1
      }
    },
  }
  return file
}

function isMatchMark(mark: number | undefined): boolean {
  return mark === COLON || mark === CUT_MATCH
}

function textOf(output: Buffer, separator: number, end: number): Pick<MatchLine, 'text' | 'cut'> {
  const mark = output[separator]
  if (mark !== CUT_MATCH && mark !== CUT_CONTEXT)
    return { text: withoutReturn(output.toString('utf8', separator + 1, end)) }
  const slash = endOfNumber(output, separator + 1)
  const colon = endOfNumber(output, slash + 1)
  const cut = {
    first: Number(output.toString('latin1', separator + 1, slash)),
    total: Number(output.toString('latin1', slash + 1, colon)),
  }
  return { text: withoutReturn(output.toString('utf8', colon + 1, end)), cut }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function addNote(files: FileMatches[], path: string, note: string): void {
  const last = files.at(-1)
  if (last?.path === path) last.note = note
  else files.push({ path, lines: 0, matches: 1, note, *read() {} })
}
