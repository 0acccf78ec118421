import type { Segment, ShellView, Word } from './shell-syntax'

const TOKEN =
  /([ \t]+)|(\\?\n)|(&&|\|\||;|\|)(?![&|;])|((?:[12]?>|&>)[ \t]*\/dev\/null(?![^\s;|&])|2>&1(?![^\s;|&]))|((?:[A-Za-z0-9_./=:@%+,-]+|'[^'\n]*'|"[A-Za-z0-9_./=:@%+,' #;<>|&(){}*?[\]^~-]*")+)/y

/** Words that mean something to the shell itself where a command is expected, and those that take the words after them apart. */
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac select function time coproc in declare typeset local export readonly unset let'.split(
    ' ',
  ),
)

/**
 * The same as the parser gives, for commands made of plain words, simple quotes, `&&`, `||`, `;`, `|`, newlines and output to /dev/null:
 * most of what is run, and all without loading a parser. `undefined`: this needs the parser.
 */
export function plainCommand(text: string): ShellView | undefined {
  const segments: Segment[] = []
  let words: Word[] = []
  let start = 0
  let end = 0
  let glued = false
  let redirected = false
  let wanted = false
  const close = (): boolean => {
    if (words.length === 0) return !redirected
    segments.push({ source: text.slice(start, end), words, assignments: [], redirections: [], repeated: false })
    words = []
    redirected = false
    return true
  }
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) return undefined
    const [, blank, newline, operator, redirection, word] = match
    if (blank !== undefined) {
      glued = false
      continue
    }
    if (newline !== undefined) {
      if (newline !== '\n') return undefined
      // A newline after && || | only goes on; elsewhere it ends a command.
      if (!wanted && !close()) return undefined
      glued = false
    } else if (operator !== undefined) {
      if (words.length === 0 || !close()) return undefined
      wanted = operator !== ';'
      glued = false
    } else if (redirection !== undefined) {
      if (words.length === 0 || glued) return undefined
      redirected = true
      end = TOKEN.lastIndex
      glued = true
    } else if (word !== undefined) {
      if (glued) return undefined
      if (words.length === 0) {
        if (RESERVED.has(word) || /^[A-Za-z_]\w*\+?=/.test(word)) return undefined
        start = at
      }
      words.push({
        text: word.replace(/'([^']*)'|"([^"]*)"/g, (_all, single?: string, double?: string) => single ?? double ?? ''),
        known: true,
      })
      end = TOKEN.lastIndex
      glued = true
      wanted = false
    }
  }
  if (wanted || !close() || segments.length === 0) return undefined
  return { segments, hidden: [] }
}
