import { FileProblem } from '../../workspace/path/file-problem'

/** One line of a hunk: kept, removed or added. */
export interface HunkLine {
  kind: 'keep' | 'remove' | 'add'
  text: string
  /** An empty line without the leading space of kept lines: it may only be a gap in the patch. */
  isBare?: true
}

/** One change within a file. */
export interface Hunk {
  /** Lines above the hunk, outermost first: it comes after all of them. */
  anchors: readonly string[]
  lines: readonly HunkLine[]
  /** Its lines must be the last ones of the file. */
  isAtEnd: boolean
}

/** What a patch does with one file, as written. */
export type PatchOperation =
  | { kind: 'add'; path: string; text: string }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; moveTo?: string; hunks: readonly Hunk[] }

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const END_OF_FILE = '*** End of File'
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
/** What models put around a patch because they are used to shells and Markdown. */
const WRAPPING = /^(?:\s*|```.*|apply_patch\b.*|<<.*|[A-Z]+)$/

/** Reads a patch in the apply_patch format. Throws a `FileProblem` that names the line that cannot be read. */
export function parsePatch(patch: string): PatchOperation[] {
  const lines = linesOf(patch)
  const begin = lines.findIndex((line) => line.trim() === BEGIN)
  const from = begin >= 0 ? begin + 1 : lines.findIndex((line) => HEADER.test(line.trim()))
  if (from < 0)
    throw new FileProblem(
      `The input is not a patch: its first line must be "${BEGIN}", then "*** Update File: path" and its hunks.`,
    )
  if (lines.slice(0, Math.max(0, begin)).some((line) => !WRAPPING.test(line)))
    throw new FileProblem(`There is text before "${BEGIN}". Give the patch alone.`)
  const end = lines.findLastIndex((line) => line.trim() === END)
  if (end < from)
    throw new FileProblem(`The patch does not end with "${END}", so it may be cut off. Send it again, whole.`)
  if (lines.slice(end + 1).some((line) => !WRAPPING.test(line)))
    throw new FileProblem(`There is text after "${END}". Give the patch alone.`)
  const operations = new PatchReader(lines, from, end).operations()
  if (operations.length === 0) throw new FileProblem('The patch changes no file.')
  return operations
}

function linesOf(patch: string): string[] {
  const lines = patch.split('\n')
  const written = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return written.every((line) => line.endsWith('\r')) ? written.map((line) => line.slice(0, -1)) : lines
}

class PatchReader {
  readonly #lines: readonly string[]
  readonly #end: number
  #at: number

  constructor(lines: readonly string[], from: number, end: number) {
    this.#lines = lines
    this.#at = from
    this.#end = end
  }

  operations(): PatchOperation[] {
    const operations: PatchOperation[] = []
    while (this.#at < this.#end) {
      const line = this.#lines[this.#at]!
      if (line.trim() === '') this.#at++
      else operations.push(this.#operation(line.trim()))
    }
    return operations
  }

  #operation(line: string): PatchOperation {
    const [, verb, path = ''] = HEADER.exec(line) ?? []
    if (verb === undefined)
      throw this.#problem('a line "*** Add File: path", "*** Update File: path" or "*** Delete File: path"')
    this.#at++
    if (verb === 'Delete') return { kind: 'delete', path: path.trim() }
    if (verb === 'Add') return { kind: 'add', path: path.trim(), text: this.#added() }
    const moveTo = MOVE.exec(this.#section() ?? '')?.[1]?.trim()
    if (moveTo !== undefined) this.#at++
    const hunks = this.#hunks()
    if (hunks.length === 0 && moveTo === undefined)
      throw new FileProblem(`The update of ${path} has no hunks. Nothing was written.`)
    return { kind: 'update', path: path.trim(), hunks, ...(moveTo !== undefined && { moveTo }) }
  }

  /** The next line of the current part; undefined where the next part starts. */
  #section(): string | undefined {
    const line = this.#at < this.#end ? this.#lines[this.#at] : undefined
    return line !== undefined && HEADER.test(line.trimEnd()) ? undefined : line
  }

  #added(): string {
    const lines: string[] = []
    let gap = 0
    for (let line = this.#section(); line !== undefined; line = this.#section()) {
      if (line.startsWith('+')) {
        lines.push(...Array.from({ length: gap }, () => ''), line.slice(1))
        gap = 0
      } else if (line.trim() === '') gap++
      else if (line.trim() !== END_OF_FILE) throw this.#problem('"+" before each line of the new file')
      this.#at++
    }
    return lines.map((line) => `${line}\n`).join('')
  }

  #hunks(): Hunk[] {
    const hunks: Hunk[] = []
    for (let line = this.#section(); line !== undefined; line = this.#section()) {
      if (line.trim() === '' && !this.#hasMore()) break
      const hunk = this.#hunk()
      if (hunk.lines.some(({ kind }) => kind !== 'keep')) hunks.push(hunk)
    }
    while (this.#section()?.trim() === '') this.#at++
    return hunks
  }

  /** Whether anything other than empty lines precedes the next part. */
  #hasMore(): boolean {
    for (let at = this.#at; at < this.#end; at++) {
      const line = this.#lines[at]!
      if (HEADER.test(line.trimEnd())) return false
      if (line.trim() !== '') return true
    }
    return false
  }

  #hunk(): Hunk {
    const anchors: string[] = []
    for (let line = this.#section(); line?.startsWith('@@'); line = this.#section()) {
      // Line numbers of a unified diff are often wrong, and the text after them is cut: the hunk's lines determine the
      // place.
      const anchor = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line)
        ? ''
        : line.slice(2).replace(/^ /, '').replace(/ @@$/, '')
      if (anchor.trim() !== '') anchors.push(anchor)
      this.#at++
    }
    const lines: HunkLine[] = []
    for (let line = this.#section(); line !== undefined && !line.startsWith('@@'); line = this.#section()) {
      this.#at++
      if (line.trimEnd() === END_OF_FILE) return { anchors, lines: withoutGap(lines), isAtEnd: true }
      lines.push(this.#hunkLine(line))
    }
    return { anchors, lines, isAtEnd: false }
  }

  #hunkLine(line: string): HunkLine {
    if (line === '') return { kind: 'keep', text: '', isBare: true }
    const text = line.slice(1)
    if (line.startsWith('+')) return { kind: 'add', text }
    if (line.startsWith('-')) return { kind: 'remove', text }
    if (line.startsWith(' ')) return { kind: 'keep', text }
    this.#at--
    throw this.#problem('" ", "-" or "+" before each line of a hunk, or "@@"')
  }

  #problem(expected: string): FileProblem {
    const line = this.#lines[this.#at] ?? ''
    return new FileProblem(
      `Line ${this.#at + 1} of the patch cannot be read: ${JSON.stringify(line.slice(0, 120).toWellFormed())}. ` +
        `Expected ${expected}. Nothing was written.`,
    )
  }
}

/** The lines without empty lines at the end that may not belong to the hunk. */
export function withoutGap(lines: readonly HunkLine[]): readonly HunkLine[] {
  return lines.slice(0, lines.findLastIndex(({ isBare }) => !isBare) + 1)
}
