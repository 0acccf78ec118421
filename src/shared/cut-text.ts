let segmenter: Intl.Segmenter | undefined

/** What a reader sees as single characters: a letter with its marks, a flag, an emoji made of several characters. */
export function* clustersOf(text: string): Generator<string, void> {
  segmenter ??= new Intl.Segmenter()
  for (const { segment } of segmenter.segment(text)) yield segment
}

/** A longer cluster, such as a letter with hundreds of marks, can be cut. */
const MAX_CLUSTER = 64

/** The start of a text, at most `max` code units long, that cuts no cluster or surrogate pair in half. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  segmenter ??= new Intl.Segmenter()
  const at = segmenter.segment(text.slice(0, max + MAX_CLUSTER)).containing(max)?.index ?? max
  return max - at < MAX_CLUSTER ? text.slice(0, at) : withoutHalf(text.slice(0, max))
}

/** The same for the end of a text. */
export function cutTextStart(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  segmenter ??= new Intl.Segmenter()
  const from = text.length - max
  // Clusters can only be found from their start, and flags in a row only from the first one.
  let base = Math.max(0, from - 2 * MAX_CLUSTER)
  while (base > 0 && isOfFlag(text.charCodeAt(base - 1))) base -= 1
  const found = segmenter.segment(text.slice(base, from + MAX_CLUSTER)).containing(from - base)
  if (!found || found.index === from - base) return text.slice(from)
  const after = base + found.index + found.segment.length
  return after - from < MAX_CLUSTER ? text.slice(after) : withoutHalf(text.slice(from))
}

/** A text of at most `max` code units; a text that was cut ends with an ellipsis, which is included. */
export function shortText(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1)}…`
}

/** Whether a code unit can be part of a regional indicator, two of which form a flag. */
function isOfFlag(unit: number): boolean {
  return unit === 0xd83c || (unit >= 0xdde6 && unit <= 0xddff)
}

function withoutHalf(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
