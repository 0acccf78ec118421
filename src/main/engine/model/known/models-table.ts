import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Effort } from '../../../../shared/model/effort'
import type { ThinkingControl } from '../provider'

/** What a model can be sent beside text. */
export type Medium = 'image' | 'pdf' | 'video'

/** Dollars per million tokens: input, output, what is read from the cache, what is written to it. */
export type PriceRow = [input: number, output: number, cacheRead?: number, cacheWrite?: number]

/** What the table says of a model. Absent fields: not so, or not known. */
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
  /** Rejects its own earlier thinking behind a changed beginning. */
  binds?: true
  /** Needs a header to think between calls. */
  header?: true
  dialect?: 'gpt'
  price?: PriceRow
  /** Beyond so many tokens of input the whole request costs this. */
  over?: [tokens: number, ...price: PriceRow]
  /** Day of its release. */
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
  /** The day it was made. */
  generated: string
  sources: { name: string; date?: string }[]
  providers: Record<string, KnownProvider>
}

let table: ModelsTable | undefined

/** The models that Trestle knows. Read when it is first asked for: a start does without it. */
export function modelsTable(): ModelsTable {
  table ??= JSON.parse(readFileSync(pathOf(import.meta.url), 'utf8')) as ModelsTable
  return table
}

/** Where the table is, wherever this code was bundled into: sources, an entry, or a chunk. */
function pathOf(here: string): string {
  const top = here.endsWith('.ts') ? '../../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return fileURLToPath(new URL(`${top}resources/models/table.json`, here))
}
