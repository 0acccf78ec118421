import type { ModelRow, ModelsTable } from './models-table'

interface FoundRow {
  /** As the table spells it. */
  id: string
  row: ModelRow
}

/** Rows by plain name, for each provider of the table. */
const indexes = new WeakMap<Record<string, ModelRow>, Map<string, FoundRow>>()

/**
 * The row of a model, also under an alias: with a date (`claude-haiku-4-5-20251001`), as the newest (`-latest`), with the maker in front
 * (`anthropic/claude-haiku-4.5`, `models/gemini-2.5-pro`, `us.anthropic.claude-…-v1:0`), or as a variant (`:free`).
 */
export function findRow(table: ModelsTable, provider: string, model: string): FoundRow | undefined {
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

/** The names a model may have in the table, the most exact first. */
function namesOf(model: string): string[] {
  const whole = plain(model.replace(/^models\//, '').replace(/^(?:[a-z]+\.)?(anthropic|openai|google|meta|mistral|qwen|deepseek)\./, ''))
  const bare = whole.replace(/^.*\//, '')
  return [whole, bare].flatMap((name) => {
    const undated = name.replace(/-v\d+$/, '').replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
    const unversioned = undated.replace(/-latest$/, '')
    return [name, undated, unversioned, `${unversioned}-0`, `${unversioned}-preview`, unversioned.replace(/-preview$/, '')]
  })
}

/** Without case, variant, and the difference between `4.5` and `4-5`. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/(?::[\w.-]+|@[\w-]+|\[\w+\])$/, '')
    .replaceAll('.', '-')
}
