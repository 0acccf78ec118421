import { isUtf8 } from 'node:buffer'
import type { StorePages } from './store-pages'

/** A value of a row. The tables read here contain no blobs or fractions. */
export type Value = string | number | null | undefined

/** A row of a table, or an entry of an index, found on a page. */
export interface PageRecord {
  kind: 'row' | 'entry'
  /** For rows of ordinary tables. */
  rowid: number
  values: Value[]
}

const TABLE_LEAF = 0x0d
const INDEX_LEAF = 0x0a
const INDEX_INTERIOR = 0x02
/** More columns than any table here has. */
const MAX_COLUMNS = 16

/**
 * Every complete record on a page, whichever tree it belongs to: a row needs its own page and its overflow pages, but
 * no parent page. Format: https://sqlite.org/fileformat2.html#b_tree_pages. `wanted`: whether to read records with this
 * many columns.
 */
export function* recordsOf(
  pages: StorePages,
  n: number,
  wanted: (kind: PageRecord['kind'], columns: number) => boolean,
): Generator<PageRecord, void> {
  const page = pages.page(n)
  const type = page?.[0]
  if (!page || n === 1 || (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INTERIOR)) return
  const kind = type === TABLE_LEAF ? 'row' : 'entry'
  const pointers = type === INDEX_INTERIOR ? 12 : 8
  const cells = page.readUInt16BE(3)
  if (pointers + cells * 2 > pages.usable) return
  for (let cell = 0; cell < cells; cell += 1) {
    const at = page.readUInt16BE(pointers + cell * 2)
    if (at < pointers + cells * 2 || at >= pages.usable) continue
    const record = recordAt(pages, page, type === INDEX_INTERIOR ? at + 4 : at, kind, wanted)
    if (record) yield record
  }
}

function recordAt(
  pages: StorePages,
  page: Buffer,
  at: number,
  kind: PageRecord['kind'],
  wanted: (kind: PageRecord['kind'], columns: number) => boolean,
): PageRecord | undefined {
  const length = varint(page, at)
  const rowid = kind === 'row' && length ? varint(page, length.next) : undefined
  const from = kind === 'row' ? rowid?.next : length?.next
  if (!length || from === undefined) return undefined
  const here = bytesHere(length.value, pages.usable, kind)
  if (from + here > pages.usable) return undefined
  const types = columnTypes(page.subarray(from, from + here), length.value)
  if (!types || !wanted(kind, types.codes.length)) return undefined
  const payload =
    here === length.value
      ? page.subarray(from, from + here)
      : withOverflow(pages, page, { from, here, whole: length.value })
  if (!payload) return undefined
  const values = valuesOf(payload, types)
  return values && { kind, rowid: rowid?.value ?? 0, values }
}

/** How much of a payload is on its own page. */
function bytesHere(payload: number, usable: number, kind: PageRecord['kind']): number {
  const max = kind === 'row' ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (payload <= max) return payload
  const min = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = min + ((payload - min) % (usable - 4))
  return fitting <= max ? fitting : min
}

/** The whole payload; undefined when the overflow chain is too short or too long, and therefore damaged. */
function withOverflow(
  pages: StorePages,
  page: Buffer,
  { from, here, whole }: { from: number; here: number; whole: number },
): Buffer | undefined {
  if (from + here + 4 > pages.usable || whole > pages.count * pages.usable) return undefined
  const parts = [page.subarray(from, from + here)]
  let missing = whole - here
  let next = page.readUInt32BE(from + here)
  while (missing > 0) {
    const more = pages.page(next)
    if (!more || next < 2) return undefined
    const bytes = Math.min(missing, pages.usable - 4)
    parts.push(more.subarray(4, 4 + bytes))
    missing -= bytes
    next = more.readUInt32BE(0)
  }
  return next === 0 ? Buffer.concat(parts, whole) : undefined
}

interface ColumnTypes {
  codes: number[]
  /** Offset of the values. */
  start: number
}

/** The column types in a record's header; undefined when they do not add up to its length. */
function columnTypes(payload: Buffer, length: number): ColumnTypes | undefined {
  const header = varint(payload, 0)
  if (!header || header.value > payload.length) return undefined
  const codes: number[] = []
  let total = header.value
  for (let at = header.next; at < header.value;) {
    const code = varint(payload, at)
    if (!code || code.next > header.value || codes.length === MAX_COLUMNS) return undefined
    codes.push(code.value)
    total += bytesOf(code.value)
    at = code.next
  }
  return total === length ? { codes, start: header.value } : undefined
}

const FIXED_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0]

function bytesOf(code: number): number {
  return code < 12 ? FIXED_BYTES[code]! : Math.floor((code - 12) / 2)
}

function valuesOf(payload: Buffer, { codes, start }: ColumnTypes): Value[] | undefined {
  let at = start
  const values: Value[] = []
  for (const code of codes) {
    const bytes = payload.subarray(at, at + bytesOf(code))
    at += bytes.length
    if (code === 0) values.push(null)
    else if (code <= 5) values.push(bytes.readIntBE(0, bytes.length))
    else if (code === 6) values.push(Number(bytes.readBigInt64BE()))
    else if (code === 8 || code === 9) values.push(code - 8)
    else if (code >= 13 && code % 2 === 1) {
      if (!isUtf8(bytes)) return undefined
      values.push(bytes.toString('utf8'))
    } else values.push(undefined)
  }
  return values
}

/** A SQLite varint; undefined when the bytes end, or when it is too large to be a length. */
function varint(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0
  for (let n = 0; n < 8; n += 1) {
    const byte = bytes[at + n]
    if (byte === undefined) return undefined
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return value <= Number.MAX_SAFE_INTEGER ? { value, next: at + n + 1 } : undefined
  }
  return undefined
}
