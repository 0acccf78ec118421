import { isDeepStrictEqual } from 'node:util'
import type { AST } from 'toml-eslint-parser'

/** The start of the line that contains a position. */

export function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1
}

/** The position before the line's end (`\n` or `\r\n`), or the end of the text. */
export function lineEnd(text: string, position: number): number {
  const next = text.indexOf('\n', position)
  if (next < 0) return text.length
  return next > 0 && text[next - 1] === '\r' && next - 1 >= position ? next - 1 : next
}

/** The start of the next line. */
export function nextLine(text: string, position: number): number {
  const next = text.indexOf('\n', position)
  return next < 0 ? text.length : next + 1
}

export function splice(text: string, start: number, end: number, insert = ''): string {
  return text.slice(0, start) + insert + text.slice(end)
}

/** The line ending of this text. */
export function newlineOf(text: string): string {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** Removes the whole lines from `start` to `end`, and one of two blank lines that would become adjacent. */
export function cutLines(text: string, start: number, end: number): string {
  const from = lineStart(text, start)
  let to = nextLine(text, end)
  const before = from === 0 || isBlank(text, lineStart(text, from - 1))
  if (before && to < text.length && isBlank(text, to)) to = nextLine(text, to)
  return splice(text, from, to)
}

export function isBlank(text: string, start: number): boolean {
  return text.slice(start, lineEnd(text, start)).trim() === ''
}

/** Values that can be written to the file. */
export type TomlInput = string | number | boolean | readonly TomlInput[] | { readonly [key: string]: TomlInput }

/** A value as TOML on one line. */
export function tomlValue(value: TomlInput): string {
  if (typeof value === 'string') return tomlString(value)
  if (typeof value === 'number') return tomlNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(tomlValue).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key)
}

export function isList(value: TomlInput): value is readonly TomlInput[] {
  return Array.isArray(value)
}

/** TOML is UTF-8, which has no lone surrogates: they become U+FFFD. */
export function wellFormed(value: TomlInput): TomlInput {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object') return value
  if (isList(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}

/** JSON's escapes are valid in TOML, except that TOML requires DEL to be escaped. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}

function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // TOML has no integers beyond 64 bits; with an exponent it is a float.
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER ? value.toExponential() : String(value)
}

/** Edits within `[...]` and `{...}`; keeps everything between the elements, especially comments. */

/** Removes one element and its comma. */
export function removeElement(text: string, elements: readonly AST.HasLocs[], index: number, close: number): string {
  const node = elements[index]
  if (!node) return text
  const [start, end] = node.range
  const previous = elements[index - 1]?.range[1]
  const next = elements[index + 1]?.range[0]
  if (next !== undefined && !text.slice(end, next).includes('\n')) return splice(text, start, next)
  const after = commaIn(text, end, next ?? close)
  const before = after === undefined && previous !== undefined ? commaIn(text, previous, start) : undefined
  if (next === undefined && previous !== undefined && !text.slice(previous, start).includes('\n')) {
    return splice(text, previous, after === undefined ? end : after + 1)
  }
  // From back to front, so that positions stay correct.
  let out = after === undefined ? text : splice(text, after, after + 1)
  out = splice(out, start, end)
  const line = lineStart(out, start)
  if (isBlank(out, line) && lineEnd(out, start) < out.length) out = cutLines(out, line, line)
  return before === undefined ? out : splice(out, before, before + 1)
}

/** Adds an element at the end, in the style of the others. */
export function appendElement(text: string, list: AST.TOMLArray | AST.TOMLInlineTable, written: string): string {
  const elements: readonly AST.HasLocs[] = list.type === 'TOMLArray' ? list.elements : list.body
  const [open, end] = list.range
  const last = elements.at(-1)
  const space = list.type === 'TOMLArray' ? '' : ' '
  if (!last) {
    if (text.slice(open + 1, end - 1).trim() === '')
      return splice(text, open + 1, end - 1, `${space}${written}${space}`)
    return splice(text, open + 1, open + 1, `${space}${written}`)
  }
  const lastEnd = last.range[1]
  const close = end - 1
  const startsLine = text.slice(lineStart(text, last.range[0]), last.range[0]).trim() === ''
  if (!startsLine || lineEnd(text, lastEnd) > close) return splice(text, lastEnd, lastEnd, `, ${written}`)
  const indent = text.slice(lineStart(text, last.range[0]), last.range[0])
  const comma = commaIn(text, lastEnd, close)
  const at = lineEnd(text, comma ?? lastEnd)
  const out = splice(text, at, at, `${newlineOf(text)}${indent}${written}${comma === undefined ? '' : ','}`)
  return comma === undefined ? splice(out, lastEnd, lastEnd, ',') : out
}

/** The comma between two positions, not one in a comment. */
function commaIn(text: string, from: number, to: number): number | undefined {
  for (let position = from; position < to; position += 1) {
    if (text[position] === ',') return position
    if (text[position] === '#') position = lineEnd(text, position)
  }
  return undefined
}

/**
 * One step from the array in the text toward `wanted`, keeping its comments: removes an element, or appends one. If the
 * order has to change, the whole array is rewritten below its comments.
 */
export function stepArray(
  text: string,
  array: AST.TOMLArray,
  current: readonly unknown[],
  wanted: readonly TomlInput[],
  comments: readonly AST.Comment[],
): string {
  const gone = current.findIndex((item) => !wanted.some((kept) => isDeepStrictEqual(kept, item)))
  if (gone >= 0) return removeElement(text, array.elements, gone, array.range[1] - 1)
  const added = wanted[current.length]
  if (added !== undefined && isDeepStrictEqual(current, wanted.slice(0, current.length)))
    return appendElement(text, array, tomlValue(added))
  const newline = newlineOf(text)
  const kept = comments.map((comment) => `  ${text.slice(...comment.range)}`)
  const written =
    kept.length === 0
      ? tomlValue(wanted)
      : ['[', ...kept, ...wanted.map((item) => `  ${tomlValue(item)},`), ']'].join(newline)
  return splice(text, array.range[0], array.range[1], written)
}
