import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorText } from '../../../../shared/error-text'
import { isRecord } from '../../../../shared/json-fields'
import type { ConfigProblem } from '../../../../shared/configuration/settings'
import type { PriceTable } from '../../../../shared/model/turn/usage'
import type { Effort } from '../../../../shared/model/turn/effort'
import type { ThinkingControl } from '../provider'

/** What a model accepts besides text. */
export type Medium = 'image' | 'pdf' | 'video'

/** Dollars per million tokens: input, output, cache reads, cache writes. */
export type PriceRow = [input: number, output: number, cacheRead?: number, cacheWrite?: number]

/** The table's row for a model. Absent fields: no, or unknown. */
export interface ModelRow {
  /** Tokens. */
  window: number
  /** Most tokens of an answer. */
  output?: number
  in?: readonly Medium[]
  /** Absent: it does not think. */
  thinking?: ThinkingControl
  efforts?: readonly Effort[]
  /** The level its vendor uses when none is sent. */
  effort?: Effort
  /** Rejects its own earlier thinking if anything before it has changed. */
  binds?: true
  /** Needs a header to think between calls. */
  header?: true
  dialect?: 'gpt'
  price?: PriceRow
  /** Price of the whole request if its input exceeds this many tokens. */
  over?: [tokens: number, ...price: PriceRow]
  /** Its release date. */
  released?: string
}

export interface KnownProvider {
  name: string
  /** A cheap model of the same provider. */
  small?: string
  models: Record<string, ModelRow>
}

/** `resources/models/table.json`, made by `scripts/models-table.ts`. */
export interface ModelsTable {
  /** The date it was generated. */
  generated: string
  sources: { name: string; date?: string }[]
  providers: Record<string, KnownProvider>
}

let read: { table: ModelsTable; problem?: ConfigProblem } | undefined

/**
 * The models that Trestle knows; empty if the file is missing or damaged (`modelsTableProblem`). Read on first use, to
 * keep startup fast.
 */
export function modelsTable(): ModelsTable {
  read ??= readModelsTable(pathOf(import.meta.url))
  return read.table
}

/** Why no models are known, for the settings page; undefined if they are. */
export function modelsTableProblem(): ConfigProblem | undefined {
  read ??= readModelsTable(pathOf(import.meta.url))
  return read.problem
}

/** Without the file everything still works, based on the configuration and the providers' own lists. */
export function readModelsTable(file: string): { table: ModelsTable; problem?: ConfigProblem } {
  try {
    const table = JSON.parse(readFileSync(file, 'utf8')) as Partial<ModelsTable> | null
    if (!isRecord(table?.providers) || !Array.isArray(table.sources)) throw new Error('It is not a table of models.')
    return { table: table as ModelsTable }
  } catch (error) {
    const why = errorText(error)
    return {
      table: { generated: '', sources: [], providers: {} },
      problem: {
        file,
        message:
          'The table of known models cannot be read, so limits and prices are guessed. ' +
          `Install Trestle again. ${why}`,
      },
    }
  }
}

/** The table of known models, as cited in reports. */
export function priceTable(): PriceTable {
  const { generated, sources } = modelsTable()
  return {
    generated,
    sources: sources.map(({ name, date }) => (date === undefined ? name : `${name} (${date})`)),
  }
}

/** The path of the table, whether this code runs from the sources, an entry, or a chunk. */
function pathOf(here: string): string {
  const top = here.endsWith('.ts') ? '../../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return fileURLToPath(new URL(`${top}resources/models/table.json`, here))
}

export interface FoundRow {
  /** As the table spells it. */
  id: string
  row: ModelRow
}

/** Rows by plain name, for each provider of the table. */
const indexes = new WeakMap<Record<string, ModelRow>, Map<string, FoundRow>>()

/**
 * The row of a model, also under an alias: with a date (`claude-haiku-4-5-20251001`), as the newest (`-latest`), with
 * the vendor in front (`anthropic/claude-haiku-4.5`, `models/gemini-2.5-pro`, `us.anthropic.claude-…-v1:0`), or as a
 * variant (`:free`).
 */
export function findModelRow(table: ModelsTable, provider: string, model: string): FoundRow | undefined {
  const models = table.providers[provider]?.models
  if (!models) return undefined
  if (Object.hasOwn(models, model)) return { id: model, row: models[model]! }
  const index = indexOf(models)
  for (const name of namesOf(model)) {
    const found = index.get(name)
    if (found) return found
  }
  return undefined
}

function indexOf(models: Record<string, ModelRow>): Map<string, FoundRow> {
  const known = indexes.get(models)
  if (known) return known
  const index = new Map(Object.entries(models).map(([id, row]) => [plain(id), { id, row }]))
  indexes.set(models, index)
  return index
}

/** The names a model can have in the table, the most exact first. */
function namesOf(model: string): string[] {
  const whole = plain(
    model.replace(/^models\//, '').replace(/^(?:[a-z]+\.)?(anthropic|openai|google|meta|mistral|qwen|deepseek)\./, ''),
  )
  const bare = whole.replace(/^.*\//, '')
  return [whole, bare].flatMap((name) => {
    const undated = name.replace(/-v\d+$/, '').replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
    const unversioned = undated.replace(/-latest$/, '')
    return [
      name,
      undated,
      unversioned,
      `${unversioned}-0`,
      `${unversioned}-preview`,
      unversioned.replace(/-preview$/, ''),
    ]
  })
}

/** Normalizes case, removes the variant, and treats `4.5` and `4-5` as equal. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/(?::[\w.-]+|@[\w-]+|\[\w+\])$/, '')
    .replaceAll('.', '-')
}
