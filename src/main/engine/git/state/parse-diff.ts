import { createHash } from 'node:crypto'

/** One hunk of a diff, as its exact bytes in latin1. */
export interface RawHunk {
  id: string
  /** Starts with its `@@` line and ends with a line break. */
  text: string
  oldStart: number
  newStart: number
}

/** The diff of one file, as git prints it. */
export interface RawFileDiff {
  /** Lines before the hunks. */
  header: string[]
  hunks: RawHunk[]
  binary: boolean
  added: number
  removed: number
  /** The `--- a/…` and `+++ b/…` names; undefined for /dev/null or a missing line. */
  oldName?: string
  newName?: string
}

/** Splits the output of `git diff -p` into files. The bytes of the content are preserved. */
export function parseDiff(output: Buffer): RawFileDiff[] {
  const lines = output.toString('latin1').split('\n')
  // The empty string after the last line break.
  if (lines.at(-1) === '') lines.pop()
  const files: RawFileDiff[] = []
  let at = 0
  while (at < lines.length) {
    if (!lines[at]!.startsWith('diff ')) {
      at += 1
      continue
    }
    const file: RawFileDiff = { header: [lines[at]!], hunks: [], binary: false, added: 0, removed: 0 }
    at += 1
    while (at < lines.length && !lines[at]!.startsWith('@@ ') && !lines[at]!.startsWith('diff ')) {
      const line = lines[at]!
      file.header.push(line)
      if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.binary = true
      if (line.startsWith('--- ') && line !== '--- /dev/null') file.oldName = line.slice(4)
      if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.newName = line.slice(4)
      at += 1
    }
    while (at < lines.length && lines[at]!.startsWith('@@ ')) at = readHunk(lines, at, file)
    files.push(file)
  }
  return files
}

/** Relies on the hunk's line counts, because a line of content may look like anything. */
function readHunk(lines: readonly string[], start: number, file: RawFileDiff): number {
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[start]!) ?? []
  let [old, fresh] = [Number(oldCount), Number(newCount)]
  let at = start + 1
  while (at < lines.length && (old > 0 || fresh > 0 || lines[at]!.startsWith('\\'))) {
    const mark = lines[at]![0]
    if (mark === '\\') {
      at += 1
      continue
    }
    if (mark !== '+') old -= 1
    if (mark !== '-') fresh -= 1
    if (mark === '+') file.added += 1
    if (mark === '-') file.removed += 1
    at += 1
  }
  const text = `${lines.slice(start, at).join('\n')}\n`
  const id = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 24)
  file.hunks.push({ id, text, oldStart: Number(oldStart), newStart: Number(newStart) })
  return at
}

/** A patch with only these hunks of a file that exists on both sides. */
export function patchOf(file: RawFileDiff, hunks: readonly RawHunk[]): Buffer {
  const name = file.newName ?? file.oldName ?? ''
  // Renamed files are changed under their new name.
  const old = name.replace(/^("?)b\//, '$1a/')
  const text =
    `diff --git ${old.replace(/\t$/, '')} ${name.replace(/\t$/, '')}\n` +
    `--- ${old}\n+++ ${name}\n${hunks.map((hunk) => hunk.text).join('')}`
  return Buffer.from(text, 'latin1')
}
