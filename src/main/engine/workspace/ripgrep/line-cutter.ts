/** Longer lines are cut. */
export const MAX_LINE_BYTES = 2_000
/** Bytes kept of a cut line, of which up to `BEFORE_MATCH` are before its first match. */
const KEPT_BYTES = 1_000
const BEFORE_MATCH = 300

const NUL = 0
const NEWLINE = 10
const RETURN = 13
const COLON = 58
const DASH = 45

/** These mark a line that was cut: a match, or a line of context. */
export const CUT_MATCH = 59
export const CUT_CONTEXT = 44

/**
 * Cuts long lines while ripgrep prints them, so that a line of any length doesn't fill the memory or crowd out later
 * lines. Reads `path NUL number : column : text` and passes on `path NUL number : text`; lines of context (`path NUL
 * number - text`) keep their form. For a long line, it passes on `path NUL number ; first / total : text`: the text
 * around its first match, the position of the first character of that text (from 1), and the number of characters in
 * the line; `,` instead of `;` marks a line of context. Remarks of ripgrep, which have no NUL, pass unchanged. A line
 * that is incomplete at the end is omitted. `leavesOut`: lines of these files, and remarks about them, are dropped, so
 * that nothing that counts or limits the output depends on them.
 */
export class LineCutter {
  readonly #next: (chunk: Buffer) => void
  readonly #leavesOut: ((path: string) => boolean) | undefined
  #state: 'path' | 'number' | 'column' | 'text' = 'path'
  #head: Buffer[] = []
  #number = ''
  #column = ''
  #isMatch = true
  #line = new CutLine(1)

  constructor(next: (chunk: Buffer) => void, leavesOut?: (path: string) => boolean) {
    this.#next = next
    this.#leavesOut = leavesOut && lastRemembered(leavesOut)
  }

  push(chunk: Buffer): void {
    const out: Buffer[] = []
    let at = 0
    while (at < chunk.length) at = (this.#isBetween && this.#takeShort(chunk, at, out)) || this.#take(chunk, at, out)
    if (out.length > 0) this.#next(Buffer.concat(out))
  }

  /** Call after the last chunk: passes on a remark at the end, which no path follows. */
  end(): void {
    const head = Buffer.concat(this.#head)
    if (head.length > 0) this.#next(this.#leavesOut ? this.#kept(head).remarks : head)
    this.#head = []
  }

  /** Splits the bytes before a line into remarks and path, without those of files that are left out. */
  #kept(head: Buffer): { remarks: Buffer; path: Buffer | undefined } {
    const leavesOut = this.#leavesOut
    const { notes, rest } = takeNotes(head)
    if (!leavesOut) return { remarks: head.subarray(0, head.length - rest.length), path: rest }
    let at = 0
    const remarks = notes.map(({ path, bytes }) => {
      at += bytes
      return leavesOut(path) ? Buffer.alloc(0) : head.subarray(at - bytes, at)
    })
    const isOut = leavesOut(rest.toString('utf8', 0, rest.length - 1))
    return { remarks: Buffer.concat(remarks), path: isOut ? undefined : rest }
  }

  get #isBetween(): boolean {
    return this.#state === 'path' && this.#head.length === 0
  }

  /** Reads bytes that belong to one part of a record; returns the position after them. */
  #take(chunk: Buffer, at: number, out: Buffer[]): number {
    if (this.#state === 'path') {
      const nul = chunk.indexOf(NUL, at)
      const end = nul < 0 ? chunk.length : nul + 1
      // Copied, because the chunk may be reused.
      this.#head.push(Buffer.from(chunk.subarray(at, end)))
      if (nul >= 0) this.#state = 'number'
      return end
    }
    if (this.#state === 'text') return this.#takeText(chunk, at, out)
    const byte = chunk[at]!
    if (this.#state === 'number') {
      if (byte >= 48 && byte <= 57) this.#number += String.fromCharCode(byte)
      else this.#beginLine(byte === DASH ? 'context' : 'match')
    } else if (byte >= 48 && byte <= 57) this.#column += String.fromCharCode(byte)
    else {
      this.#line = new CutLine(Number(this.#column))
      this.#state = 'text'
    }
    return at + 1
  }

  #beginLine(kind: 'match' | 'context'): void {
    this.#isMatch = kind === 'match'
    this.#line = new CutLine(1)
    this.#state = this.#isMatch ? 'column' : 'text'
  }

  #takeText(chunk: Buffer, at: number, out: Buffer[]): number {
    const newline = chunk.indexOf(NEWLINE, at)
    this.#line.push(chunk.subarray(at, newline < 0 ? chunk.length : newline))
    if (newline < 0) return chunk.length
    const { remarks, path } = this.#kept(Buffer.concat(this.#head))
    out.push(remarks, ...(path ? [path, Buffer.from(this.#number), this.#line.end(this.#isMatch)] : []))
    this.#head = []
    this.#number = ''
    this.#column = ''
    this.#state = 'path'
    return newline + 1
  }

  /**
   * Fast path for a short and complete record, as most are: passes it on without parsing it byte by byte. Returns where
   * the next one starts, or 0 if it is not such a record.
   */
  #takeShort(chunk: Buffer, at: number, out: Buffer[]): number {
    const nul = chunk.indexOf(NUL, at)
    if (nul < 0) return 0
    const mark = endOfNumber(chunk, nul + 1)
    const text = chunk[mark] === COLON ? endOfNumber(chunk, mark + 1) + 1 : mark + 1
    if (text >= chunk.length) return 0
    const newline = chunk.indexOf(NEWLINE, text)
    if (newline < 0 || newline - text > MAX_LINE_BYTES) return 0
    if (this.#leavesOut) {
      const path = chunk.subarray(at, nul)
      // Remarks before the path, or a name with a line feed.
      if (path.includes(NEWLINE)) return 0
      if (this.#leavesOut(path.toString('utf8'))) return newline + 1
    }
    out.push(chunk.subarray(at, mark + 1), chunk.subarray(text, newline + 1))
    return newline + 1
  }
}

/** Calls `leavesOut` only once for consecutive lines of the same file. */
function lastRemembered(leavesOut: (path: string) => boolean): (path: string) => boolean {
  let last: { path: string; isOut: boolean } | undefined
  return (path) => {
    if (last?.path !== path) last = { path, isOut: leavesOut(path) }
    return last.isOut
  }
}

/** One line, read in pieces: keeps its start in case it is short, and the text around its match in case it is long. */
class CutLine {
  readonly #from: number
  readonly #start: Buffer[] = []
  readonly #around: Buffer[] = []
  #bytes = 0
  #chars = 0
  #charsBefore = 0
  #last = 0

  /** `column`: the byte of the first match, from 1. */
  constructor(column: number) {
    this.#from = Math.max(0, column - 1 - BEFORE_MATCH)
  }

  push(piece: Buffer): void {
    const at = this.#bytes
    keep(this.#start, piece, at, 0, MAX_LINE_BYTES)
    keep(this.#around, piece, at, this.#from, this.#from + KEPT_BYTES)
    const before = Math.min(piece.length, Math.max(0, this.#from - at))
    const charsBefore = charsIn(piece, 0, before)
    this.#charsBefore += charsBefore
    this.#chars += charsBefore + charsIn(piece, before, piece.length)
    this.#bytes += piece.length
    this.#last = piece.at(-1) ?? this.#last
  }

  end(isMatch: boolean): Buffer {
    if (this.#bytes <= MAX_LINE_BYTES)
      return Buffer.concat([Buffer.from([isMatch ? COLON : DASH]), ...this.#start, Buffer.from('\n')])
    // If the match started on an earlier line, its column can be past the end of this one.
    const isBehind = this.#from >= this.#bytes
    const text = wholeCharacters(Buffer.concat(isBehind ? this.#start : this.#around).subarray(0, KEPT_BYTES))
    const first = (isBehind ? 0 : this.#charsBefore) + 1
    // With `--crlf`, a line can end with a carriage return, which Read does not count either.
    const total = this.#chars - (this.#last === RETURN ? 1 : 0)
    const mark = String.fromCharCode(isMatch ? CUT_MATCH : CUT_CONTEXT)
    return Buffer.concat([Buffer.from(`${mark}${first}/${total}:`), text, Buffer.from('\n')])
  }
}

/** Keeps the bytes `from` to `to` of a line that are in `piece`, which starts at byte `at` of that line. */
function keep(kept: Buffer[], piece: Buffer, at: number, from: number, to: number): void {
  const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at))
  if (part.length > 0) kept.push(Buffer.from(part))
}

/**
 * The number of characters that start in these bytes of UTF-8, counted as in the length of a string: those beyond the
 * basic plane count as two.
 */
function charsIn(piece: Buffer, from: number, to: number): number {
  let chars = 0
  for (let index = from; index < to; index++) {
    const byte = piece[index]!
    if (byte >= 0xf0) chars += 2
    else if ((byte & 0xc0) !== 0x80) chars++
  }
  return chars
}

/** Removes incomplete characters at both ends. */
function wholeCharacters(bytes: Buffer): Buffer {
  let from = 0
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  let to = bytes.length
  for (let back = 1; back <= Math.min(3, to); back++) {
    const byte = bytes[to - back]!
    if (byte < 0x80) break
    if (byte >= 0xc0) {
      if ((byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back) to -= back
      break
    }
  }
  return bytes.subarray(from, to)
}

/** The position after the digits that start at `from`. */
export function endOfNumber(bytes: Buffer, from: number): number {
  let at = from
  while ((bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
  return at
}

const NOTE =
  /^(.+?): ((?:binary file matches|WARNING: stopped searching binary file after match) \(found "[^"]*" byte around offset \d+\))\n/s

/** A remark that ripgrep prints about a binary file. */
interface Note {
  path: string
  note: string
  /** Its length in the output, in bytes. */
  bytes: number
}

/** Splits off remarks about binary files. They have no NUL, so they run into the path that follows. */
export function takeNotes(head: Buffer): { notes: Note[]; rest: Buffer } {
  const notes: Note[] = []
  if (!head.includes('byte around offset')) return { notes, rest: head }
  // In latin-1, each character is one byte, so the lengths are the same.
  let text = head.toString('latin1')
  for (let match = NOTE.exec(text); match; match = NOTE.exec(text)) {
    notes.push({
      path: Buffer.from(match[1]!, 'latin1').toString('utf8'),
      note: match[2]!.replace('WARNING: ', ''),
      bytes: match[0].length,
    })
    text = text.slice(match[0].length)
  }
  return { notes, rest: head.subarray(head.length - text.length) }
}
