import { memberOf, parseJson, placeAt, type JsonMember, type JsonNode } from './parse-json'

/** One change: the member at the end of `path` gets a value, is removed, or is renamed. Objects on the way are made. */
export type JsonEdit =
  | { path: readonly string[]; value: unknown }
  | { path: readonly string[]; remove: true }
  | { path: readonly string[]; rename: string }

/**
 * Changes members of a JSON text and nothing else: comments, order, indentation and line ends stay. An empty text counts as `{}`. Throws `Error` with
 * the place when the text does not parse, or when something on the way is no object.
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

function rootOf(text: string): JsonNode {
  const parsed = parseJson(text)
  if ('root' in parsed) return parsed.root
  const { line, column, message } = parsed.problem
  throw new Error(`line ${line}, column ${column}: ${message}`)
}

/** The objects on the way to the last part of the path, as far as they are there. */
function follow(text: string, path: readonly string[]): JsonNode[] {
  const way = [rootOf(text)]
  for (const key of path.slice(0, -1)) {
    const next = memberOf(way.at(-1), key)
    if (!next) return way
    way.push(next.node)
  }
  return way
}

function setValue(text: string, path: readonly string[], value: unknown): string {
  const way = follow(text, path)
  const holder = way.at(-1)!
  if (holder.kind !== 'object') throw new Error(`line ${placeAt(text, holder.start).line}: this is no object.`)
  const rest = path.slice(way.length - 1)
  const layout = layoutOf(text)
  const there = rest.length === 1 ? memberOf(holder, rest[0]!) : undefined
  if (there) return splice(text, there.node.start, there.node.end, written(value, layout, indentAt(text, there.start)))
  const whole = rest.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return inserted(text, holder, rest[0]!, whole, layout)
}

function inserted(text: string, holder: JsonNode & { kind: 'object' }, key: string, value: unknown, layout: Layout): string {
  const last = holder.members.at(-1)
  const outer = indentAt(text, holder.start)
  if (!last) {
    const inner = outer + layout.unit
    const comments = text.slice(holder.start + 1, holder.end - 1).trimEnd()
    const member = `${JSON.stringify(key)}: ${written(value, layout, inner)}`
    return splice(text, holder.start + 1, holder.end - 1, `${comments}${layout.eol}${inner}${member}${layout.eol}${outer}`)
  }
  const oneLine = !text.slice(holder.start, holder.end).includes('\n')
  if (oneLine) {
    const member = `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    return splice(text, last.node.end, last.comma === undefined ? last.node.end : last.comma + 1, `, ${member}`)
  }
  const inner = indentAt(text, last.start)
  const at = endOfMember(text, last)
  const line = `${layout.eol}${inner}${JSON.stringify(key)}: ${written(value, layout, inner)}`
  const withMember = splice(text, at, at, last.comma === undefined ? line : `${line},`)
  return last.comma === undefined ? splice(withMember, last.node.end, last.node.end, ',') : withMember
}

function removed(text: string, path: readonly string[]): string {
  const way = follow(text, path)
  const holder = way.at(-1)!
  const key = path.at(-1)!
  if (way.length < path.length || holder.kind !== 'object') return text
  const index = holder.members.findLastIndex((member) => member.key === key)
  const member = holder.members[index]
  if (!member) return text
  const before = holder.members[index - 1]
  const start = before ? endOfMember(text, before) : sameLineEnd(text, holder.start + 1)
  const without = splice(text, start, endOfMember(text, member), '')
  const isLast = index === holder.members.length - 1
  // The comma before it goes too, unless this file has commas after the last member.
  const shorter =
    isLast && before?.comma !== undefined && member.comma === undefined ? splice(without, before.comma, before.comma + 1, '') : without
  // A member of the same name before it would count from now on.
  return removed(shorter, path)
}

function renamed(text: string, path: readonly string[], name: string): string {
  const way = follow(text, path)
  const member = way.length < path.length ? undefined : memberOf(way.at(-1), path.at(-1)!)
  if (!member) return text
  return splice(text, member.start, member.keyEnd, JSON.stringify(name))
}

/** After a member, its comma, and a comment beside it on the same line. */
function endOfMember(text: string, member: JsonMember): number {
  return sameLineEnd(text, member.comma === undefined ? member.node.end : member.comma + 1)
}

function sameLineEnd(text: string, from: number): number {
  const beside = /^[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/(?=[ \t]*[\r\n]))/.exec(text.slice(from, from + 2000))
  return from + (beside?.[0].length ?? 0)
}

interface Layout {
  unit: string
  eol: string
}

function layoutOf(text: string): Layout {
  const first = /\n([ \t]+)(?=["/])/.exec(text)?.[1]
  return { unit: first ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** The blanks at the beginning of the line an offset is in. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))![0]
}

function written(value: unknown, { unit, eol }: Layout, indent: string): string {
  // Short lists stay on one line, as people write arguments.
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    if (line.length <= 80) return line
  }
  if (Array.isArray(value))
    return block(
      value.map((item) => written(item, { unit, eol }, indent + unit)),
      '[]',
      { unit, eol },
      indent,
    )
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}: ${written(item, { unit, eol }, indent + unit)}`)
  return block(members, '{}', { unit, eol }, indent)
}

function block(lines: string[], brackets: '{}' | '[]', { unit, eol }: Layout, indent: string): string {
  if (lines.length === 0) return brackets
  return `${brackets.charAt(0)}${eol}${lines.map((line) => `${indent}${unit}${line}`).join(`,${eol}`)}${eol}${indent}${brackets.charAt(1)}`
}

function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
