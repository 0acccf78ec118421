import { readFileSync, statSync } from 'node:fs'
import type { ConfigProblem } from '../../../shared/model/settings'
import type { Mistake } from './table-reader'
import { parseToml, type TomlTable } from './toml/parse-toml'

/** More than anybody writes by hand; reading on would only cost time. */
const MOST_BYTES = 4 * 1024 * 1024

export type ConfigText = { text: string } | { missing: true } | { problem: ConfigProblem }

/** The text of a configuration file; never hangs on a pipe or a device. */
export function readConfigText(file: string, mostBytes = MOST_BYTES): ConfigText {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) return { problem: { file, message: 'This is not a plain file.' } }
    if (stat.size > mostBytes) return { problem: { file, message: `The file is too large (${stat.size} bytes, at most ${mostBytes}).` } }
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { missing: true }
    if (error instanceof TypeError) return { problem: { file, message: 'The file is not UTF-8 text.' } }
    return { problem: { file, message: `The file cannot be read: ${error instanceof Error ? error.message : String(error)}` } }
  }
}

/** Reads and parses; `table` is undefined when that did not work, empty when there is no file. */
export function parseConfig(found: ConfigText, file: string): { table: TomlTable | undefined; problems: ConfigProblem[] } {
  if ('missing' in found) return { table: {}, problems: [] }
  if ('problem' in found) return { table: undefined, problems: [found.problem] }
  const parsed = parseToml(found.text, file)
  return 'table' in parsed ? { table: parsed.table, problems: [] } : { table: undefined, problems: [parsed.problem] }
}

/** Gives mistakes their line and column. The module that knows positions is loaded only when there is a mistake. */
export async function placeMistakes(mistakes: readonly Mistake[], text: string, file: string): Promise<ConfigProblem[]> {
  if (mistakes.length === 0) return []
  const { readDocument } = await import('./toml/toml-document')
  let placeOf: ReturnType<typeof readDocument>['placeOf']
  try {
    placeOf = readDocument(text.replace(/^\ufeff/, '')).placeOf
  } catch {
    // Two parsers rarely disagree about a file; the mistakes are told all the same, without a place.
    placeOf = () => undefined
  }
  return mistakes
    .map(({ path, message }) => ({ file, ...placeOf(path), message }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
}
