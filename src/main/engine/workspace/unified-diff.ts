/** A unified diff with 3 lines of context. `added` and `removed` are exact unless `note` says otherwise. */
export interface UnifiedDiff {
  diff: string
  added: number
  removed: number
  /** What was omitted, as text. */
  note?: string
}

const CONTEXT = 3
/** A diff longer than this is cut, because it is stored with the event and shown on a card. */
const MAX_DIFF_CHARS = 100_000
/**
 * Beyond these limits, the changed section is shown as entirely replaced; finding the smallest difference could take
 * minutes.
 */
const MAX_DIFF_MS = 100
const MAX_EDIT_LENGTH = 4_000

/**
 * The difference between two texts. `before` undefined: the file is new; `after` undefined: it is removed; `from`: its
 * previous path. Bounded in time and size for any input.
 */
export async function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
  from = path,
): Promise<UnifiedDiff> {
  const header =
    `--- ${before === undefined ? '/dev/null' : `a/${from}`}\n` +
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}\n`
  const [old, now] = [before ?? '', after ?? '']
  if (old === now) return { diff: header, added: 0, removed: 0 }
  const { oldMiddle, newMiddle, skippedLines } = changedSection(old, now)
  const fine = await fineHunks(oldMiddle, newMiddle)
  const hunks = fine ?? [wholeHunk(oldMiddle, newMiddle)]
  const { added, removed } = count(hunks)
  const body = hunks.map((hunk) => hunkText(hunk, skippedLines)).join('')
  const notes = [
    ...(fine ? [] : ['Too different for a fine diff: the changed part is shown as replaced whole.']),
    ...(body.length > MAX_DIFF_CHARS
      ? [
          `The diff is cut after ${MAX_DIFF_CHARS.toLocaleString('en-US')} of ` +
            `${body.length.toLocaleString('en-US')} characters.`,
        ]
      : []),
  ]
  return { diff: header + cutToLine(body), added, removed, ...(notes.length > 0 && { note: notes.join(' ') }) }
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/** Drops equal lines at both ends, except for the context, so that a small change to a large file stays small. */
function changedSection(old: string, after: string): { oldMiddle: string; newMiddle: string; skippedLines: number } {
  const most = Math.min(old.length, after.length)
  let start = 0
  while (start < most && old.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (end < most - start && old.charCodeAt(old.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++
  const from = lineStartBefore(old, start, CONTEXT)
  return {
    oldMiddle: old.slice(from, lineEndAfter(old, old.length - end, CONTEXT)),
    newMiddle: after.slice(from, lineEndAfter(after, after.length - end, CONTEXT)),
    skippedLines: countLines(old, from),
  }
}

/** Start of the line that is `lines` lines before the one that contains `index`. */
function lineStartBefore(text: string, index: number, lines: number): number {
  let start = lineStart(text, index)
  for (let left = lines; left > 0 && start > 0; left--) start = lineStart(text, start - 1)
  return start
}

function lineStart(text: string, index: number): number {
  return index <= 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1
}

/** End (after the line feed) of the line that is `lines` lines after the one that contains `index`. */
function lineEndAfter(text: string, index: number, lines: number): number {
  let end = index
  for (let left = lines; left >= 0 && end < text.length; left--) {
    const feed = text.indexOf('\n', end)
    end = feed < 0 ? text.length : feed + 1
  }
  return end
}

function countLines(text: string, before: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < before; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

async function fineHunks(old: string, after: string): Promise<Hunk[] | undefined> {
  // Only changes need it, so only they pay for loading it.
  const { structuredPatch } = await import('diff')
  return structuredPatch('', '', old, after, undefined, undefined, {
    context: CONTEXT,
    timeout: MAX_DIFF_MS,
    maxEditLength: MAX_EDIT_LENGTH,
  })?.hunks
}

function wholeHunk(old: string, after: string): Hunk {
  const oldLines = signedLines('-', old)
  const newLines = signedLines('+', after)
  return {
    oldStart: 1,
    oldLines: lineCount(oldLines),
    newStart: 1,
    newLines: lineCount(newLines),
    lines: [...oldLines, ...newLines],
  }
}

/** The number of lines, without the note that the last line has no newline. */
function lineCount(lines: readonly string[]): number {
  return lines.at(-1)?.startsWith('\\') ? lines.length - 1 : lines.length
}

function signedLines(sign: string, text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const open = lines.pop()
  const signed = lines.map((line) => sign + line)
  return open === undefined || open === '' ? signed : [...signed, sign + open, '\\ No newline at end of file']
}

function count(hunks: readonly Hunk[]): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) added++
      else if (line.startsWith('-')) removed++
    }
  }
  return { added, removed }
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk, skippedLines: number): string {
  // An empty side is numbered by the line before it.
  const range = (start: number, length: number): string => {
    const first = start + skippedLines - (length === 0 ? 1 : 0)
    return length === 1 ? `${first}` : `${first},${length}`
  }
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join('\n')}\n`
}

function cutToLine(body: string): string {
  if (body.length <= MAX_DIFF_CHARS) return body
  const end = body.lastIndexOf('\n', MAX_DIFF_CHARS - 1)
  // A single line of that length (minified code) is cut in the middle.
  return end > MAX_DIFF_CHARS / 2 ? body.slice(0, end + 1) : `${body.slice(0, MAX_DIFF_CHARS)}\n`
}
