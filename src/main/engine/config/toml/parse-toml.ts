import { parse, TomlError } from 'smol-toml'
import type { ConfigProblem } from '../../../../shared/configuration/settings'

/** A parsed table. Integers beyond 2^53 are bigint. */
export type TomlTable = Record<string, unknown>

/** Parses TOML; returns an error as a problem with line and column. A byte order mark is ignored. */
export function parseToml(text: string, file: string): { table: TomlTable } | { problem: ConfigProblem } {
  try {
    const table = parse(text, { integersAsBigInt: 'asNeeded' })
    if (!isDeeperThan(table, MAX_DEPTH)) return { table }
    return { problem: { file, message: `Its tables are more than ${MAX_DEPTH} levels deep.` } }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [first = ''] = error.message.split('\n')
    return {
      problem: {
        file,
        line: error.line,
        column: error.column,
        message: first.replace('Invalid TOML document: ', 'Not valid TOML: '),
      },
    }
  }
}

/** No setting is nearly as deep. The parser limits brackets, but not keys such as `a.a.a`. */
const MAX_DEPTH = 100

function isDeeperThan(table: TomlTable, levels: number): boolean {
  let level: unknown[] = [table]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true
    level = level
      .flatMap((value): unknown[] => (Array.isArray(value) ? value : isTable(value) ? Object.values(value) : []))
      .filter((value) => typeof value === 'object' && value !== null)
  }
  return false
}

/** How many entries a list in a file has at least, of which these were read. */
export function countOf(entries: readonly { index: number }[]): number {
  return entries.reduce((most, { index }) => Math.max(most, index + 1), 0)
}

/** Whether a value is a table (and not an array, a date or a plain value). */
export function isTable(value: unknown): value is TomlTable {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) && isPlain(value)
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * The lines of the first `count` tables of a list written as `[[a.b]]`. The module that determines positions is loaded
 * only for a file with an unusual layout.
 */
export async function entryLines(
  text: string,
  path: readonly string[],
  count: number,
): Promise<(number | undefined)[]> {
  const header = new RegExp(`^\\s*\\[\\[\\s*${path.join('\\s*\\.\\s*')}\\s*\\]\\]`)
  const lines = text.split('\n').flatMap((line, index) => (header.test(line) ? [index + 1] : []))
  const all = Array.from({ length: count }, (_, index) => index)
  if (!/'''|"""/.test(text) && lines.length >= count) return all.map((index) => lines[index])
  const { readDocument } = await import('./toml-document')
  try {
    const { placeOf } = readDocument(text.replace(/^\ufeff/, ''))
    return all.map((index) => placeOf([...path, index])?.line)
  } catch {
    return all.map(() => undefined)
  }
}
