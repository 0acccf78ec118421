/** A file in the scroll area: its header and its rows. */
export interface Block<Row extends { key: string }> {
  id: string
  rows: readonly Row[]
}

/** The part of a block to draw. `from`, `to`: its rows, `to` excluded. */
export interface BlockPart {
  index: number
  from: number
  to: number
  /** Height of the rows before `from`. */
  above: number
}

/** A position that stays fixed on screen while rows around it change. */
export interface Anchor {
  id: string
  /** Undefined: the header of the block. */
  row: string | undefined
  /** Pixels from the top of the row to the top of the screen. */
  offset: number
}

export interface RowHeights<Row> {
  head: number
  /** Estimated height of an unmeasured row. */
  of(row: Row): number
}

interface Placed<Row extends { key: string }> {
  block: Block<Row>
  top: number
  /** Offsets of the rows below the header, and of their end. */
  offsets: Float64Array
}

/**
 * The heights of all rows of a long scroll area. Only rows near the screen are drawn, and measured then. Unchanged
 * blocks keep their offsets, so that the cost of a change depends only on the rows of the changed block.
 */
export class RowWindow<Row extends { key: string }> {
  readonly #heights: RowHeights<Row>
  readonly #measured = new Map<string, number>()
  #placed: Placed<Row>[] = []

  constructor(heights: RowHeights<Row>) {
    this.#heights = heights
  }

  get height(): number {
    const last = this.#placed.at(-1)
    return last ? last.top + this.#heightOf(last) : 0
  }

  setBlocks(blocks: readonly Block<Row>[]): void {
    const known = new Map(this.#placed.map((placed) => [placed.block.id, placed]))
    let top = 0
    this.#placed = blocks.map((block) => {
      const before = known.get(block.id)
      const offsets = before && before.block.rows === block.rows ? before.offsets : this.#offsetsOf(block)
      const placed = { block, top, offsets }
      top += this.#heightOf(placed)
      return placed
    })
  }

  /** Stores the heights of drawn rows; returns whether one differs from the height assumed so far. */
  measure(id: string, heights: Iterable<readonly [row: Row, height: number]>): boolean {
    let hasChanged = false
    for (const [row, height] of heights) {
      const key = `${id}\n${row.key}`
      if ((this.#measured.get(key) ?? this.#heights.of(row)) === height) continue
      this.#measured.set(key, height)
      hasChanged = true
    }
    const index = hasChanged ? this.#placed.findIndex(({ block }) => block.id === id) : -1
    if (index < 0) return false
    const placed = this.#placed[index]!
    const before = this.#heightOf(placed)
    placed.offsets = this.#offsetsOf(placed.block)
    const grown = this.#heightOf(placed) - before
    for (const later of this.#placed.slice(index + 1)) later.top += grown
    return true
  }

  /** Forgets the measured heights, e.g. because the width has changed. */
  forget(): void {
    this.#measured.clear()
    const blocks = this.#placed.map(({ block }) => block)
    this.#placed = []
    this.setBlocks(blocks)
  }

  topOf(index: number): number {
    return this.#placed[index]?.top ?? 0
  }

  blockHeight(index: number): number {
    const placed = this.#placed[index]
    return placed ? this.#heightOf(placed) : 0
  }

  /** The parts between two offsets. */
  parts(from: number, to: number): BlockPart[] {
    const parts: BlockPart[] = []
    for (let index = Math.max(0, this.#blockAt(from)); index < this.#placed.length; index += 1) {
      const { block, top, offsets } = this.#placed[index]!
      if (top >= to) break
      const inside = top + this.#heights.head
      const first = firstAbove(offsets, from - inside)
      const last = Math.min(block.rows.length, firstAbove(offsets, to - inside) + 1)
      parts.push({ index, from: Math.min(first, block.rows.length), to: last, above: offsets[first] ?? 0 })
    }
    return parts
  }

  /** The position at the top of the screen. */
  anchorAt(scrollTop: number): Anchor | undefined {
    const placed = this.#placed[this.#blockAt(scrollTop)]
    if (!placed) return undefined
    const { block, top, offsets } = placed
    const inside = scrollTop - top - this.#heights.head
    if (inside < 0) return { id: block.id, row: undefined, offset: scrollTop - top }
    const at = firstAbove(offsets, inside)
    const row = block.rows[at]
    return { id: block.id, row: row?.key, offset: row ? inside - offsets[at]! : scrollTop - top }
  }

  /** The scroll position that keeps the anchor in place; undefined if its block was removed. */
  scrollTopFor({ id, row, offset }: Anchor): number | undefined {
    const placed = this.#placed.find(({ block }) => block.id === id)
    if (!placed) return undefined
    const at = row === undefined ? -1 : placed.block.rows.findIndex(({ key }) => key === row)
    if (at < 0) return placed.top + (row === undefined ? Math.min(offset, this.#heightOf(placed)) : 0)
    return placed.top + this.#heights.head + placed.offsets[at]! + offset
  }

  /** The offset of a row; undefined when it is missing. */
  rowTop(id: string, row: string): number | undefined {
    const placed = this.#placed.find(({ block }) => block.id === id)
    const at = placed?.block.rows.findIndex(({ key }) => key === row) ?? -1
    return placed && at >= 0 ? placed.top + this.#heights.head + placed.offsets[at]! : undefined
  }

  #heightOf({ offsets }: Placed<Row>): number {
    return this.#heights.head + offsets[offsets.length - 1]!
  }

  #offsetsOf({ id, rows }: Block<Row>): Float64Array {
    const offsets = new Float64Array(rows.length + 1)
    let sum = 0
    rows.forEach((row, n) => {
      offsets[n] = sum
      sum += this.#measured.get(`${id}\n${row.key}`) ?? this.#heights.of(row)
    })
    offsets[rows.length] = sum
    return offsets
  }

  /** The block at an offset. */
  #blockAt(offset: number): number {
    let [low, high] = [0, this.#placed.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#placed[middle]!.top <= offset) low = middle
      else high = middle - 1
    }
    return Math.min(low, this.#placed.length - 1)
  }
}

/** The index of the row that contains an offset. */
function firstAbove(offsets: Float64Array, offset: number): number {
  let [low, high] = [0, offsets.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (offsets[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}
