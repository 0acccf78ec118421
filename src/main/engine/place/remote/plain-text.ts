/** Control characters, and characters that change the direction or visibility of text. */
const HIDDEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/**
 * Text of another machine as one line that is safe to show: it cannot move the cursor, or hide or reverse other text.
 */
export function plainLine(text: string, max = 500): string {
  const line = text.replace(HIDDEN, ' ').replace(/ {2,}/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max).toWellFormed()}…` : line.toWellFormed()
}
