/** The longest sequence that is still taken for a color. */
const LONGEST = 64

/**
 * The output of a command as a terminal may show it: its colors stay, every other escape sequence and control character goes. A lone carriage return
 * becomes a line feed, so that nothing is written over. Takes the output in pieces; `end` gives what switches the last color off.
 */
export class ColorText {
  #held = ''
  #hasColor = false

  add(piece: string): string {
    const text = this.#held + piece
    // A sequence that the piece has cut is completed by the next one.
    const open = openSequence(text)
    this.#held = text.slice(open)
    return text.slice(0, open).replace(SEQUENCE, (found) => this.#shown(found))
  }

  end(): string {
    const reset = this.#hasColor ? '\u001b[0m' : ''
    this.#held = ''
    this.#hasColor = false
    return reset
  }

  #shown(found: string): string {
    if (found === '\r\n' || found === '\r' || found === '\u2028' || found === '\u2029') return '\n'
    const color = /^(?:.\[|\u009b)([\d;:]*)m$/.exec(found)
    if (!color || found.length > LONGEST) return ''
    this.#hasColor = true
    return `\u001b[${withoutConceal(color[1]!)}m`
  }
}

/** CSI with parameters and final byte, OSC and the other strings up to their end, other escapes, then single characters that a terminal acts on or hides. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u009c\u001b]*(?:\u0007|\u009c|\u001b\\)?|\u001b[ -/]*[0-~]?|\r\n?|[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu

/** Where a sequence begins that the text does not finish; its length when there is none. */
function openSequence(text: string): number {
  const from = Math.max(text.lastIndexOf('\u001b'), text.lastIndexOf('\u009b'), text.lastIndexOf('\u009d'))
  if (text.endsWith('\r')) return text.length - 1
  if (from < 0 || text.length - from > LONGEST) return text.length
  const rest = text.slice(from)
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  const isOpen = /^(?:\u001b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\n\u0007\u009c]*)?|\u009b[0-?]*[ -/]*|\u009d[^\n\u0007\u009c]*)$/.test(rest)
  return isOpen ? from : text.length
}

/** Attribute 8 hides text; as a part of an extended color (38;5;8) it is one. */
function withoutConceal(params: string): string {
  const given = params.split(';')
  const kept: string[] = []
  for (let at = 0; at < given.length; at += 1) {
    const param = given[at]!
    if (/^[345]8$/.test(param)) {
      const length = given[at + 1] === '5' ? 3 : given[at + 1] === '2' ? 5 : 1
      kept.push(...given.slice(at, at + length))
      at += length - 1
    } else if (Number(param) !== 8 || param === '') kept.push(param)
  }
  return kept.length === 0 ? '22' : kept.join(';')
}
