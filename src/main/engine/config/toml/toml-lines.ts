/** Lines of a text by position. */

export function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1
}

/** The position before the line's end (`\n` or `\r\n`), or the end of the text. */
export function lineEnd(text: string, position: number): number {
  const next = text.indexOf('\n', position)
  if (next < 0) return text.length
  return next > 0 && text[next - 1] === '\r' && next - 1 >= position ? next - 1 : next
}

/** The position after the line's end. */
export function nextLine(text: string, position: number): number {
  const next = text.indexOf('\n', position)
  return next < 0 ? text.length : next + 1
}

export function splice(text: string, start: number, end: number, insert = ''): string {
  return text.slice(0, start) + insert + text.slice(end)
}

/** The line end this text uses. */
export function newlineOf(text: string): string {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** Removes the whole lines from `start` to `end`, and one of two blank lines that would then meet. */
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
