import { lstatSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import { readGuardedText, type TextGuard } from '../workspace/guarded-text'
import type { Mistake } from './toml/table-reader'
import { parseToml, type TomlTable } from './toml/parse-toml'

/** Larger than any handwritten file; larger files are not read. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024

export type ConfigText = { text: string } | { missing: true } | { problem: ConfigProblem }

/**
 * The text of a configuration file; never blocks on a pipe or a device. `within` is for a project's own file: see
 * `TextGuard`.
 */
export function readConfigText(
  file: string,
  { mostBytes = MAX_CONFIG_BYTES, ...where }: Partial<TextGuard> = {},
): ConfigText {
  // A sandbox reserves the name of a missing file with an empty folder.
  if (where.within !== undefined && basename(file) === '.mcp.json' && isEmptyFolder(file)) return { missing: true }
  const found = readGuardedText(file, { ...where, mostBytes })
  if ('problem' in found) {
    const words = { special: 'This is not a plain file.', large: `The file is too large (at most ${mostBytes} bytes).` }
    return { problem: { file, message: found.kind ? words[found.kind] : found.problem } }
  }
  return 'text' in found ? { text: found.text } : found
}

function isEmptyFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(path).length === 0
  } catch {
    return false
  }
}

/** Parses a configuration file; `table` is undefined on failure, and empty if the file is missing. */
export function parseConfig(
  found: ConfigText,
  file: string,
): { table: TomlTable | undefined; problems: ConfigProblem[] } {
  if ('missing' in found) return { table: {}, problems: [] }
  if ('problem' in found) return { table: undefined, problems: [found.problem] }
  const parsed = parseToml(found.text, file)
  return 'table' in parsed ? { table: parsed.table, problems: [] } : { table: undefined, problems: [parsed.problem] }
}

/** Adds line and column to mistakes. The module that determines positions is loaded only when there is a mistake. */
export async function locateMistakes(
  mistakes: readonly Mistake[],
  text: string,
  file: string,
): Promise<ConfigProblem[]> {
  if (mistakes.length === 0) return []
  const { readDocument } = await import('./toml/toml-document')
  let placeOf: ReturnType<typeof readDocument>['placeOf']
  try {
    placeOf = readDocument(text.replace(/^\ufeff/, '')).placeOf
  } catch {
    // The two parsers rarely disagree about a file; then problems are reported without a position.
    placeOf = () => undefined
  }
  return mistakes
    .map(({ path, message }) => ({ file, ...placeOf(path), message }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
}
