/** At most `maxBytes` of the start, in UTF-8; complete lines, unless that costs more than half. */
export function truncateToHead(text: string, maxBytes: number): string {
  const max = fitting(text.length, maxBytes, (chars) => text.slice(0, chars))
  if (text.length <= max) return text
  const line = text.lastIndexOf('\n', max - 1) + 1
  const cut = max === 0 ? '' : text.slice(0, line > max / 2 ? line : max)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** At most `maxBytes` of the end, in UTF-8; complete lines, unless that costs more than half. */
export function truncateToTail(text: string, maxBytes: number): string {
  return truncateStart(
    text,
    fitting(text.length, maxBytes, (chars) => text.slice(text.length - chars)),
  )
}

/** At most `max` characters of the end; complete lines, unless that costs more than half. */
export function truncateStart(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const line = text.indexOf('\n', from - 1) + 1
  const cut = text.slice(line > 0 && line < from + max / 2 ? line : from)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}

/** The largest number of characters whose bytes are within the limit. */
function fitting(length: number, maxBytes: number, part: (chars: number) => string): number {
  let [low, high] = [0, Math.min(length, Math.max(0, maxBytes))]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Buffer.byteLength(part(middle)) <= maxBytes) low = middle
    else high = middle - 1
  }
  return low
}
