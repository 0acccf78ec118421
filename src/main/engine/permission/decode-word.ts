import type { Word } from './shell-syntax'

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

/** What a word of a command means to bash: quotes and escapes removed. Expansions, globs and braces make it unknown. */
export function decodeWord(source: string): Word {
  let text = ''
  // The same with quoted text marked by backslashes: in `'*'*` only the second star is a wildcard.
  let pattern = ''
  let known = true
  let glob = false
  let brace = false
  const quoteIt = (quoted: string): void => {
    text += quoted
    pattern += quoted.replace(/[*?[\]{}\\!^-]/g, String.raw`\$&`)
  }
  const tilde = source.startsWith('~')
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]!
    const next = source[at + 1]
    if (char === '\\') {
      at += 1
      if (next !== '\n') quoteIt(next ?? '\\')
    } else if (char === "'") {
      const end = source.indexOf("'", at + 1)
      if (end < 0) return unknown(source)
      quoteIt(source.slice(at + 1, end))
      at = end
    } else if (char === '$' && next === "'") {
      const end = endOfAnsi(source, at + 2)
      const decoded = end < 0 ? undefined : ansi(source.slice(at + 2, end))
      if (decoded === undefined) return unknown(source)
      quoteIt(decoded)
      at = end
    } else if (char === '"' || (char === '$' && next === '"')) {
      const quoted = doubleQuoted(source, char === '"' ? at + 1 : at + 2)
      if (!quoted) return unknown(source)
      quoteIt(quoted.text)
      // A translated string can be anything, depending on the message catalog.
      if (char === '$') known = false
      at = quoted.end
    } else if (char === '$' || char === '`') {
      if (char === '$' && (next === undefined || /[^\w({[@*#?$!'"-]/.test(next))) quoteIt(char)
      else return unknown(source)
    } else {
      if ('*?'.includes(char) || (char === '[' && source.includes(']', at)) || ('@+!'.includes(char) && next === '('))
        glob = true
      if (char === '{' && !brace) brace = isList(source, at)
      if ('()<>;&|\n'.includes(char)) return unknown(source)
      text += char
      pattern += char
    }
  }
  if (brace || (tilde && !/^~(?:\/|$)/.test(source))) return unknown(source)
  return { text, known: known && !glob, ...(glob && { glob, pattern }), ...(tilde && { tilde }) }
}

/** Whether braces that open here are a list or a range. */
function isList(source: string, at: number): boolean {
  const close = source.indexOf('}', at)
  return [source.indexOf(',', at), source.indexOf('..', at)].some((found) => found >= 0 && (close < 0 || found < close))
}

function unknown(source: string): Word {
  return { text: source, known: false }
}

function doubleQuoted(source: string, from: number): { text: string; end: number } | undefined {
  let text = ''
  for (let at = from; at < source.length; at += 1) {
    const char = source[at]!
    if (char === '"') return { text, end: at }
    if (char === '`' || (char === '$' && /[\w({[@*#?$!-]/.test(source[at + 1] ?? ''))) return undefined
    if (char === '\\' && '$`"\\\n'.includes(source[at + 1] ?? ' ')) {
      at += 1
      if (source[at] !== '\n') text += source[at]
    } else text += char
  }
  return undefined
}

function endOfAnsi(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === "'") return at
  }
  return -1
}

/** `$'...'`: undefined for anything that could differ in another version or locale. */
function ansi(body: string): string | undefined {
  let odd = false
  const text = body.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([\s\S]))/g,
    (_all, octal?: string, hex?: string, short?: string, long?: string, one?: string) => {
      const digits = hex ?? short ?? long
      const code =
        octal !== undefined ? Number.parseInt(octal, 8) : digits !== undefined ? Number.parseInt(digits, 16) : undefined
      if (code !== undefined) {
        if (code === 0 || code > 0x10_ff_ff || (code > 0x7f && (octal !== undefined || hex !== undefined))) odd = true
        return odd ? '' : String.fromCodePoint(code)
      }
      if (one !== undefined && `'"\\?`.includes(one)) return one
      const known = ESCAPES[one ?? '']
      if (known === undefined) odd = true
      return known ?? ''
    },
  )
  return odd ? undefined : text
}
