import type { Node } from 'web-tree-sitter'
import {
  addExpression,
  isNumericWord,
  emptyArithmetic,
  type Arithmetic,
  type Redirection,
  type Segment,
  type ShellView,
  type Word,
  decodeWord,
} from '../../permission/shell-syntax'
import { STEERING } from './shell-variables'

/** Statements that contain other statements. */
const STRUCTURE = new Set(
  (
    'program list pipeline subshell compound_statement negated_command if_statement elif_clause ' +
    'else_clause for_statement c_style_for_statement while_statement do_group case_statement ' +
    'case_item function_definition redirected_statement command_substitution process_substitution'
  ).split(' '),
)
const SIMPLE = new Set(['command', 'declaration_command', 'unset_command', 'test_command', 'variable_assignments'])
const REPEATING = new Set(['c_style_for_statement', 'while_statement', 'for_statement', 'function_definition'])
const REDIRECTS = new Set(['file_redirect', 'heredoc_redirect', 'herestring_redirect'])
const WORD_LIKE =
  /^(?:word|string|raw_string|ansi_c_string|translated_string|concatenation|number|simple_expansion|expansion|command_substitution|process_substitution|arithmetic_expansion|brace_expression|extglob_pattern|regex|variable_name|array|subscript|test_operator|unary_expression|binary_expression|parenthesized_expression|postfix_expression|ternary_expression)$/
const COMPARES_NUMBERS = /\s-(?:eq|ne|lt|le|gt|ge)\s/
/** The operators of `[[` that are not arithmetic, so that only comparisons remain. */
const TEST_OPERATORS = /(^|[\s(!])(?:-[a-zA-Z]{1,2}(?=\s)|\[\[|\]\])/g
const MAY_EXPAND = new Set([
  'word',
  'string',
  'string_content',
  'heredoc_body',
  'heredoc_content',
  'extglob_pattern',
  'regex',
])

/** Nodes made of adjacent parts: the grammar reads `$\\ ` and a name in the next line as one variable. */
const ONE_WORD = new Set(['simple_expansion', 'concatenation'])

interface Walk {
  text: string
  view: ShellView
  arithmetic: Arithmetic
  values: [name: string, isNumber: boolean][]
}

/** The segments of a syntax tree. Anything that is not fully understood ends up in `hidden`. */
export function readSyntaxTree(root: Node, text: string): ShellView {
  const walk: Walk = { text, view: { segments: [], hidden: [] }, arithmetic: emptyArithmetic(), values: [] }
  if (root.hasError) walk.view.hidden.push('it cannot be parsed as a bash command')
  else {
    if (root.descendantsOfType('comment').some((comment) => comment && isInWord(text, comment))) odd(walk)
    statement(walk, root, false)
  }
  return { ...walk.view, arithmetic: walk.arithmetic, values: walk.values }
}

function hide(walk: Walk, why: string): void {
  if (!walk.view.hidden.includes(why)) walk.view.hidden.push(why)
}

function statement(walk: Walk, node: Node, repeated: boolean, redirects: Node[] = []): void {
  if (SIMPLE.has(node.type)) return simple(walk, node, repeated, redirects)
  if (node.type === 'variable_assignment') return simple(walk, node, repeated, redirects)
  if (WORD_LIKE.test(node.type) && !STRUCTURE.has(node.type)) return inWord(walk, node, repeated)
  if (!STRUCTURE.has(node.type)) return hide(walk, `a ${node.type.replaceAll('_', ' ')} in it is not understood`)
  // bash removes backslashes between backticks before parsing them; the grammar does not.
  if (node.text.startsWith('`') && node.text.includes('\\')) return hide(walk, 'it holds a backslash between backticks')
  gaps(walk, node)
  const inside = repeated || REPEATING.has(node.type)
  const children = present(node)
  if (node.type === 'for_statement') loopValues(walk, node)
  if (node.text.startsWith('((')) addExpression(walk.arithmetic, node.text)
  if (node.type === 'c_style_for_statement')
    for (const part of loopExpressions(node)) addExpression(walk.arithmetic, part.text)
  const own = children.filter((child) => REDIRECTS.has(child.type))
  const body = node.type === 'redirected_statement' ? children.find((child) => !REDIRECTS.has(child.type)) : undefined
  const groupRedirects = node.type === 'redirected_statement' || own.length > 0 ? [...own, ...redirects] : []
  if (groupRedirects.length > 0 && body && (SIMPLE.has(body.type) || body.type === 'variable_assignment')) {
    return simple(walk, body, inside, groupRedirects)
  }
  for (const child of children) {
    if (child.isNamed && !REDIRECTS.has(child.type) && child.type !== 'file_descriptor') statement(walk, child, inside)
  }
  // Redirections of a group, or without a command, become a separate segment without words. It follows the body, which
  // may change the folder: in `cd x && ls > y`, the grammar redirects the whole list.
  if (groupRedirects.length > 0) redirection(walk, node, inside, groupRedirects)
}

/** Children that are part of the program, excluding comments. */
function present(node: Node): Node[] {
  return node.children.filter((child): child is Node => child !== null && child.type !== 'comment')
}

/** Only blanks are allowed between parts of a statement: this detects text that the parser skips but bash does not. */
function gaps(walk: Walk, node: Node, blanks = /^(?:[ \t\n]|\\\n)*$/): void {
  let at = node.startIndex
  const all = node.children.filter((child): child is Node => child !== null)
  for (const [index, child] of all.entries()) {
    if (!(index === 0 && node.type === 'program') && !blanks.test(walk.text.slice(at, child.startIndex))) odd(walk)
    // The grammar reads `export"x"` as starting with a keyword; to bash it is one word.
    const next = all[index + 1]
    if (
      /^[a-z]{2,}$/.test(child.type) &&
      !child.isNamed &&
      next?.startIndex === child.endIndex &&
      /^[\w'"$\\`]/.test(next.text)
    )
      odd(walk)
    at = child.endIndex
  }
  if (all.length > 0 && !blanks.test(walk.text.slice(at, node.endIndex))) odd(walk)
}

/** The grammar reads `]]#x` as ending in a comment; to bash it is one word. */
function isInWord(text: string, { startIndex }: Node): boolean {
  return startIndex > 0 && !/[\s;&|()]/.test(text[startIndex - 1]!)
}

function odd(walk: Walk): void {
  hide(walk, 'parts of it are not understood')
}

function simple(walk: Walk, node: Node, repeated: boolean, redirects: Node[]): void {
  // In the grammar, the line after `ls ==` belongs to the same command.
  gaps(walk, node, node.type === 'test_command' ? undefined : /^(?:[ \t]|\\\n)*$/)
  const segment: Segment = { source: node.text, words: [], assignments: [], redirections: [], repeated }
  walk.view.segments.push(segment)
  const more: Node[] = []
  const parts = node.type === 'variable_assignment' ? [node] : present(node)
  if (node.type === 'command') touching(walk, parts)
  if (node.type === 'test_command' && endsEarly(walk, node)) odd(walk)
  for (const part of parts) {
    if (part.type === 'variable_assignment') {
      assignment(walk, part, segment, repeated)
      if (node.type === 'declaration_command') segment.words.push(decodeWord(part.text))
    } else if (REDIRECTS.has(part.type)) more.push(part)
    else if (part.type === 'file_descriptor' || isDescriptor(part, [...parts, ...redirects])) continue
    else word(walk, part, segment.words, repeated)
  }
  if (node.type === 'test_command' && node.text.startsWith('[[') && COMPARES_NUMBERS.test(node.text))
    addExpression(walk.arithmetic, node.text.replace(TEST_OPERATORS, '$1 '))
  for (const redirect of [...redirects, ...more]) readRedirect(walk, redirect, segment, repeated)
}

function isWord({ type }: Node): boolean {
  return !REDIRECTS.has(type) && type !== 'file_descriptor'
}

/** The grammar reads `=="x"` as two words; to bash it is one. */
function touching(walk: Walk, parts: readonly Node[]): void {
  for (const [index, part] of parts.slice(1).entries()) {
    const before = parts[index]!
    if (before.endIndex === part.startIndex && isWord(before) && isWord(part)) return odd(walk)
  }
}

/** Parts of a word that do not end it, no matter what they contain. */
const CLOSED =
  /^(?:string|raw_string|ansi_c_string|translated_string|simple_expansion|expansion|command_substitution|process_substitution|arithmetic_expansion)$/

/**
 * Whether bash ends a test before the grammar does: to bash, `[` is a program like any other, so `[ a || b ]` runs `b`;
 * and in both kinds of test, `#` starts a comment.
 */
function endsEarly(walk: Walk, node: Node): boolean {
  const bare = bareText(walk, node).replace(/\\[\s\S]/g, 'x')
  return /\s#/.test(bare) || (!bare.startsWith('[[') && /[\n;|&()<>]/.test(bare))
}

/** The text of a node without its quoted and expanded parts. */
function bareText(walk: Walk, node: Node): string {
  return between(walk, node, (child) => (CLOSED.test(child.type) ? 'x' : bareText(walk, child)))
}

/** The text of a node between its children, with replacements for the children. */
function between(walk: Walk, node: Node, inPlaceOf: (child: Node) => string): string {
  let text = ''
  let at = node.startIndex
  for (const child of node.children) {
    if (!child) continue
    text += walk.text.slice(at, child.startIndex) + inPlaceOf(child)
    at = child.endIndex
  }
  return text + walk.text.slice(at, node.endIndex)
}

/** The grammar reads the number in `0<<<x` as a word. */
function isDescriptor(part: Node, others: readonly Node[]): boolean {
  return (
    /^\d+$/.test(part.text) && others.some((other) => REDIRECTS.has(other.type) && other.startIndex === part.endIndex)
  )
}

function redirection(walk: Walk, node: Node, repeated: boolean, redirects: Node[]): void {
  const segment: Segment = { source: node.text, words: [], assignments: [], redirections: [], repeated }
  for (const redirect of redirects) readRedirect(walk, redirect, segment, repeated)
  if (segment.words.length > 0) hide(walk, 'words after a redirection are not understood')
  if (segment.redirections.length > 0) walk.view.segments.push(segment)
}

function word(walk: Walk, node: Node, into: Word[], repeated: boolean): void {
  // What is written to it arrives as a file that only this program can access.
  const stream = node.type === 'process_substitution' && node.text.startsWith('<(')
  into.push(stream ? { text: '/dev/fd/63', known: true } : decodeWord(node.text))
  inWord(walk, node, repeated)
}

function assignment(walk: Walk, node: Node, segment: Segment, repeated: boolean): void {
  const name = node.childForFieldName('name')
  const value = node.childForFieldName('value')
  const decoded = decodeWord(value?.text ?? '')
  // The grammar reads `1x=y` as setting a variable; to bash it is a program.
  if (!/^[A-Za-z_]\w*(?:\[|$)/.test(name?.text ?? '')) odd(walk)
  segment.assignments.push({ name: name?.text ?? node.text, value: decoded })
  walk.values.push([
    (name?.text ?? '').replace(/\[.*$/s, ''),
    value?.type === 'arithmetic_expansion' || isNumericWord(decoded),
  ])
  for (const child of present(node)) inWord(walk, child, repeated)
}

/** What runs inside a word: substitutions. */
function inWord(walk: Walk, node: Node, repeated: boolean): void {
  if (node.type === 'command_substitution' || node.type === 'process_substitution')
    return statement(walk, node, repeated)
  if (node.type === 'arithmetic_expansion') addExpression(walk.arithmetic, node.text.replace(/^\$[([]+/, ''))
  if (node.type === 'subscript') subscript(walk, node)
  if (node.type === 'array')
    listedNames(
      walk,
      present(node).filter((child) => child.isNamed),
    )
  if (node.type === 'array' && /\[[^\]]*[A-Za-z_$`'"\\]/.test(node.text)) walk.arithmetic.opaque = true
  if (node.type === 'expansion') expansion(walk, node)
  if (ONE_WORD.has(node.type) && between(walk, node, () => '') !== '') odd(walk)
  if (MAY_EXPAND.has(node.type)) unnoticed(walk, node)
  for (const child of present(node)) inWord(walk, child, repeated)
}

/** Texts that the shell expands but the parser did not, such as backticks in here-documents. */
function unnoticed(walk: Walk, node: Node): void {
  const text = between(walk, node, () => '')
  if (/`|\$[({[]/.test(text.replace(/\\[\s\S]/g, ''))) hide(walk, 'it holds a substitution that is not understood')
}

/**
 * `${x@P}` expands a value as a prompt, including substitutions; `${!x}` uses one as a name, `${x:a:b}` as arithmetic.
 */
function expansion(walk: Walk, node: Node): void {
  if (/@[A-Za-z]\}$/.test(node.text)) hide(walk, 'it expands a value as a prompt')
  if (isDoubleQuoted(node) && holdsSingleQuotes(node)) hide(walk, 'it has single quotes within double quotes')
  if (node.text.startsWith('${!')) walk.arithmetic.opaque = true
  const part = /^\$\{[#\w@*]+(?:\[[^\]]*\])?:(?![-+=?])([\s\S]*)\}$/.exec(node.text)?.[1]
  if (part !== undefined) addExpression(walk.arithmetic, part)
  const index = /^\$\{#?\w+\[([\s\S]*?)\]/.exec(node.text)?.[1]
  if (index !== undefined && !/^[@*]$/.test(index)) addExpression(walk.arithmetic, index)
  const named = /^\$\{(\w+)(?:\[[\s\S]*?)?:?=/.exec(node.text)?.[1]
  if (named !== undefined) set(walk, named, node)
}

/** Whether an expansion is in double quotes, or in a here-document, which bash reads the same way. */
function isDoubleQuoted(node: Node): boolean {
  for (let above = node.parent; above; above = above.parent) {
    if (above.type === 'string' || above.type === 'heredoc_body') return true
    if (STRUCTURE.has(above.type)) return false
  }
  return false
}

/**
 * In double quotes, bash reads `'$(x)'` in `${a:-'$(x)'}` as a substitution between two plain characters; the grammar
 * reads it as a quoted text.
 */
function holdsSingleQuotes(node: Node): boolean {
  return present(node).some(
    (child) =>
      child.type === 'raw_string' ||
      child.type === 'ansi_c_string' ||
      (!STRUCTURE.has(child.type) && holdsSingleQuotes(child)),
  )
}

/** The index of an array element, which is arithmetic. */
function subscript(walk: Walk, node: Node): void {
  const index = /^\w+\[([\s\S]*)\]$/.exec(node.text)?.[1]
  if (index === undefined) walk.arithmetic.opaque = true
  else if (!/^[@*]$/.test(index)) addExpression(walk.arithmetic, index)
}

/** The text between the parentheses of `for ((…; …; …))`. */
function loopExpressions(node: Node): Node[] {
  const all = present(node)
  const end = all.findIndex((child) => child.type === '))')
  return all
    .slice(all.findIndex((child) => child.type === '((') + 1, end < 0 ? all.length : end)
    .filter((child) => child.type !== ';')
}

/** Records that a variable gets a value other than by assignment. */
function set(walk: Walk, name: string, node: Node, isNumeric = false): void {
  walk.values.push([name, isNumeric])
  const assignments = [{ name, value: { text: '', known: false } }]
  if (STEERING.test(name))
    walk.view.segments.push({ source: node.text, words: [], assignments, redirections: [], repeated: true })
}

function loopValues(walk: Walk, node: Node): void {
  const variable = node.childForFieldName('variable')
  const values = node.childrenForFieldName('value').filter((value): value is Node => value !== null)
  const isNumeric = values.length > 0 && values.every(({ text }) => /^(?:\d+|\{\d+\.\.\d+(?:\.\.\d+)?\})$/.test(text))
  if (variable) set(walk, variable.text, node, isNumeric)
  listedNames(walk, values, variable?.text)
}

/**
 * Words in which the shell itself replaces wildcards with names, without a command. They are judged as the words of a
 * command that prints them.
 */
function listedNames(walk: Walk, values: readonly Node[], variable?: string): void {
  const words = values.map(({ text }) => decodeWord(text))
  if (!words.some(({ text }) => /[*?[]/.test(text))) return
  const isPattern = words.some(({ text, glob, known }) => known && !glob && /[*?[]/.test(text))
  walk.view.segments.push({
    source: values.map(({ text }) => text).join(' '),
    words: [{ text: ':', known: true }, ...words],
    assignments: isPattern && variable !== undefined ? [{ name: variable, value: { text: '*', known: false } }] : [],
    redirections: [],
    repeated: false,
  })
}

function readRedirect(walk: Walk, node: Node, segment: Segment, repeated: boolean): void {
  if (node.type === 'heredoc_redirect') return hereDocument(walk, node, segment, repeated)
  if (node.type === 'herestring_redirect') {
    for (const child of present(node)) inWord(walk, child, repeated)
    return
  }
  gaps(walk, node)
  const targets = node.childrenForFieldName('destination').filter((target): target is Node => target !== null)
  const operator = present(node).find((child) => !child.isNamed)?.type ?? ''
  const [target, ...words] = targets
  if (!target) return operator.endsWith('&-') ? undefined : odd(walk)
  segment.redirections.push(...targetOf(operator, decodeWord(target.text)))
  for (const each of targets) inWord(walk, each, repeated)
  // The grammar treats further words of the command as targets.
  segment.words.push(...words.map((each) => decodeWord(each.text)))
}

function targetOf(operator: string, target: Word): Redirection[] {
  if ((operator === '>&' || operator === '<&') && target.known && /^(?:\d+-?|-)$/.test(target.text)) return []
  if (target.known && (target.text === '/dev/null' || target.text === '/dev/stdout' || target.text === '/dev/stderr'))
    return []
  return [{ target, write: operator !== '<' }]
}

function hereDocument(walk: Walk, node: Node, segment: Segment, repeated: boolean): void {
  const start = present(node).find((child) => child.type === 'heredoc_start')
  // Text after `<<EOF` on its line is parsed as a child of the here-document; the start must be only the marker.
  if (!start || !/^(?:\w+|'[\w ]+'|"[\w ]+"|\\\w+)$/.test(start.text))
    hide(walk, 'the end of its here-document is not understood')
  if (node.text.split('<<').length > 2 && /^[^\n]*<<[^\n]*<</.test(node.text))
    hide(walk, 'it has several here-documents on one line')
  if (start && !endsWhere(walk, node, start)) hide(walk, 'the end of its here-document is not understood')
  for (const child of present(node)) {
    if (child.type === 'heredoc_body') {
      if (!/^\w+$/.test(start?.text ?? 'x')) continue
      inWord(walk, child, repeated)
      // The grammar reads arithmetic in a here-document as a subshell.
      if (/\$(?:\(\(|\[)/.test(child.text))
        addExpression(walk.arithmetic, /^[^$]*\$\(\(([^$]*)\)\)[^$]*$/.exec(child.text)?.[1] ?? '`')
    } else if (REDIRECTS.has(child.type)) readRedirect(walk, child, segment, repeated)
    else if (SIMPLE.has(child.type) || STRUCTURE.has(child.type)) statement(walk, child, repeated)
    else if (child.isNamed && !['heredoc_start', 'heredoc_end', 'file_descriptor'].includes(child.type))
      word(walk, child, segment.words, repeated)
  }
}

/** Whether the grammar ends a here-document at the same line as bash: the first line that is only the marker. */
function endsWhere(walk: Walk, node: Node, start: Node): boolean {
  const lines = walk.text.split('\n')
  const rest = (lines[start.startPosition.row] ?? '').slice(start.startPosition.column + start.text.length)
  const balanced = !/\\|`|\$\(/.test(rest) && rest.split("'").length % 2 === 1 && rest.split('"').length % 2 === 1
  const mark = decodeWord(start.text).text
  const tabs =
    node.text.startsWith('<<-') ||
    /<<-/.test((lines[start.startPosition.row] ?? '').slice(0, start.startPosition.column + 1))
  const end = lines.findIndex(
    (line, row) => row > start.startPosition.row && (tabs ? line.replace(/^\t+/, '') : line) === mark,
  )
  const found = present(node).find((child) => child.type === 'heredoc_end')
  return balanced && end >= 0 && found?.startPosition.row === end
}
