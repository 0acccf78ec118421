import { lineEndings } from '../../workspace/file/text-file'

/** The text with line feeds only, as on-screen editors use it. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/**
 * Restores the line endings of the original in a text that was edited with line feeds only: lines that still exist keep
 * their own, and new lines get the most common one.
 */
export function withEndsOf(edited: string, original: string): string {
  const ends = lineEndings(original)
  if (ends === 'lf' || ends === 'none') return edited
  const wanted = edited.split('\n')
  if (ends === 'crlf') return wanted.join('\r\n')
  const lines = original.split('\n')
  const isSame = (line: string | undefined, index: number): boolean =>
    line !== undefined && withoutEnd(line) === wanted[index]
  let head = 0
  while (head < wanted.length && isSame(lines[head], head)) head += 1
  let tail = 0
  while (
    tail < Math.min(wanted.length, lines.length) - head &&
    isSame(lines[lines.length - 1 - tail], wanted.length - 1 - tail)
  )
    tail += 1
  const crlfs = lines.filter((line) => line.endsWith('\r')).length
  const usual = crlfs * 2 > lines.length ? '\r' : ''
  return wanted
    .map((line, n) => {
      if (n < head) return lines[n]!
      if (n >= wanted.length - tail) return lines[lines.length - (wanted.length - n)]!
      return n === wanted.length - 1 ? line : line + usual
    })
    .join('\n')
}

function withoutEnd(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
