const ESC = '\\u001b'
const BEL = '\\u0007'
/** A program asks which terminal this is; shells wait for the answer. */
const ATTRIBUTES_ASKED = new RegExp(`${ESC}\\[0?c`, 'g')
const TITLE = new RegExp(`${ESC}\\][02];([^${BEL}${ESC}]*)(?:${BEL}|${ESC}\\\\)`, 'g')
const COMPLETE = new RegExp(`^${ESC}(?:\\[[0-9;?<=>]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*${BEL}|[^[\\]])`)
/** Longer ones are not waited for. */
const MAX_SEQUENCE = 512
const MAX_TITLE = 200

/** The answer to a program that asks which terminal this is: a color terminal like those that views imitate. */
export const TERMINAL_ATTRIBUTES = '\u001b[?62;22c'

/** Finds in a terminal's output what the terminal itself must know. */
export class TerminalSequences {
  /** The end of what was read, where a sequence may be cut. */
  #open = ''

  /** How often the terminal's attributes were asked for, and the newest title; `''`: it was taken away. */
  read(bytes: Buffer): { asked: number; title?: string } {
    if (this.#open === '' && !bytes.includes(0x1b)) return { asked: 0 }
    const text = this.#open + bytes.toString('latin1')
    const asked = text.match(ATTRIBUTES_ASKED)?.length ?? 0
    const title = [...text.matchAll(TITLE)].at(-1)?.[1]
    const rest = text.slice(text.lastIndexOf('\u001b'))
    this.#open = rest.startsWith('\u001b') && rest.length < MAX_SEQUENCE && !COMPLETE.test(rest) ? rest : ''
    if (title === undefined) return { asked }
    return { asked, title: Buffer.from(title, 'latin1').toString('utf8').trim().slice(0, MAX_TITLE) }
  }
}
