import { lstatSync, readlinkSync } from 'node:fs'
import { createHash } from 'node:crypto'
import type { GitFileDiff, GitPath } from '../../../../shared/model/project/git'
import { diskPath, isFolderPath, pathArgument, rawPath } from '../run/git-path'
import { inPlainFolder, readPlainFile } from '../run/plain-path'
import type { OpenRepository } from '../repository/open-repository'
import { PLAIN_DIFF } from '../run/run-git'
import { parseDiff, type RawFileDiff } from './parse-diff'

/** What a diff compares: index and last commit, working tree and index, or nothing and a new file. */
export type DiffSide = 'staged' | 'unstaged' | 'untracked'

const MAX_BYTES = 4 * 1024 * 1024
const MAX_SHOWN_BYTES = 1024 * 1024

export const DIFF: readonly string[] = [
  'diff',
  ...PLAIN_DIFF,
  '--patch',
  '--unified=3',
  '--inter-hunk-context=0',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--no-relative',
  '--ignore-submodules=dirty',
  '--find-renames',
]

/** The diff of one file on one side of the index. `from`: its name before it was renamed. */
export async function fileDiff(
  repository: OpenRepository,
  { path, side, from }: { path: GitPath; side: DiffSide; from?: GitPath },
): Promise<GitFileDiff> {
  if (side === 'untracked') return newFileDiff(repository, path)
  const raw = await rawFileDiff(repository, { path, side, ...(from !== undefined && { from }) })
  return shownDiff(path, raw)
}

/** The same as bytes; undefined when there is no difference. */
export async function rawFileDiff(
  repository: OpenRepository,
  { path, side, from }: { path: GitPath; side: 'staged' | 'unstaged'; from?: GitPath },
): Promise<RawFileDiff | undefined> {
  const names = [path, ...(from === undefined ? [] : [from])].map(pathArgument)
  const { stdout } = await repository.read([...DIFF, ...(side === 'staged' ? ['--cached'] : []), '--', ...names], {
    maxBytes: MAX_BYTES,
  })
  const files = parseDiff(stdout)
  // Without its old name, a renamed file is two entries; the one that still has content is used.
  return files.length <= 1 ? files[0] : (files.find(({ newName }) => newName !== undefined) ?? files[0])
}

/** A diff for the screen. */
export function shownDiff(path: GitPath, raw: RawFileDiff | undefined): GitFileDiff {
  if (!raw) return { path, hunks: [], byHunk: false, added: 0, removed: 0, note: 'No difference in the content.' }
  const { hunks, added, removed, binary, header, oldName, newName } = raw
  const bytes = hunks.reduce((sum, { text }) => sum + text.length, 0)
  const note = binary
    ? 'A binary file.'
    : bytes > MAX_SHOWN_BYTES
      ? `The diff is too large to show (${added.toLocaleString('en')} lines added, ` +
        `${removed.toLocaleString('en')} removed).`
      : [modeNote(header), endsNote(hunks)].filter((text) => text !== undefined).join(' ') || undefined
  return {
    path,
    hunks:
      bytes > MAX_SHOWN_BYTES
        ? []
        : hunks.map(({ id, text }) => ({ id, text: Buffer.from(text, 'latin1').toString('utf8') })),
    byHunk: oldName !== undefined && newName !== undefined && !binary && isPlainFile(header),
    added,
    removed,
    ...(note !== undefined && { note }),
  }
}

/** Single hunks of links and submodules have no meaning. */
function isPlainFile(header: readonly string[]): boolean {
  return !header.some((line) => /^(?:index .* |(?:old|new) mode )(?:120000|160000)$/.test(line))
}

/** A note if only line endings differ, which is hard to see in a diff. `hunks`: bytes as latin1. */
function endsNote(hunks: readonly { text: string }[]): string | undefined {
  const lines = hunks.flatMap(({ text }) => text.split('\n'))
  const [old, fresh] = ['-', '+'].map((sign) =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)),
  ) as [string[], string[]]
  if (old.length === 0 || old.length !== fresh.length || hasCr(old) === hasCr(fresh)) return undefined
  if (old.some((line, n) => line.replace(/\r$/, '') !== fresh[n]!.replace(/\r$/, ''))) return undefined
  return hasCr(fresh) ? 'Only line ends change: from LF to CRLF.' : 'Only line ends change: from CRLF to LF.'
}

function hasCr(lines: readonly string[]): boolean {
  return lines.every((line) => line.endsWith('\r'))
}

function modeNote(header: readonly string[]): string | undefined {
  const old = header.find((line) => line.startsWith('old mode '))?.slice(9)
  const now = header.find((line) => line.startsWith('new mode '))?.slice(9)
  if (old === undefined || now === undefined) return undefined
  if (now === '100755') return 'It was made executable.'
  if (old === '100755') return 'It is no longer executable.'
  return `Its mode changed from ${old} to ${now}.`
}

function newFileDiff({ top }: OpenRepository, path: GitPath): GitFileDiff {
  const whole = { path, hunks: [], byHunk: false, added: 0, removed: 0 }
  if (isFolderPath(path)) return { ...whole, note: 'A new folder.' }
  const stat = lstatSync(diskPath(top, path), { throwIfNoEntry: false })
  if (!stat) return { ...whole, note: 'The file no longer exists.' }
  if (stat.isDirectory()) return { ...whole, note: 'A folder with a repository of its own.' }
  if (!stat.isFile() && !stat.isSymbolicLink()) return { ...whole, note: 'Not a plain file.' }
  if (stat.size > MAX_SHOWN_BYTES) return { ...whole, note: 'The file is too large to show.' }
  const bytes = stat.isSymbolicLink()
    ? inPlainFolder(top, rawPath(path), {}, (place) => readlinkSync(place, 'buffer'))
    : readPlainFile(top, rawPath(path), MAX_SHOWN_BYTES)?.content
  if (!bytes) return { ...whole, note: 'The file is changing just now.' }
  if (bytes.includes(0)) return { ...whole, note: 'A binary file.' }
  if (bytes.length === 0) return { ...whole, note: 'An empty file.' }
  const text = bytes.toString('utf8')
  const lines = text.split('\n')
  const isWhole = lines.at(-1) === ''
  if (isWhole) lines.pop()
  const body = lines.map((line) => `+${line}\n`).join('')
  const hunk = `@@ -0,0 +1,${lines.length} @@\n${body}${isWhole ? '' : '\\ No newline at end of file\n'}`
  const id = createHash('sha256').update(hunk).digest('hex').slice(0, 24)
  return { ...whole, hunks: [{ id, text: hunk }], added: lines.length }
}
