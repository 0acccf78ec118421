/**
 * Writes the tables of settings in docs/configuration.md from the tables in the sources: `node scripts/setting-docs.ts
 * [--check]`. With `--check`, it writes nothing, and fails if the page is outdated. The tables are inserted between
 * `<!-- settings: loop -->` and `<!-- /settings -->`; with several names, keys start with the name of their table.
 */
import '../test/support/ts-hooks.mjs'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting, SettingTable } from '../src/main/engine/config/toml/setting-table.ts'

const { SETTING_TABLES } = await import('../src/main/engine/config/settings/read-settings.ts')

const page = join(import.meta.dirname, '../docs/configuration.md')
const PLACE = /(<!-- settings: ([\w ]+) -->\n)[\s\S]*?(\n<!-- \/settings -->)/g

function defaultOf({ value, shown }: Setting<unknown>): string {
  if (shown !== undefined) return shown
  return typeof value === 'number' ? String(value) : `\`${JSON.stringify(value)}\``
}

function rowsOf({ name, fields }: SettingTable, isNamed: boolean): string[][] {
  return Object.values(fields).map((setting) => [
    `\`${isNamed ? `${name}.` : ''}${setting.key}\``,
    defaultOf(setting),
    setting.about,
  ])
}

/** A Markdown table with aligned columns, as the formatter writes it. */
function markdownTable(rows: readonly string[][]): string {
  const all = [['key', 'default', 'meaning'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(all[0]!), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}

const written = new Set<string>()
const before = readFileSync(page, 'utf8')
const after = before.replaceAll(PLACE, (_place, start: string, names: string, end: string) => {
  const tables = names
    .trim()
    .split(' ')
    .map((name) => {
      written.add(name)
      const table = SETTING_TABLES.find((each) => each.name === name)
      if (!table) throw new Error(`docs/configuration.md asks for the settings of [${name}], which no table describes.`)
      return table
    })
  return `${start}\n${markdownTable(tables.flatMap((table) => rowsOf(table, tables.length > 1)))}\n${end}`
})
const missing = SETTING_TABLES.filter(({ name }) => !written.has(name)).map(({ name }) => name)
if (missing.length > 0) {
  process.stderr.write(
    `docs/configuration.md has no place for ${missing.join(', ')}: add <!-- settings: ${missing[0]} -->.\n`,
  )
  process.exitCode = 1
} else if (!process.argv.includes('--check')) writeFileSync(page, after)
else if (after !== before) {
  process.stderr.write('docs/configuration.md is not what the settings say. Run: node scripts/setting-docs.ts\n')
  process.exitCode = 1
}
