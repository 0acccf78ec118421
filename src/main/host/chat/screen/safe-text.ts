import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../../engine/task/char-width'

/** Everything that moves a cursor, hides text or changes its order: control characters but line feed and tab, and bidirectional overrides. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu
const HIDDEN = /^[\r\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]$/u

/**
 * Text of a model, a tool or a file as it may be written to a terminal: an escape code becomes visible text and does nothing. Works on any piece of a
 * stream: no character depends on the one before it.
 */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => {
    if (HIDDEN.test(char)) return ''
    const code = char.codePointAt(0)!
    if (code === 0x1b) return '␛'
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '�'
  })
}

/** On one line, with everything between words a single space. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/gu, ' ').trim()
}

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
