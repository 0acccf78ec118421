import { charWidth } from './char-width'

/** Size of every command's terminal. Wide, because `ps`, `git` and table printers cut what does not fit (README.md). */
export const TERMINAL_COLS = 200
export const TERMINAL_ROWS = 50

/** Consecutive commands may clear the screen; clearing it more often is an animation. */
const MAX_KEPT = 8

/** One row of the screen. `cells` replaces `text` once something was written before its end. */
interface Row {
  text: string
  /** One entry per column; '' continues a tab or a wide character. */
  cells: string[] | undefined
  cols: number
  /** The row above was full and wraps into this one: no line break between them. */
  continues: boolean
}

/**
 * The text of a terminal: a window of rows the cursor can reach, and the rows that scrolled out above it. No row is
 * wider than the terminal, so every operation takes bounded time; wrapped rows are joined in the result.
 */
export class ScreenRows {
  private readonly scrolled: string[] = []
  private rows: Row[] = [newRow()]
  private row = 0
  private col = 0
  private saved = { row: 0, col: 0 }
  /** Number of cleared screens that are kept and skipped, and the position of the skipped ones in `scrolled`. */
  private kept = 0
  private skipped = 0
  private skippedAt: number | undefined
  /** The main screen while a full-screen program shows its own. */
  private main: { rows: Row[]; row: number; col: number } | undefined

  /** Writes printable text without control characters. */
  write(run: string): void {
    const row = this.current()
    // The common case: plain ASCII at the end of a row with enough space.
    if (row.cells === undefined && this.col === row.cols && row.cols + run.length <= TERMINAL_COLS && isAscii(run)) {
      row.text += run
      row.cols += run.length
      this.col = row.cols
      return
    }
    for (const char of run) this.put(char, charWidth(char))
  }

  tab(): void {
    const row = this.current()
    const width = 8 - (this.col % 8)
    if (this.col >= row.cols) this.put('\t', Math.min(width, Math.max(1, TERMINAL_COLS - this.col)))
    else this.col = Math.min(this.col + width, TERMINAL_COLS - 1)
  }

  /** Next line, first column: programs print "\n" alone, because the terminal does not translate it. */
  lineFeed(): void {
    this.col = 0
    this.nextRow()
  }

  carriageReturn(): void {
    this.col = 0
  }

  /** Relative move, within the screen. */
  move(rows: number, cols: number): void {
    this.row = clamp(this.row + rows, 0, TERMINAL_ROWS - 1)
    if (cols !== 0) this.col = clamp(Math.min(this.col, TERMINAL_COLS - 1) + cols, 0, TERMINAL_COLS - 1)
    this.grow()
  }

  /** Absolute move, from 0; undefined keeps the coordinate. */
  moveTo(row: number | undefined, col: number | undefined): void {
    if (row !== undefined) this.row = clamp(row, 0, TERMINAL_ROWS - 1)
    if (col !== undefined) this.col = clamp(col, 0, TERMINAL_COLS - 1)
    this.grow()
  }

  save(): void {
    this.saved = { row: this.row, col: this.col }
  }

  restore(): void {
    this.moveTo(this.saved.row, this.saved.col)
  }

  /** 0: from the cursor; 1: up to the cursor; 2: the whole row. */
  eraseLine(mode: number): void {
    const row = this.current()
    if (mode === 2 || (mode === 0 && this.col === 0) || (mode === 1 && this.col + 1 >= row.cols)) clear(row)
    else if (mode === 0) this.truncate(row, this.col)
    else if (mode === 1) blank(cellsOf(row), 0, this.col + 1)
  }

  /**
   * Clears the screen, as `clear` does. Its content scrolls out, so that it is not lost; if this repeats, the program
   * is an animation: frames between the first few and the last are skipped, with a note. The screen of a full-screen
   * program is not kept.
   */
  clear(): void {
    if (this.main === undefined) {
      const shown = this.rows.slice(0, this.rows.findLastIndex(({ cols }) => cols > 0) + 1)
      if (shown.length > 0 && this.kept < MAX_KEPT) {
        this.kept++
        this.scrolled.push(
          ...shown.map((row, index) => (index === 0 && this.scrolled.length === 0 ? textOf(row) : withBreak(row))),
        )
      } else if (shown.length > 0) {
        this.skippedAt ??= this.scrolled.length
        this.skipped++
        this.scrolled.length = this.skippedAt
      }
    }
    this.eraseDisplay(2)
  }

  /** 0: from the cursor; 1: up to the cursor; 2: the screen. What scrolled out stays. */
  eraseDisplay(mode: number): void {
    const from = mode === 0 ? this.row + 1 : 0
    const to = mode === 1 ? this.row : this.rows.length
    if (mode > 2) return
    for (const row of this.rows.slice(from, to)) {
      clear(row)
      row.continues = false
    }
    if (mode !== 2) this.eraseLine(mode)
    if (mode !== 1) this.rows.length = this.row + 1
  }

  /** Blanks `count` columns from the cursor. */
  eraseChars(count: number): void {
    const row = this.current()
    blank(cellsOf(row), this.col, Math.min(this.col + count, row.cols))
  }

  /** Removes `count` columns at the cursor; the rest moves left. */
  deleteChars(count: number): void {
    const row = this.current()
    const cells = cellsOf(row)
    split(cells, this.col)
    split(cells, this.col + count)
    cells.splice(this.col, count)
    row.cols = cells.length
  }

  /** Inserts `count` blank columns at the cursor; the rest moves right and out. */
  insertChars(count: number): void {
    const row = this.current()
    const cells = cellsOf(row)
    if (this.col >= cells.length) return
    split(cells, this.col)
    cells.splice(this.col, 0, ...Array<string>(Math.min(count, TERMINAL_COLS)).fill(' '))
    split(cells, TERMINAL_COLS)
    cells.length = Math.min(cells.length, TERMINAL_COLS)
    row.cols = cells.length
  }

  /** A full-screen program starts. */
  enterAlternate(): void {
    if (this.main) return
    this.main = { rows: this.rows, row: this.row, col: this.col }
    this.rows = [newRow()]
    this.row = 0
    this.col = 0
  }

  /** It ends: its screen is discarded, the previous one restored. */
  leaveAlternate(): void {
    if (!this.main) return
    ;({ rows: this.rows, row: this.row, col: this.col } = this.main)
    this.main = undefined
  }

  /** Everything that scrolled out, then the screen; while a full-screen program runs, its screen comes last. */
  text(): string {
    const shown = this.main ? [...this.main.rows, ...this.rows] : this.rows
    const note =
      this.skipped === 0
        ? []
        : [
            `\n[The screen was cleared ${this.skipped} more ${this.skipped === 1 ? 'time' : 'times'}; ` +
              'what it showed in between is left out here.]',
          ]
    const at = this.skippedAt ?? this.scrolled.length
    return (
      [...this.scrolled.slice(0, at), ...note, ...this.scrolled.slice(at)].join('') +
      shown.map((row, index) => (index === 0 && this.scrolled.length === 0 ? textOf(row) : withBreak(row))).join('')
    )
  }

  private put(char: string, width: number): void {
    if (width === 0) {
      this.attach(char)
      return
    }
    if (this.col + width > TERMINAL_COLS) {
      this.col = 0
      this.nextRow().continues = true
    }
    const row = this.current()
    if (row.cells === undefined && this.col === row.cols) {
      row.text += char
    } else {
      const cells = cellsOf(row)
      while (cells.length < this.col) cells.push(' ')
      split(cells, this.col)
      split(cells, this.col + width)
      cells[this.col] = char
      for (let filler = 1; filler < width; filler++) cells[this.col + filler] = ''
      row.cols = cells.length
    }
    this.col += width
    if (row.cells === undefined) row.cols = this.col
  }

  /** A combining mark belongs to the character before it. */
  private attach(mark: string): void {
    const row = this.current()
    if (row.cells === undefined && this.col === row.cols) {
      row.text += mark
      return
    }
    const cells = cellsOf(row)
    let at = Math.min(this.col, cells.length) - 1
    while (at > 0 && cells[at] === '') at--
    // Bounded, so that a flood of marks cannot grow one cell without limit.
    if (at >= 0 && cells[at]!.length < 32) cells[at] += mark
  }

  private current(): Row {
    return this.rows[this.row]!
  }

  private nextRow(): Row {
    this.row++
    this.grow()
    return this.current()
  }

  /** Creates the row under the cursor; the top one scrolls out when the screen is full. */
  private grow(): void {
    while (this.rows.length <= this.row) this.rows.push(newRow())
    while (this.rows.length > TERMINAL_ROWS) {
      const top = this.rows.shift()!
      this.row--
      if (!this.main) this.scrolled.push(this.scrolled.length === 0 ? textOf(top) : withBreak(top))
    }
  }

  private truncate(row: Row, cols: number): void {
    if (cols >= row.cols) return
    const cells = cellsOf(row)
    split(cells, cols)
    cells.length = cols
    row.cols = cols
  }
}

function newRow(): Row {
  return { text: '', cells: undefined, cols: 0, continues: false }
}

function clear(row: Row): void {
  row.text = ''
  row.cells = undefined
  row.cols = 0
}

function withBreak(row: Row): string {
  return row.continues ? textOf(row) : `\n${textOf(row)}`
}

/** Blanks at the end of a redrawn row were erased there, not printed. */
function textOf(row: Row): string {
  return row.cells === undefined ? row.text : row.cells.join('').replace(/ +$/, '')
}

function cellsOf(row: Row): string[] {
  if (row.cells !== undefined) return row.cells
  const cells: string[] = []
  for (const char of row.text) {
    const width =
      char === '\t' ? Math.min(8 - (cells.length % 8), Math.max(1, TERMINAL_COLS - cells.length)) : charWidth(char)
    if (width === 0 && cells.length > 0) {
      let at = cells.length - 1
      while (at > 0 && cells[at] === '') at--
      cells[at] += char
    } else {
      cells.push(char)
      for (let filler = 1; filler < width; filler++) cells.push('')
    }
  }
  row.cells = cells
  row.cols = cells.length
  row.text = ''
  return cells
}

/** Before a cut at `at`: blanks a tab or wide character that spans it. */
function split(cells: string[], at: number): void {
  if (at >= cells.length || cells[at] !== '') return
  let start = at
  while (start > 0 && cells[start] === '') start--
  for (let index = start; index < cells.length && (index === start || cells[index] === ''); index++) cells[index] = ' '
}

function blank(cells: string[], from: number, to: number): void {
  split(cells, from)
  split(cells, to)
  for (let index = from; index < to && index < cells.length; index++) cells[index] = ' '
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value))
}

function isAscii(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text)
}
