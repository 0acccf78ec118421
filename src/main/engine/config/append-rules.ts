import { isDeepStrictEqual } from 'node:util'
import { CodedError } from '../../../shared/model/errors'
import { editToml } from './toml/edit-toml'
import { isTable, parseToml, type TomlTable } from './toml/parse-toml'
import type { TomlInput } from './toml/toml-write'

/**
 * Allow rules at the end of a config.toml, as `[[permission.rules]]`; all else stays as it is, to the byte. Rules that are there already are
 * not written again. CodedError `config.write_failed` when the text does not parse or is written in a way they do not fit into.
 */
export function appendRules(text: string, patterns: readonly string[]): string {
  const before = parsed(text)
  const there = rulesOf(before)
  const added = patterns
    .filter((pattern) => !there.some((rule) => isTable(rule) && rule['decision'] === 'allow' && rule['pattern'] === pattern))
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

function parsed(text: string): TomlTable {
  const result = parseToml(text, 'config.toml')
  if ('table' in result) return result.table
  throw new CodedError('config.write_failed', `config.toml has a mistake in line ${result.problem.line}: ${result.problem.message}.`)
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
