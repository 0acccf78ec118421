import { parse, TomlError } from 'smol-toml'
import type { ConfigProblem } from '../../../../shared/model/settings'

/** A table as it was read. Integers beyond 2^53 are bigint. */
export type TomlTable = Record<string, unknown>

/** Reads TOML; a mistake comes back as a problem with line and column. A byte order mark is ignored. */
export function parseToml(text: string, file: string): { table: TomlTable } | { problem: ConfigProblem } {
  try {
    return { table: parse(text, { integersAsBigInt: 'asNeeded' }) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [first = ''] = error.message.split('\n')
    return {
      problem: { file, line: error.line, column: error.column, message: first.replace('Invalid TOML document: ', 'Not valid TOML: ') },
    }
  }
}

/** Whether a value is a table (and not an array, a date or a plain value). */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) && isPlain(value)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
