import { isDeepStrictEqual } from 'node:util'
import { CodedError } from '../../../../shared/errors'
import { isTable, parseToml, type TomlTable } from './parse-toml'
import { readDocument, samePath, startsWith, type KeyEntry, type TomlDocument } from './toml-document'
import {
  cutLines,
  isBlank,
  lineEnd,
  lineStart,
  newlineOf,
  nextLine,
  splice,
  appendElement,
  removeElement,
  stepArray,
  isList,
  tomlKey,
  tomlValue,
  wellFormed,
  type TomlInput,
} from './toml-text'

/** Sets or removes the value at a path. A table as value replaces the whole table. */
export interface TomlEdit {
  path: readonly string[]
  value: TomlInput | undefined
}

/**
 * Applies only these edits to a TOML text: comment lines, order, spacing and line endings are preserved. New keys go to
 * the end of their table, new tables after their siblings. The result is parsed again and must be exactly the intended
 * change; otherwise, and if `text` does not parse, throws CodedError `config.write_failed`.
 */
export function editToml(text: string, edits: readonly TomlEdit[]): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const before = text.slice(mark.length)
  const wanted = parsedToml(before)
  let after = before
  for (const asked of edits) {
    const edit = {
      path: asked.path.map((part) => part.toWellFormed()),
      value: asked.value === undefined ? undefined : wellFormed(asked.value),
    }
    for (const small of smallEdits(after, edit))
      after = small.value === undefined ? remove(after, small.path) : set(after, small.path, small.value)
    apply(wanted, edit)
  }
  let meant: TomlTable
  try {
    meant = parsedToml(after)
  } catch (error) {
    throw new CodedError(
      'config.write_failed',
      'This change does not match the structure of config.toml. Make it by hand.',
      {
        cause: error,
      },
    )
  }
  if (!isDeepStrictEqual(prunedTable(meant), prunedTable(wanted))) {
    throw new CodedError(
      'config.write_failed',
      'This change would have changed something else in config.toml too; make it by hand.',
    )
  }
  return mark + after
}

/** Splits an edit into edits of single values, and only those that change something. */
function smallEdits(text: string, { path, value }: TomlEdit): TomlEdit[] {
  const current = tomlValueAt(parsedToml(text), path)
  if (value === undefined) return current === undefined ? [] : [{ path, value }]
  if (isDeepStrictEqual(current, prunedTable(value))) return []
  if (!isInputTable(value))
    return isTable(current)
      ? [
          { path, value: undefined },
          { path, value },
        ]
      : [{ path, value }]
  const edits: TomlEdit[] = []
  const existing = isTable(current) ? Object.keys(current) : []
  if (current !== undefined && !isTable(current)) edits.push({ path, value: undefined })
  for (const key of existing) if (!Object.hasOwn(value, key)) edits.push({ path: [...path, key], value: undefined })
  for (const [key, item] of Object.entries(value))
    edits.push(...smallEdits(text, { path: [...path, key], value: item }))
  return edits
}

function set(text: string, path: readonly string[], value: TomlInput): string {
  let out = text
  // An array may take several steps; each is compared with the current text.
  for (;;) {
    const document = readDocument(out)
    const entry = document.entries.find((candidate) => samePath(candidate.path, path))
    if (!entry) return insert(document, path, value)
    const [start, end] = entry.node.value.range
    const current = tomlValueAt(parsedToml(out), path)
    const comments = document.comments.filter(({ range }) => range[0] > start && range[1] < end)
    if (!isList(value) || entry.node.value.type !== 'TOMLArray' || !Array.isArray(current) || comments.length === 0) {
      return splice(out, start, end, tomlValue(value))
    }
    if (isDeepStrictEqual(current, value)) return out
    out = stepArray(out, entry.node.value, current, value, comments)
  }
}

/** Inserts a new key. */
function insert(document: TomlDocument, path: readonly string[], value: TomlInput): string {
  const { text, entries, headers } = document
  const parent = path.slice(0, -1)
  const written = (base: number): string => `${path.slice(base).map(tomlKey).join('.')} = ${tomlValue(value)}`
  const header = headers.find((table) => table.kind === 'standard' && samePath(table.resolvedKey, parent))
  if (header) {
    const last = header.body.at(-1)
    return after(text, last?.range ?? [header.range[0], lineEnd(text, header.key.range[1])], written(parent.length))
  }
  if (parent.length === 0) return insertAtTop(document, written(0))
  // The innermost inline table around it: `local = { ... }`.
  const holder = entries.findLast(
    (entry) => entry.node.value.type === 'TOMLInlineTable' && startsWith(parent, entry.path),
  )
  if (holder?.node.value.type === 'TOMLInlineTable')
    return appendElement(text, holder.node.value, written(holder.path.length))
  // The table may consist only of dotted keys: `local.type = ...`.
  const sibling = entries.findLast(
    (entry) => entry.path.length > parent.length && entry.base.length < parent.length && startsWith(entry.path, parent),
  )
  if (sibling) return after(text, sibling.node.range, written(sibling.base.length))
  return insertTable(document, parent, written(parent.length))
}

/** Inserts a line after the end of the range, with the same indentation. */
function after(text: string, [start, end]: readonly [number, number], written: string): string {
  const indent = /^[ \t]*/.exec(text.slice(lineStart(text, start)))?.[0] ?? ''
  const at = lineEnd(text, end)
  return splice(text, at, at, newlineOf(text) + indent + written)
}

function insertAtTop({ text, entries, headers }: TomlDocument, written: string): string {
  const newline = newlineOf(text)
  const last = entries.findLast((entry) => entry.base.length === 0 && !entry.inline)
  if (last) return after(text, last.node.range, written)
  const first = headers[0]
  if (!first) return `${closed(text, newline)}${written}${newline}`
  // Above the comment that belongs to the first table.
  let at = lineStart(text, first.range[0])
  while (at > 0 && isComment(text, lineStart(text, at - 1))) at = lineStart(text, at - 1)
  return splice(text, at, at, `${written}${newline}${newline}`)
}

function insertTable({ text, headers, entries }: TomlDocument, path: readonly string[], written: string): string {
  const newline = newlineOf(text)
  const table = `[${path.map(tomlKey).join('.')}]${newline}${written}`
  const shared = (key: readonly (string | number)[]): number => path.findIndex((part, index) => part !== key[index])
  const near = headers.map((header) => ({
    header,
    common: startsWith(header.resolvedKey, path) ? path.length : shared(header.resolvedKey),
  }))
  const most = Math.max(0, ...near.map(({ common }) => common))
  const sibling = most === 0 ? undefined : near.findLast(({ common }) => common === most)?.header
  if (!sibling) return `${closed(text, newline)}${table}${newline}`
  const lastEntry = entries.findLast((entry) => sibling.body.includes(entry.node))
  let at = nextLine(text, lastEntry?.node.range[1] ?? sibling.key.range[1])
  // Comments directly below belong to that table, unless they are directly above the next one.
  let end = at
  while (end < text.length && isComment(text, end)) end = nextLine(text, end)
  if (end >= text.length || isBlank(text, end)) at = end
  const lead = text.slice(0, at).endsWith('\n') ? newline : newline + newline
  const tail = at < text.length && !isBlank(text, at) ? newline : ''
  return splice(text, at, at, `${lead}${table}${newline}${tail}`)
}

/** Removes all keys and tables at and below a path. */
function remove(text: string, path: readonly string[]): string {
  let out = text
  for (;;) {
    const document = readDocument(out)
    const entry = document.entries.find((candidate) => startsWith(candidate.path, path))
    const header = document.headers.find((table) => startsWith(table.resolvedKey, path))
    if (entry) out = removeEntry(out, entry)
    else if (header) out = cutLines(out, header.range[0], header.key.range[1])
    else return out
  }
}

function removeEntry(text: string, { node, inline }: KeyEntry): string {
  if (!inline) return cutLines(text, node.range[0], node.range[1])
  return removeElement(text, inline.body, inline.body.indexOf(node), inline.range[1] - 1)
}

/** The text with a final line break and a blank line, ready to append to. */
function closed(text: string, newline: string): string {
  if (text.trim() === '') return ''
  const ended = text.endsWith('\n') ? text : text + newline
  return isBlank(ended, lineStart(ended, ended.length - 1)) ? ended : ended + newline
}

function isComment(text: string, start: number): boolean {
  return text.slice(start, lineEnd(text, start)).trimStart().startsWith('#')
}

/** Parses a text; throws CodedError `config.write_failed` if that fails. */
export function parsedToml(text: string): TomlTable {
  const result = parseToml(text, 'config.toml')
  if ('table' in result) return result.table
  const { line, column, message } = result.problem
  throw new CodedError(
    'config.write_failed',
    `config.toml has a mistake in line ${line}, column ${column}: ${message}. ` +
      'Fix that first; the file was not changed.',
  )
}

/** The value at a path; undefined if there is no value. */
export function tomlValueAt(table: TomlTable, path: readonly string[]): unknown {
  let value: unknown = table
  for (const part of path) value = isTable(value) && Object.hasOwn(value, part) ? value[part] : undefined
  return value
}

/** Applies the edit to plain data: the expected meaning of the new text. */
function apply(table: TomlTable, { path, value }: TomlEdit): void {
  const key = path.at(-1)
  if (key === undefined) return
  let within = table
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(within, part) ? within[part] : undefined
    if (isTable(next)) within = next
    else {
      const made: TomlTable = Object.create(null)
      within[part] = made
      within = made
    }
  }
  if (value === undefined) delete within[key]
  else within[key] = value
}

/** Removes empty tables (a table disappears with its last dotted key) and prototypes, for comparison. */
export function prunedTable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prunedTable)
  if (!isTable(value)) return value
  const out: TomlTable = Object.create(null)
  for (const [key, item] of Object.entries(value)) {
    const inner = prunedTable(item)
    if (!(isTable(inner) && Object.keys(inner).length === 0)) out[key] = inner
  }
  return out
}

function isInputTable(value: TomlInput): value is { readonly [key: string]: TomlInput } {
  return typeof value === 'object' && !isList(value)
}

/**
 * Appends allow rules to a config.toml as `[[permission.rules]]`; everything else is preserved byte for byte. Existing
 * rules are not repeated. Throws CodedError `config.write_failed` if the text does not parse or its layout does not
 * allow it.
 */
export function appendRules(text: string, patterns: readonly string[]): string {
  const before = parseRules(text)
  const there = rulesOf(before)
  const added = patterns
    .filter(
      (pattern) => !there.some((rule) => isTable(rule) && rule['decision'] === 'allow' && rule['pattern'] === pattern),
    )
    .map((pattern) => ({ decision: 'allow', pattern }))
  if (added.length === 0) return text
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const blocks = added.map(({ decision, pattern }) =>
    ['[[permission.rules]]', `decision = "${decision}"`, `pattern = ${JSON.stringify(pattern)}`, ''].join(newline),
  )
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? newline : newline + newline
  const after = text + gap + blocks.join(newline)
  const wanted = [...there, ...added]
  const result = parseToml(after, 'config.toml')
  if ('table' in result && isDeepStrictEqual(plain(rulesOf(result.table)), plain(wanted))) return after
  // `rules` is written as a list on one line.
  return editToml(text, [{ path: ['permission', 'rules'], value: wanted as TomlInput }])
}

function rulesOf(table: TomlTable): unknown[] {
  const permission = table['permission']
  const rules = isTable(permission) ? permission['rules'] : undefined
  return Array.isArray(rules) ? rules : []
}

function parseRules(text: string): TomlTable {
  const result = parseToml(text, 'config.toml')
  if ('table' in result) return result.table
  throw new CodedError(
    'config.write_failed',
    `config.toml has a mistake in line ${result.problem.line}: ${result.problem.message}.`,
  )
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
