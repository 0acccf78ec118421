import type { Node } from 'web-tree-sitter'

/*
 * `sh` is bash on some systems and dash or busybox on others, and what bash reads as one quoted word, a comparison or
 * arithmetic can be a program to them: `[[ a || b ]]` runs `b`, `((a/b))` runs `a/b`, and `ls &> x b` runs `b`. So in
 * scripts for them, only syntax that all shells read alike is followed.
 */

/** Shells that run bash scripts. */
const BASH = /^r?bash$/
/** Shells with POSIX syntax, some with additions. */
const POSIX = /^(?:sh|dash|ash)$/

/** Why scripts for this shell cannot be followed at all, no matter what they contain. */
export function unknownDialect(shell: string | undefined): string | undefined {
  return shell === undefined || BASH.test(shell) || POSIX.test(shell)
    ? undefined
    : `${shell} understands some scripts differently than bash`
}

/** Whether a script for this shell may use only what all shells have in common. */
export function isPosixOnly(shell: string | undefined): boolean {
  return shell !== undefined && POSIX.test(shell)
}

/** Kinds of nodes that only bash understands. */
const OWN_OF_BASH = new Set(
  (
    'ansi_c_string translated_string process_substitution herestring_redirect array subscript ' +
    'c_style_for_statement extglob_pattern brace_expression [[ (( $[ |& &> &>> <<< function select += ;& ;;&'
  ).split(' '),
)
/** `${x}` and the forms that POSIX defines, without quotes inside. */
const PLAIN_EXPANSION = /^\$\{(?:#?\w+|[#?@*!$-]|\w+(?::?[-+=?]|##?|%%?)[^'"\\`{}]*)\}$/

/** Whether shells other than bash could read this part of a syntax tree, or a part below it, differently. */
export function isOwnOfBash(root: Node): boolean {
  const queue = [root]
  for (const node of queue) {
    const { type } = node
    if (OWN_OF_BASH.has(type)) return true
    if (type === 'expansion' && !PLAIN_EXPANSION.test(node.text)) return true
    // To other shells, parts of `ls >& x` and `10> x` are words of the program, and so is the folder in `.[^x]*`.
    if (type === 'file_redirect' && /^\d*[<>]&(?!\d+$|-$)|^\d{2}|^\{/.test(node.text)) return true
    if (type === 'word' && /\[\^/.test(node.text)) return true
    for (const child of node.children) if (child) queue.push(child)
  }
  return false
}

/** The same for a text without quotes that would need a parser. */
export function isPlainOwnOfBash(text: string): boolean {
  return text.includes('&>')
}
