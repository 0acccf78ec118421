import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../../engine/task/char-width'

export { oneLine, safeText } from '../../../command-line/safe-text'

/** Columns that safe text without line feeds takes, styled or not. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const char of stripVTControlCharacters(text)) columns += widthOf(char)
  return columns
}

/** Cut to so many columns, with a sign that it was. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const char of text) {
    used += widthOf(char)
    if (used > columns - 1) break
    kept += char
  }
  return `${kept}…`
}

/** The end of it, cut to so many columns. */
export function lastColumns(text: string, columns: number): string {
  let kept = ''
  let used = 0
  for (const char of Array.from(text).toReversed()) {
    used += widthOf(char)
    if (used > columns) break
    kept = char + kept
  }
  return kept
}
