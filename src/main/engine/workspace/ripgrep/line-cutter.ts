/** A longer line is cut. */
export const MAX_LINE_BYTES = 2_000
/** What is kept of it: so much before its first match, and the rest after. */
const KEPT_BYTES = 1_000
const BEFORE_MATCH = 300

const NUL = 0
const NEWLINE = 10
const RETURN = 13
const COLON = 58
const DASH = 45

/** Marks a line that was cut: a match, and a line of context. */
export const CUT_MATCH = 59
export const CUT_CONTEXT = 44

/**
 * Cuts long lines while ripgrep prints them, so that one of any length takes neither memory nor the place of what comes
 * after it. Takes `path NUL number : column : text` (a line of context: `path NUL number - text`) and passes on `path
 * NUL number : text`. Of a long line it passes on `path NUL number ; first / total : text`: what surrounds its first
 * match, the number of its first character (from 1) and how many the line has; `,` in the place of `;` is a line of
 * context. Remarks of ripgrep, which have no NUL, pass as they are. What is not complete at the end is left out.
 * `leavesOut`: lines of these files are dropped, so that nothing that counts or limits the output depends on them.
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

  /** After the last chunk: a remark at the end has no path after it. */
  end(): void {
    const head = Buffer.concat(this.#head)
    if (head.length > 0) this.#next(this.#leavesOut ? this.#kept(head).remarks : head)
    this.#head = []
  }

  /** The part before a line that is passed on: remarks, and the path unless its lines are left out. */
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

  /** Takes what belongs to one part of a record; answers where the next begins. */
  #take(chunk: Buffer, at: number, out: Buffer[]): number {
    if (this.#state === 'path') {
      const nul = chunk.indexOf(NUL, at)
      const end = nul < 0 ? chunk.length : nul + 1
      // A copy: the chunk may be reused.
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
   * Most records are short and whole: they pass without being taken apart. Answers where the next begins, or 0 when
   * this is another kind.
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
      // Remarks, or a name with a line feed.
      if (path.includes(NEWLINE)) return 0
      if (this.#leavesOut(path.toString('utf8'))) return newline + 1
    }
    out.push(chunk.subarray(at, mark + 1), chunk.subarray(text, newline + 1))
    return newline + 1
  }
}

/** Asked once for the lines of a file, which come one after the other. */
function lastRemembered(leavesOut: (path: string) => boolean): (path: string) => boolean {
  let last: { path: string; isOut: boolean } | undefined
  return (path) => {
    if (last?.path !== path) last = { path, isOut: leavesOut(path) }
    return last.isOut
  }
}

/** One line as it comes: its beginning, in case it is short, and what surrounds the match, in case it is not. */
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
    // The column of a match that began on a line before may lie behind the end of this one.
    const isBehind = this.#from >= this.#bytes
    const text = wholeCharacters(Buffer.concat(isBehind ? this.#start : this.#around).subarray(0, KEPT_BYTES))
    const first = (isBehind ? 0 : this.#charsBefore) + 1
    // With `--crlf` ripgrep may end lines so; Read does not count it either.
    const total = this.#chars - (this.#last === RETURN ? 1 : 0)
    const mark = String.fromCharCode(isMatch ? CUT_MATCH : CUT_CONTEXT)
    return Buffer.concat([Buffer.from(`${mark}${first}/${total}:`), text, Buffer.from('\n')])
  }
}

/** Keeps what of `piece`, which begins at byte `at` of its line, lies between two bytes of the line. */
function keep(kept: Buffer[], piece: Buffer, at: number, from: number, to: number): void {
  const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at))
  if (part.length > 0) kept.push(Buffer.from(part))
}

/**
 * How many characters begin among these bytes of UTF-8, counted as strings count them: those beyond the basic plane as
 * two.
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

/** Without the halves of characters at both ends. */
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

/** Where the digits that begin at `from` end. */
export function endOfNumber(bytes: Buffer, from: number): number {
  let at = from
  while ((bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
  return at
}

const NOTE =
  /^(.+?): ((?:binary file matches|WARNING: stopped searching binary file after match) \(found "[^"]*" byte around offset \d+\))\n/s

/** What ripgrep says of a file instead of showing its lines. */
interface Note {
  path: string
  note: string
  /** How many bytes it takes. */
  bytes: number
}

/** Remarks about binary files have no NUL, so they stand in front of the next path. */
export function takeNotes(head: Buffer): { notes: Note[]; rest: Buffer } {
  const notes: Note[] = []
  if (!head.includes('byte around offset')) return { notes, rest: head }
  // As latin-1 a character is a byte, so lengths agree.
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
