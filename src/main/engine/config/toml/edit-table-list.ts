import { isDeepStrictEqual } from 'node:util'
import { CodedError } from '../../../../shared/errors'
import { editToml, parsedToml, prunedTable, tomlValueAt } from './edit-toml'
import { isTable } from './parse-toml'
import { readDocument, samePath, startsWith, type TomlDocument } from './toml-document'
import { cutLines, isBlank, lineEnd, lineStart, newlineOf, nextLine, splice, tomlKey, tomlValue } from './toml-text'
import type { TomlInput } from './toml-text'

/** The keys of one table of a list; `undefined` removes a key. */
export type TableValues = Readonly<Record<string, TomlInput | undefined>>

/** The table of a list to change. Positions count from 0. */
interface TablePlace {
  index: number
  /** Whether the table at this position is the expected one: the file may have changed since it was read. */
  isMeant?(table: Readonly<Record<string, unknown>>): boolean
}

/** A change of a list of tables such as `[[hooks]]`. */
export type TableListEdit =
  | { kind: 'add'; values: TableValues; at?: number }
  | ({ kind: 'change'; values: TableValues } & TablePlace)
  | ({ kind: 'remove' } & TablePlace)
  | ({ kind: 'move'; to: number } & TablePlace)

/**
 * Changes a list of tables at a path, written as `[[a.b]]` or as `b = [{ … }]`. Comments are kept: those of a moved
 * table move with it, and those of a removed one remain. The result is parsed again and must be exactly the intended
 * change; otherwise throws CodedError `config.write_failed`, or `customize.changed` if another table is at that
 * position.
 */
export function editTableList(text: string, path: readonly string[], edit: TableListEdit): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const before = text.slice(mark.length)
  const table = parsedToml(before)
  const current = tomlValueAt(table, path)
  if (current !== undefined && !Array.isArray(current)) throw unfit(`${path.join('.')} is not a list of tables`)
  const wanted = changedList(current ?? [], edit)
  const document = readDocument(before)
  const blocks = blocksOf(document, path)
  const isBlocks = blocks.length === (current?.length ?? 0)
  const after = isBlocks
    ? editBlocks(document, path, blocks, edit)
    : editToml(before, [{ path, value: wanted.length === 0 ? undefined : (wanted as TomlInput) }])
  const meant = parsedToml(after)
  if (!isDeepStrictEqual(withList(meant, path, []), withList(table, path, [])) || !sameList(meant, path, wanted))
    throw unfit('the change would have changed something else too')
  return mark + after
}

function unfit(why: string): CodedError {
  return new CodedError('config.write_failed', `This change does not match the structure of config.toml: ${why}.`)
}

function changedList(list: readonly unknown[], edit: TableListEdit): unknown[] {
  const copy = [...list]
  if (edit.kind === 'add') {
    copy.splice(edit.at ?? copy.length, 0, withoutUndefined(edit.values))
    return copy
  }
  const entry = copy[edit.index]
  if (edit.isMeant && !(isTable(entry) && edit.isMeant(entry)))
    throw new CodedError('customize.changed', `Entry ${edit.index + 1} is no longer the one that was shown.`)
  if (!isTable(entry)) throw unfit(`there is no table number ${edit.index + 1}`)
  if (edit.kind === 'change') copy[edit.index] = withoutUndefined({ ...(entry as TableValues), ...edit.values })
  if (edit.kind === 'remove') copy.splice(edit.index, 1)
  if (edit.kind === 'move') copy.splice(edit.to, 0, ...copy.splice(edit.index, 1))
  return copy
}

function withoutUndefined(values: TableValues): Record<string, TomlInput> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

function withList(table: object, path: readonly string[], list: unknown): unknown {
  const [key, ...rest] = path
  const copy: Record<string, unknown> = { ...table }
  if (key === undefined) return list
  const inner = withList(isTable(copy[key]) ? copy[key] : {}, rest, list)
  if (rest.length === 0) delete copy[key]
  else copy[key] = inner
  return prunedTable(copy)
}

function sameList(table: Record<string, unknown>, path: readonly string[], wanted: readonly unknown[]): boolean {
  return isDeepStrictEqual(prunedTable(tomlValueAt(table, path) ?? []), prunedTable(wanted))
}

/** A table of the list with the comments right above it; up to the next table or its comments. */
interface Block {
  start: number
  /** Where its `[[…]]` starts. */
  header: number
  /** After the line of its last key. */
  contentEnd: number
  end: number
}

function blocksOf({ text, headers }: TomlDocument, path: readonly string[]): Block[] {
  const starts = headers.map(({ range }) => withComments(text, lineStart(text, range[0])))
  return headers.flatMap((header, at) => {
    const { resolvedKey } = header
    const isOwn =
      header.kind === 'array' && samePath(resolvedKey.slice(0, -1), path) && typeof resolvedKey.at(-1) === 'number'
    if (!isOwn) return []
    // Tables inside it belong to it.
    const next = headers.findIndex((other, index) => index > at && !startsWith(other.resolvedKey, resolvedKey))
    const last = headers[(next < 0 ? headers.length : next) - 1]!
    const contentEnd = nextLine(text, last.body.at(-1)?.range[1] ?? last.key.range[1])
    const end = next < 0 ? text.length : Math.max(starts[next]!, contentEnd)
    return [{ start: starts[at]!, header: lineStart(text, header.range[0]), contentEnd, end }]
  })
}

/** The start of the comment lines directly above a line. */
function withComments(text: string, start: number): number {
  let at = start
  while (
    at > 0 &&
    text
      .slice(lineStart(text, at - 1), at)
      .trimStart()
      .startsWith('#')
  )
    at = lineStart(text, at - 1)
  return at
}

function editBlocks(document: TomlDocument, path: readonly string[], blocks: Block[], edit: TableListEdit): string {
  const { text } = document
  if (edit.kind === 'add') return addBlock(text, path, blocks, edit)
  if (edit.kind === 'remove') return removeBlock(document, blocks[edit.index]!)
  if (edit.kind === 'move') return moveBlock(text, blocks, edit.index, edit.to)
  return Object.entries(edit.values).reduce((out, [key, value]) => setKey(out, [...path, edit.index], key, value), text)
}

function addBlock(
  text: string,
  path: readonly string[],
  blocks: Block[],
  { values, at = blocks.length }: { values: TableValues; at?: number },
): string {
  const newline = newlineOf(text)
  const lines = Object.entries(withoutUndefined(values)).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`)
  const written = [`[[${path.map(tomlKey).join('.')}]]`, ...lines, ''].join(newline)
  const next = blocks[at]
  if (next) return splice(text, next.start, next.start, `${written}${newline}`)
  const place = blocks.at(-1)?.contentEnd ?? text.length
  const head = text.slice(0, place)
  const lead = head.trim() === '' ? '' : head.endsWith('\n') ? newline : newline + newline
  const tail = place < text.length && !isBlank(text, place) ? newline : ''
  return splice(text, place, place, `${lead}${written}${tail}`)
}

function setKey(text: string, table: readonly (string | number)[], key: string, value: TomlInput | undefined): string {
  const { entries, headers } = readDocument(text)
  const entry = entries.find((candidate) => samePath(candidate.path, [...table, key]))
  if (entry) {
    const [start, end] = entry.node.value.range
    return value === undefined
      ? cutLines(text, entry.node.range[0], entry.node.range[1])
      : splice(text, start, end, tomlValue(value))
  }
  if (value === undefined) return text
  const header = headers.find((candidate) => samePath(candidate.resolvedKey, table))!
  const end = lineEnd(text, header.body.at(-1)?.range[1] ?? header.key.range[1])
  return splice(text, end, end, `${newlineOf(text)}${tomlKey(key)} = ${tomlValue(value)}`)
}

function removeBlock({ text, comments }: TomlDocument, block: Block): string {
  const kept = comments
    .filter(({ range }) => range[0] >= block.header && range[1] <= block.contentEnd)
    .filter(({ range }) => text.slice(lineStart(text, range[0]), range[0]).trim() === '')
    .map(({ range }) => text.slice(lineStart(text, range[0]), nextLine(text, range[1])))
    .join('')
  const out = splice(text, block.header, block.contentEnd, kept)
  const at = block.header + kept.length
  const isDouble =
    (block.header === 0 || isBlank(text, lineStart(text, block.header - 1))) && at < out.length && isBlank(out, at)
  return isDouble ? splice(out, at, nextLine(out, at)) : out
}

function moveBlock(text: string, blocks: readonly Block[], index: number, to: number): string {
  const newline = newlineOf(text)
  const texts = blocks.map(({ start, end }) => text.slice(start, end))
  texts.splice(to, 0, ...texts.splice(index, 1))
  let out = text
  for (const [slot, { start, end }] of [...blocks.entries()].toReversed()) {
    const moved = texts[slot]!.trimEnd()
    const isLast = end === text.length
    out = splice(out, start, end, `${moved}${newline}${isLast ? '' : newline}`)
  }
  return out
}
