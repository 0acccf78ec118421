import type { AST } from 'toml-eslint-parser'
import { isDeepStrictEqual } from 'node:util'
import { cutLines, isBlank, lineEnd, lineStart, newlineOf, splice } from './toml-lines'
import { tomlValue, type TomlInput } from './toml-write'

/** Edits within `[...]` and `{...}`; whatever stands between the elements, comments above all, stays. */

/** Takes one element out, with its comma. */
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
  // From the back to the front, so that positions stay true.
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
    if (text.slice(open + 1, end - 1).trim() === '') return splice(text, open + 1, end - 1, `${space}${written}${space}`)
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
 * One step from the array in the text towards `wanted`, keeping its comments: an element out, or one added at the end. When the order has to
 * change, the whole array is written anew below its comments.
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
    kept.length === 0 ? tomlValue(wanted) : ['[', ...kept, ...wanted.map((item) => `  ${tomlValue(item)},`), ']'].join(newline)
  return splice(text, array.range[0], array.range[1], written)
}
