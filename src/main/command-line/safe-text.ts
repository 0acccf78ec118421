/** What a terminal acts on, hides or reorders: control characters but line feed and tab, direction marks, characters without width, the tags block. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu
const HIDDEN = /^[\r\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]$/u

/**
 * Text of a model, a tool or a file as it may be written to a terminal: an escape code becomes visible text and does nothing. Works on any piece of a
 * stream: no character depends on the one before it.
 */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => {
    if (HIDDEN.test(char)) return ''
    if (char === '\u2028' || char === '\u2029') return '\n'
    const code = char.codePointAt(0)!
    if (code === 0x1b) return '␛'
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '�'
  })
}

/** On one line, with everything between words a single space. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/gu, ' ').trim()
}
