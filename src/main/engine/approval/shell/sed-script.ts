import type { Word } from './shell-syntax'

/** Options of sed that say how it works; any other may read a script from somewhere else. */
const HARMLESS =
  /^-[nErsuzb]+$|^-i\S*$|^--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox|in-place(?:=.*)?|line-length=\d+|follow-symlinks|zero-terminated|binary)$/

/** The word of a sed command that may run commands or write files elsewhere, or is not understood; undefined when it only edits. */
export function doubtfulSed(rest: readonly Word[]): string | undefined {
  const scripts: Word[] = []
  let first: Word | undefined
  let last = false
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!
    const { text } = word
    if (!last && word.known && text === '--') last = true
    else if (!last && word.known && /^-[nErsuz]*e$|^--expression$/.test(text)) {
      at += 1
      if (rest[at]) scripts.push(rest[at]!)
    } else if (!last && word.known && text.startsWith('--expression=')) scripts.push({ text: text.slice(13), known: true })
    else if (!last && word.known && /^-[nErsuz]*e./.test(text)) scripts.push({ text: text.replace(/^-[nErsuz]*e/, ''), known: true })
    else if (!last && word.known && /^(?:--version|--help)$/.test(text)) return undefined
    else if (!last && /^-./.test(text)) {
      if (!word.known || !HARMLESS.test(text)) return text
    } else first ??= word
  }
  const run = scripts.length > 0 ? scripts : first ? [first] : []
  if (run.some((word) => !word.known)) return ''
  // Several scripts are lines of one.
  const text = run.map((word) => word.text).join('\n')
  return onlyEdits(text) ? undefined : (run[0]?.text ?? '')
}

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]\n]*\])*/[IM]*|\\(\|[^|\\\n]*\||,[^,\\\n]*,|#[^#\\\n]*#|@[^@\\\n]*@)[IM]*)`
const LEAD = new RegExp(String.raw`[ \t\n;]*(?:${ADDRESS}(?:[ \t]*,[ \t]*(?:[+~]\d+|${ADDRESS}))?)?[ \t]*(?:![ \t!]*)?`, 'y')
const PLAIN = /[=dDgGhHlnNpPxzF][ \t]*(?=[\n;}]|$)|[lqQL][ \t]*\d*[ \t]*(?=[\n;}]|$)|[btT:][ \t]*[\w.-]*[ \t]*(?=[\n;}]|$)|[{}]|#[^\n]*/y
const TEXT = /[aic](?:\\?[ \t]*\n?|[ \t]+)(?:[^\n\\]|\\[\s\S])*(?=\n|$)/y

/** Whether every command of a script is one that changes nothing but the text that goes through. */
function onlyEdits(script: string): boolean {
  let at = 0
  const skip = (expression: RegExp): boolean => {
    expression.lastIndex = at
    const match = expression.exec(script)
    if (match) at = expression.lastIndex
    return match !== null
  }
  while (at < script.length) {
    skip(LEAD)
    if (at >= script.length) return true
    if (skip(PLAIN) || skip(TEXT)) continue
    const end = replacement(script, at)
    if (end === undefined) return false
    at = end
  }
  return true
}

/** The end of `s/…/…/flags` or `y/…/…/`; undefined for flags that run or write, and for what is not understood. */
function replacement(script: string, at: number): number | undefined {
  const command = script[at]
  const delimiter = script[at + 1]
  if ((command !== 's' && command !== 'y') || delimiter === undefined || /[\s\\\w]/.test(delimiter)) return undefined
  let seen = 0
  let index = at + 2
  for (; index < script.length && seen < 2; index += 1) {
    const char = script[index]!
    if (char === '\\') index += 1
    else if (char === delimiter) seen += 1
    else if (char === '\n' && seen === 0) return undefined
  }
  if (seen < 2) return undefined
  const flags = /^[gpiIM\d]*[ \t]*(?=[\n;}]|$)/.exec(script.slice(index))
  if (!flags || (command === 'y' && flags[0].trim() !== '')) return undefined
  return index + flags[0].length
}
