import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Parser } from 'web-tree-sitter'
import { setV8Flag } from '../../runtime/v8-flags'
import { EvaluationTime, EvaluationTimeout } from './evaluation-time'
import { readSyntaxTree } from './read-syntax-tree'
import { isOwnOfBash, isPlainOwnOfBash, isPosixOnly, unknownDialect } from './shell-dialects'
import type { ShellView, Segment, Word } from '../../permission/shell-syntax'

/** Longer commands are not parsed, because that would hold up everything else. */
const MAX_CHARS = 20_000
/**
 * Carriage returns, other control characters, invisible and direction characters, and blanks that bash does not treat
 * as blanks.
 */
const UNSEEN_CHARACTERS = /(?![\t\n])\p{Cc}|(?![ \t\n])\s|\p{Cf}|[\u3164\u115f\u1160\uffa0]/u

/** A larger syntax tree takes too long to read. */
const MAX_NODES = 2000
/** The parser gets a text in chunks. */
const CHUNK_CHARS = 512

/**
 * What a shell would run for this text (bash if no shell is specified). What cannot be parsed goes into `hidden`;
 * throws only `EvaluationTimeout`.
 */
export async function parseShell(text: string, time = new EvaluationTime(), shell?: string): Promise<ShellView> {
  if (UNSEEN_CHARACTERS.test(text)) return hiddenView('it contains control or invisible characters')
  if (/[^\s]\\\n[^\s]/.test(text)) return hiddenView('a word in it continues across a line break')
  // The grammar reads `ls`, a line with only a backslash and `x` as `ls x`; bash runs `x`.
  if (/(?:^|\n)[ \t]*\\\n/.test(text)) return hiddenView('a line in it is only a backslash')
  const plain = isPosixOnly(shell) && isPlainOwnOfBash(text) ? undefined : plainCommand(text)
  const view = plain ?? (await parseWithTree(text, time, shell))
  const unknown = unknownDialect(shell)
  return unknown === undefined ? view : { ...view, hidden: [...view.hidden, unknown] }
}

/** The same without the fast path, for its tests. */
export async function parseWithTree(text: string, time = new EvaluationTime(), shell?: string): Promise<ShellView> {
  if (text.length > MAX_CHARS) return hiddenView('it is too long to inspect')
  const parser = await time.waitFor(bashParser())
  await time.yieldIfDue()
  let parsing = true
  let late = false
  const isLate = (): boolean => (late ||= time.remaining() === 0)
  // The parser checks the time only between tokens, and one token can take long. When time is up, it gets the end of
  // the text.
  const textAt = (index: number): string =>
    parsing ? (isLate() ? '' : text.slice(index, index + CHUNK_CHARS)) : text.slice(index)
  const tree = parser.parse(textAt, null, { progressCallback: isLate })
  parsing = false
  if (!tree) parser.reset()
  try {
    if (late || (tree && tree.rootNode.descendantCount > MAX_NODES)) throw new EvaluationTimeout()
    if (!tree) return hiddenView('it cannot be parsed as a bash command')
    await time.yieldIfDue()
    const view = readSyntaxTree(tree.rootNode, text)
    if (isPosixOnly(shell) && isOwnOfBash(tree.rootNode))
      view.hidden.push(`${shell} may understand it differently than bash`)
    return view
  } finally {
    tree?.delete()
  }
}

function hiddenView(why: string): ShellView {
  return { segments: [], hidden: [why] }
}

const TOKEN =
  /([ \t]+)|(\\?\n)|(&&|\|\||;|\|)(?![&|;])|((?:[12]?>|&>)[ \t]*\/dev\/null(?![^\s;|&])|2>&1(?![^\s;|&]))|((?:[A-Za-z0-9_./=:@%+,-]+|'[^'\n]*'|"[A-Za-z0-9_./=:@%+,' #;<>|&(){}*?[\]^~-]*")+)/y

/** Reserved words where a command is expected, and builtins with their own argument syntax. */
const RESERVED = new Set(
  (
    'if then elif else fi for while until do done case esac select function ' +
    'time coproc in declare typeset local export readonly unset let'
  ).split(' '),
)

/**
 * The same result as the parser's, for commands made of plain words, simple quotes, `&&`, `||`, `;`, `|`, newlines and
 * output to /dev/null: this covers most commands without loading a parser. `undefined`: needs the parser.
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
      // A newline after && || | continues the command; anywhere else it ends it.
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
  // For the tables of this grammar, V8's optimizing compiler takes 500 MB and half a second of processor time; its
  // baseline compiler is fast enough.
  setV8Flag('--no-wasm-tier-up')
  setV8Flag('--no-wasm-dynamic-tiering')
  await TreeSitter.init()
  const parser = new TreeSitter()
  parser.setLanguage(await Language.load(new Uint8Array(grammar)))
  // The first run takes many times longer and should not count toward a command's time.
  parser.parse('a=1 b "$c" >d && (e || f $(g)) | h; if i; then j; fi; for k in l; do m; done')?.delete()
  return parser
}
