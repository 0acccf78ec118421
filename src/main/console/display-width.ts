import { stripVTControlCharacters } from 'node:util'
import { charWidth } from '../engine/task/output/char-width'

/** Columns that safe text without line feeds takes, styled or not. */
export function displayWidth(text: string): number {
  let columns = 0
  for (const char of stripVTControlCharacters(text)) columns += charWidth(char)
  return columns
}

/** With spaces after it, up to this width. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

/** Truncates to this width, with an ellipsis. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const char of text) {
    used += charWidth(char)
    if (used > columns - 1) break
    kept += char
  }
  return `${kept}…`
}

/** The end of the text, truncated to this width. */
export function lastColumns(text: string, columns: number): string {
  let kept = ''
  let used = 0
  for (const char of Array.from(text).toReversed()) {
    used += charWidth(char)
    if (used > columns) break
    kept = char + kept
  }
  return kept
}
