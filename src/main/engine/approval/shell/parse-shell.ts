import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Parser } from 'web-tree-sitter'
import { EvaluationTime, EvaluationTimeout } from './evaluation-time'
import { readSyntaxTree } from './read-syntax-tree'
import type { ShellView, Segment, Word } from '../../permission/shell-syntax'

/** Longer commands are not looked into: parsing them would hold up everything else. */
const MAX_CHARS = 20_000
/** Carriage returns, other controls, invisible and direction characters, blanks that are none to bash. */
const UNSEEN_CHARACTERS = /(?![\t\n])\p{Cc}|(?![ \t\n])\s|\p{Cf}|[\u3164\u115f\u1160\uffa0]/u

/** A larger syntax tree takes too long to be read. */
const MAX_NODES = 2000
/** The parser gets a text in pieces. */
const CHUNK_CHARS = 512

/** What bash would run for this text. What cannot be understood is `hidden`; throws `EvaluationTimeout` and nothing else. */
export async function parseShell(text: string, time = new EvaluationTime()): Promise<ShellView> {
  if (UNSEEN_CHARACTERS.test(text)) return hiddenView('it contains control or invisible characters')
  if (/[^\s]\\\n[^\s]/.test(text)) return hiddenView('a word in it goes on over the end of a line')
  const plain = plainCommand(text)
  if (plain) return plain
  return parseWithTree(text, time)
}

/** The same without the short way; for its tests. */
export async function parseWithTree(text: string, time = new EvaluationTime()): Promise<ShellView> {
  if (text.length > MAX_CHARS) return hiddenView('it is too long to be looked into')
  const parser = await time.waitFor(bashParser())
  await time.yieldIfDue()
  let parsing = true
  let late = false
  const isLate = (): boolean => (late ||= time.remaining() === 0)
  // The parser looks at the time only between tokens, and can take long for one of them: then it is told that the text ends here.
  const textAt = (index: number): string =>
    parsing ? (isLate() ? '' : text.slice(index, index + CHUNK_CHARS)) : text.slice(index)
  const tree = parser.parse(textAt, null, { progressCallback: isLate })
  parsing = false
  if (!tree) parser.reset()
  try {
    if (late || (tree && tree.rootNode.descendantCount > MAX_NODES)) throw new EvaluationTimeout()
    if (!tree) return hiddenView('it cannot be parsed as a bash command')
    await time.yieldIfDue()
    return readSyntaxTree(tree.rootNode, text)
  } finally {
    tree?.delete()
  }
}

function hiddenView(why: string): ShellView {
  return { segments: [], hidden: [why] }
}

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

let loading: Promise<Parser> | undefined

/** The grammar of bash; loaded when first needed (about 25 ms and 15 MB), then kept. */
function bashParser(): Promise<Parser> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Parser> {
  const [{ Language, Parser: TreeSitter }, grammar] = await Promise.all([
    import('web-tree-sitter'),
    readFile(createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  ])
  // V8's optimising compiler takes 500 MB and half a second of a core for the tables of this grammar; its quick one is fast enough.
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  await TreeSitter.init()
  const parser = new TreeSitter()
  parser.setLanguage(await Language.load(new Uint8Array(grammar)))
  // What runs for the first time takes many times longer; that should not count as the time of a command.
  parser.parse('a=1 b "$c" >d && (e || f $(g)) | h; if i; then j; fi; for k in l; do m; done')?.delete()
  return parser
}
