import { createScanner } from 'jsonc-parser'
import { memberOf, membersOf, nameOf, parseJson, placeAt, valueNode, type JsonNode } from './parse-json'

/** One change: the member at the end of `path` is set, removed or renamed. Missing parent objects are created. */
export type JsonEdit =
  | { path: readonly string[]; value: unknown }
  | { path: readonly string[]; remove: true }
  | { path: readonly string[]; rename: string }

/**
 * Changes members of a JSON text and nothing else: comments, order, indentation and line endings are preserved. An
 * empty text counts as `{}`. Throws `Error` with the position if the text does not parse or a parent is not an object.
 *
 * The parser's own `modify` is not used: it changes the first of two members with the same name, although the last one
 * counts, and removes comments next to neighbors.
 */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  let edited = text.trim() === '' ? '{}\n' : text
  for (const edit of edits) {
    if ('value' in edit) edited = setValue(edited, edit.path, edit.value)
    else if ('rename' in edit) edited = renamed(edited, edit.path, edit.rename)
    else edited = removed(edited, edit.path)
  }
  return edited
}

/** The existing objects along the path, up to the parent of its last part. */
function follow(text: string, path: readonly string[]): JsonNode[] {
  const parsed = parseJson(text)
  if ('problem' in parsed) {
    const { line, column, message } = parsed.problem
    throw new Error(`line ${line}, column ${column}: ${message}`)
  }
  const way = [parsed.root]
  for (const key of path.slice(0, -1)) {
    const next = memberOf(way.at(-1), key)
    if (!next) return way
    way.push(valueNode(next))
  }
  return way
}

function setValue(text: string, path: readonly string[], value: unknown): string {
  const way = follow(text, path)
  const holder = way.at(-1)!
  if (holder.type !== 'object') throw new Error(`line ${placeAt(text, holder.offset).line}: this is not an object.`)
  const rest = path.slice(way.length - 1)
  const there = rest.length === 1 ? memberOf(holder, rest[0]!) : undefined
  if (there) {
    const old = valueNode(there)
    return splice(text, old.offset, endOf(old), written(text, value, indentAt(text, there.offset)))
  }
  const whole = rest.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return inserted(text, holder, rest[0]!, whole)
}

function inserted(text: string, holder: JsonNode, key: string, value: unknown): string {
  const last = membersOf(holder).at(-1)
  const name = JSON.stringify(key)
  const eol = eolOf(text)
  if (!last) {
    const outer = indentAt(text, holder.offset)
    const inner = outer + unitOf(text)
    const comments = text.slice(holder.offset + 1, endOf(holder) - 1).trimEnd()
    return splice(
      text,
      holder.offset + 1,
      endOf(holder) - 1,
      `${comments}${eol}${inner}${name}: ${written(text, value, inner)}${eol}${outer}`,
    )
  }
  const comma = commaAfter(text, last)
  const isOneLine = !text.slice(holder.offset, endOf(holder)).includes('\n')
  if (isOneLine) {
    const at = comma === undefined ? endOf(last) : comma + 1
    return splice(text, at, at, `${comma === undefined ? ',' : ''} ${name}: ${JSON.stringify(value)}`)
  }
  const inner = indentAt(text, last.offset)
  const at = endWithComment(text, last)
  const line = `${eol}${inner}${name}: ${written(text, value, inner)}`
  const withMember = splice(text, at, at, comma === undefined ? line : `${line},`)
  return comma === undefined ? splice(withMember, endOf(last), endOf(last), ',') : withMember
}

function removed(text: string, path: readonly string[]): string {
  const way = follow(text, path)
  const members = way.length < path.length ? [] : membersOf(way.at(-1))
  const index = members.findLastIndex((member) => nameOf(member) === path.at(-1))
  const member = members[index]
  if (!member) return text
  const before = members[index - 1]
  const start = before ? endWithComment(text, before) : besideEnd(text, way.at(-1)!.offset + 1)
  const without = splice(text, start, endWithComment(text, member), '')
  const isLast = index === members.length - 1
  // The comma before it is removed too, unless the file has a trailing comma.
  const comma = isLast && before && commaAfter(text, member) === undefined ? commaAfter(text, before) : undefined
  // Also removes an earlier member with the same name, which would take effect now.
  return removed(comma === undefined ? without : splice(without, comma, comma + 1, ''), path)
}

function renamed(text: string, path: readonly string[], name: string): string {
  const way = follow(text, path)
  const key = way.length < path.length ? undefined : memberOf(way.at(-1), path.at(-1)!)?.children?.[0]
  return key ? splice(text, key.offset, endOf(key), JSON.stringify(name)) : text
}

function endOf(node: JsonNode): number {
  return node.offset + node.length
}

/** The offset of the comma after a member. */
function commaAfter(text: string, member: JsonNode): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(endOf(member))
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text.charAt(at) === ',' ? at : undefined
}

/** The offset after a member, its comma, and a comment on the same line. */
function endWithComment(text: string, member: JsonNode): number {
  const comma = commaAfter(text, member)
  return besideEnd(text, comma === undefined ? endOf(member) : comma + 1)
}

function besideEnd(text: string, from: number): number {
  const beside = /^[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/(?=[ \t]*[\r\n]))/.exec(text.slice(from, from + 2000))
  return from + (beside?.[0].length ?? 0)
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** The file's indentation. */
function unitOf(text: string): string {
  return /\n([ \t]+)(?=["/])/.exec(text)?.[1] ?? '  '
}

/** The indentation of the line that contains an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))![0]
}

/** A value formatted like the file. */
function written(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', eolOf(text) + indent)
}

function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
