/** What would hide or turn round other text on screen: control characters but line feeds and tabs, direction marks, characters without width. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** Words of a server as people are shown them: at most `max` characters, and nothing in them that hides others. */
export function serverWords(text: string, max: number): string {
  const seen = text
    .slice(0, max * 2)
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, '')
    .trim()
  return seen.length > max ? `${seen.slice(0, max - 1)}…` : seen
}

/** In one line. */
export function serverLine(text: string, max: number): string {
  return serverWords(text.slice(0, max * 4).replace(/\s+/g, ' '), max)
}
