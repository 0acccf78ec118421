import type { ReviewDiff } from '../../../shared/model/session/review'
import { describeFormat, lineEndings } from '../workspace/file/text-file'
import { sensitiveRule } from '../workspace/path/sensitive-file'
import type { FileTexts } from './file-texts'
import { keyOf } from './review-files'
import type { ReviewedFile, Version } from './reviewed-file'
import { notebookLanguage, notebookParts } from './notebook-parts'
import { hunksOf, textDifference } from './text-diff'

/** Longer differences are not shown line by line, because they would make a page slow. */
const MAX_SHOWN_LINES = 20_000

/** The kind of secrets a file may contain, judged by its current or former name; undefined if none. */
export function secretOf({ path, from }: ReviewedFile): string | undefined {
  return sensitiveRule(path) ?? (from === undefined ? undefined : sensitiveRule(from))
}

/** The diff of a file that may contain secrets, without its lines. */
export function hiddenDiff(file: ReviewedFile): ReviewDiff {
  return { ...aboutOf(file), notes: stateNotes(file), secret: secretOf(file) ?? '' }
}

function aboutOf(file: ReviewedFile): Omit<ReviewDiff, 'notes'> {
  return { path: file.path, key: keyOf(file), added: 0, removed: 0, hunks: [], oldLines: 0, newLines: 0 }
}

/** The diff of one file for display. */
export async function fileDiff(file: ReviewedFile, { before, after }: FileTexts): Promise<ReviewDiff> {
  const about = aboutOf(file)
  const notes = stateNotes(file)
  const problem = 'problem' in after ? after.problem : 'problem' in before ? before.problem : undefined
  if (problem !== undefined) return { ...about, notes: [...notes, ...sizeNotes(file), problem] }
  if ('problem' in before || 'problem' in after) return { ...about, notes }
  const difference = await textDifference(before.text, after.text)
  const [removed, added] = [sum(difference.runs.map((run) => run.old)), sum(difference.runs.map((run) => run.new))]
  const counts = { ...about, added, removed, oldLines: difference.old.length, newLines: difference.new.length }
  notes.push(...textNotes(before, after))
  if (added + removed > MAX_SHOWN_LINES)
    return { ...counts, notes: [...notes, 'The difference is too large to be shown line by line.'] }
  if (difference.isCoarse) notes.push('Too different to compare line by line: the changed part is shown as replaced.')
  if (difference.runs.length === 0 && notes.length === 0 && file.from === undefined)
    notes.push(after.text === '' ? 'The file is empty.' : 'The text is the same.')
  const notebook = /\.ipynb$/i.test(file.path) ? notebookParts(before.text, after.text) : undefined
  const language = notebook && (notebookLanguage(after.text) ?? notebookLanguage(before.text))
  return {
    ...counts,
    hunks: hunksOf(difference),
    notes,
    ...(notebook && { notebook }),
    ...(language !== undefined && { language }),
  }
}

function sum(lists: readonly (readonly string[])[]): number {
  return lists.reduce((total, { length }) => total + length, 0)
}

function textNotes(
  before: Extract<FileTexts['before'], { text: string }>,
  after: Extract<FileTexts['after'], { text: string }>,
): string[] {
  const [from, to] = [lineEndings(before.text), lineEndings(after.text)]
  const isBoth = before.bytes > 0 && after.bytes > 0
  const [old, fresh] = [before.format, after.format].map((format) => format && (describeFormat(format) ?? 'UTF-8'))
  return [
    ...(isBoth && from !== to && from !== 'none' && to !== 'none'
      ? [`Line ends change from ${END_NAMES[from]} to ${END_NAMES[to]}.`]
      : []),
    ...(isBoth && old !== undefined && fresh !== undefined && old !== fresh
      ? [`The encoding changes from ${old} to ${fresh}.`]
      : []),
  ]
}

const END_NAMES = { none: 'none', lf: 'LF', crlf: 'CRLF', mixed: 'mixed' }

/** Notes on changes other than the content. */
function stateNotes({ before, after }: ReviewedFile): string[] {
  const [from, to] = [kindOf(before), kindOf(after)]
  if (before.kind === 'absent' || after.kind === 'absent') return []
  if (from !== to) return [`It was ${from} and is ${to}.`]
  const modes = [modeOf(before), modeOf(after)]
  // Git records only whether a file is executable.
  const isSame = before.kind === 'object' ? isExecutable(modes[0]) === isExecutable(modes[1]) : modes[0] === modes[1]
  return isSame || modes[0] === undefined || modes[1] === undefined
    ? []
    : [`Permissions change from ${modes[0].toString(8)} to ${modes[1].toString(8)}.`]
}

function kindOf(version: Version): string {
  if (version.kind === 'link' || (version.kind === 'object' && version.isLink)) return 'a symbolic link'
  return version.kind === 'folder' ? 'a folder' : 'a file'
}

function modeOf(version: Version): number | undefined {
  return version.kind === 'file' || (version.kind === 'object' && !version.isLink) ? version.mode : undefined
}

function isExecutable(mode: number | undefined): boolean {
  return mode !== undefined && (mode & 0o100) !== 0
}

function sizeNotes({ before, after }: ReviewedFile): string[] {
  const [from, to] = [before, after].map((version) => (version.kind === 'file' ? version.size : undefined))
  if (to === undefined) return []
  return [from === undefined ? `${bytes(to)}.` : `${bytes(from)} before, ${bytes(to)} now.`]
}

function bytes(size: number): string {
  return size === 1 ? '1 byte' : `${size.toLocaleString('en-US')} bytes`
}
