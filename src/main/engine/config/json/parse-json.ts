import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'

/** A value in a JSON text, or a member of an object (`property`: its name and its value), with its position. */
export type JsonNode = Node

/** A syntax error and its position; line and column count from 1. */
export interface JsonProblem {
  line: number
  column: number
  message: string
}

/** Deeper than any handwritten file; deeper text is an attempt to overflow the parser's stack. */
const MAX_DEPTH = 64

const MESSAGES: Readonly<Record<string, (seen: string) => string>> = {
  InvalidSymbol: (seen) => `${seen} is not a value: names and texts go in double quotes.`,
  InvalidNumberFormat: () => 'This is not a number.',
  UnexpectedEndOfNumber: () => 'This is not a number.',
  PropertyNameExpected: (seen) => `A name in double quotes is missing before ${seen}.`,
  ValueExpected: (seen) => `A value is missing before ${seen}.`,
  ColonExpected: (seen) => `A colon is missing before ${seen}.`,
  CommaExpected: (seen) => `A comma or a closing bracket is missing before ${seen}.`,
  CloseBraceExpected: (seen) => `A } is missing before ${seen}.`,
  CloseBracketExpected: (seen) => `A ] is missing before ${seen}.`,
  EndOfFileExpected: (seen) => `Nothing may follow here, but there is ${seen}.`,
  UnexpectedEndOfComment: () => 'This comment is never closed.',
  UnexpectedEndOfString: () => 'This text is never closed with a quote.',
}

/** Parses JSON as found in configuration files: with comments, trailing commas and a byte order mark. */
export function parseJson(text: string): { root: JsonNode } | { problem: JsonProblem } {
  // The same length, so that positions stay correct.
  const plain = text.replace(/^\uFEFF/, ' ')
  const deep = tooDeepAt(plain)
  if (deep !== undefined)
    return { problem: { ...placeAt(text, deep), message: `This is nested more than ${MAX_DEPTH} levels deep.` } }
  const errors: ParseError[] = []
  const root = parseTree(plain, errors, { allowTrailingComma: true })
  const [error] = errors
  if (root && !error) return { root }
  const offset = error?.offset ?? 0
  const say = MESSAGES[error ? printParseErrorCode(error.error) : 'ValueExpected']
  const message = say?.(seenAt(plain, offset)) ?? 'This text has a sign or an escape that JSON does not allow.'
  return { problem: { ...placeAt(text, offset), message } }
}

/** Line and column of an offset, both from 1. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

/** The value that `JSON.parse` would return: the last of several members with the same name wins. */
export function valueOf(node: JsonNode): unknown {
  if (node.type === 'object')
    return Object.fromEntries(membersOf(node).map((member) => [nameOf(member), valueOf(valueNode(member))]))
  return node.type === 'array' ? (node.children ?? []).map(valueOf) : (node.value as unknown)
}

/** The members of an object; empty for any other node. */
export function membersOf(node: JsonNode | undefined): JsonNode[] {
  // Incomplete for a text with errors, which is rejected anyway.
  return node?.type === 'object' ? (node.children ?? []) : []
}

export function nameOf(member: JsonNode): string {
  return String(member.children?.[0]?.value)
}

export function valueNode(member: JsonNode): JsonNode {
  return member.children![1]!
}

/** The effective member with this name. */
export function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return membersOf(node).findLast((member) => nameOf(member) === name)
}

function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true)
  for (let depth = 0; ;) {
    scanner.scan()
    const sign = text.charAt(scanner.getTokenOffset())
    if (sign === '') return undefined
    if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
    if (depth > MAX_DEPTH) return scanner.getTokenOffset()
  }
}

function seenAt(text: string, offset: number): string {
  const sign = text.slice(offset, offset + 12).split(/\s/)[0]!
  return sign === '' ? 'the end of the file' : JSON.stringify(sign)
}
