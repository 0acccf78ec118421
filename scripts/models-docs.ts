import { readFileSync, writeFileSync } from 'node:fs'
import type { ModelRow, ModelsTable } from '../src/main/engine/model/catalog/models-table.ts'

const BEGIN = '<!-- made by scripts/models-table.ts: begin -->'
const END = '<!-- made by scripts/models-table.ts: end -->'

/** Inserts the table of each provider's models between the markers in a Markdown file. */
export function writeModelsDocs(table: ModelsTable, file: string): void {
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`${file} has no place for the lists: ${BEGIN} … ${END}`)
  writeFileSync(file, `${text.slice(0, from)}${BEGIN}\n\n${listsOf(table)}\n${text.slice(to)}`)
}

function listsOf({ generated, sources, providers }: ModelsTable): string {
  const from = sources.map(({ name, date }) => (date === undefined ? name : `${name} (${date})`)).join(', ')
  const lists = Object.entries(providers).map(([id, { name, small, models }]) => {
    const rows = Object.entries(models)
    const note = small === undefined ? '' : ` Small model: \`${small}\`.`
    if (id === 'openrouter')
      return (
        `### ${name}\n\n${rows.length} models of many makers; see the table. ` +
        'The small model is the one of the same maker.\n'
      )
    const lines = rows.map(([model, row]) => lineOf(model, row))
    return (
      `### ${name}\n\n${rows.length} models.${note}\n\n| model | window | output | media | thinking | efforts ` +
      `| $ in / out / cache read / write |\n| --- | --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`
    )
  })
  return `Made on ${generated} from ${from}.\n\n${lists.join('\n')}`
}

function lineOf(model: string, row: ModelRow): string {
  const price = row.price ? row.price.join(' / ') : ''
  const over = row.over ? `; above ${row.over[0].toLocaleString('en')}: ${row.over.slice(1).join(' / ')}` : ''
  const efforts = (row.efforts ?? []).map((effort) => (effort === row.effort ? `**${effort}**` : effort)).join(', ')
  const notes = [row.thinking ?? '', row.binds ? 'binds' : '', row.header ? 'header' : ''].filter(Boolean).join(', ')
  const cells = [
    `\`${model}\``,
    count(row.window),
    row.output === undefined ? '' : count(row.output),
    (row.in ?? []).join(', '),
    notes,
    efforts,
    price + over,
  ]
  return `| ${cells.join(' | ')} |`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en')
}
