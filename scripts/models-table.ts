/**
 * Writes resources/models/table.json, the models that Trestle knows, and the lists in docs/models.md that show them:
 * `node scripts/models-table.ts`.
 *
 * The facts come from the npm package below, which collects what the makers publish; where the network lets it through,
 * https://models.dev/api.json adds media, dates and models that the package lacks. resources/models/facts.json, written
 * by hand with its sources, has the last word.
 * `--models-dev <file>` reads a copy of api.json instead; `--docs` writes only the lists, from the table as it is.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ModelRow, ModelsTable } from '../src/main/engine/model/catalog/models-table.ts'
import { writeModelsDocs } from './models-docs.ts'
import { rowOfModelsDev, rowOfPackage, type ModelsDevModel, type PackageModel } from './models-sources.ts'

const PACKAGE = '@earendil-works/pi-ai@1.5.2'
const MODELS_DEV = 'https://models.dev/api.json'

const root = join(import.meta.dirname, '..')
const target = join(root, 'resources/models/table.json')

/** Our name for a provider: its file in the package, its name at models.dev. */
const PROVIDERS: Record<string, { file: string; modelsDev: string }> = {
  anthropic: { file: 'anthropic', modelsDev: 'anthropic' },
  openai: { file: 'openai', modelsDev: 'openai' },
  google: { file: 'google', modelsDev: 'google' },
  moonshotai: { file: 'moonshotai', modelsDev: 'moonshotai' },
  'kimi-coding': { file: 'kimi-coding', modelsDev: 'kimi-for-coding' },
  deepseek: { file: 'deepseek', modelsDev: 'deepseek' },
  xai: { file: 'xai', modelsDev: 'xai' },
  mistral: { file: 'mistral', modelsDev: 'mistral' },
  groq: { file: 'groq', modelsDev: 'groq' },
  cerebras: { file: 'cerebras', modelsDev: 'cerebras' },
  zai: { file: 'zai', modelsDev: 'zai' },
  minimax: { file: 'minimax', modelsDev: 'minimax' },
  qwen: { file: 'qwen-token-plan', modelsDev: 'alibaba' },
  openrouter: { file: 'openrouter', modelsDev: 'openrouter' },
}

/** Variants that cannot hold a conversation with tools, or that are the same model under another name. */
const LEFT_OUT =
  /:batch$|^~|^(openrouter\/)?(auto|free|fusion)|embed|-tts|-image|live|audio|whisper|voxtral|ocr|deep-research|robotics|computer-use/

interface Facts {
  providers: Record<string, { name: string; small?: string }>
  rules: { providers?: string[]; models: string; facts: Partial<ModelRow> & { pdf?: boolean } }[]
  models: Record<string, Record<string, ModelRow & { source?: string }>>
}

type PackageFile = Record<string, Record<string, PackageModel>>
type ModelsDev = Record<string, { models: Record<string, ModelsDevModel> } | undefined>

const { values } = parseArgs({ options: { 'models-dev': { type: 'string' }, docs: { type: 'boolean' } } })
const facts = JSON.parse(readFileSync(join(root, 'resources/models/facts.json'), 'utf8')) as Facts

if (!values.docs) writeFileSync(target, textOf(await makeTable()))
writeModelsDocs(JSON.parse(readFileSync(target, 'utf8')) as ModelsTable, join(root, 'docs/models.md'))

async function makeTable(): Promise<ModelsTable> {
  const folder = mkdtempSync(join(tmpdir(), 'models-table-'))
  try {
    const data = unpack(folder)
    const { generatedAt } = JSON.parse(readFileSync(join(data, '.manifest.json'), 'utf8')) as { generatedAt: string }
    const modelsDev = await readModelsDev()
    const providers = Object.entries(PROVIDERS).map(([id, { file, modelsDev: name }]) => {
      const packaged = JSON.parse(readFileSync(join(data, `${file}.json`), 'utf8')) as PackageFile
      return [id, providerOf(id, packaged, modelsDev?.[name]?.models ?? {})] as const
    })
    return {
      generated: new Date().toISOString().slice(0, 10),
      sources: [
        { name: `npm ${PACKAGE}`, date: generatedAt.slice(0, 10) },
        ...(modelsDev
          ? [{ name: values['models-dev'] ?? MODELS_DEV, date: new Date().toISOString().slice(0, 10) }]
          : []),
        { name: 'resources/models/facts.json' },
      ],
      providers: Object.fromEntries(providers),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder with the package's data. */
function unpack(folder: string): string {
  const file = execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1)!
  execFileSync('tar', ['-xzf', join(folder, file), '-C', folder])
  return join(folder, 'package/dist/providers/data')
}

async function readModelsDev(): Promise<ModelsDev | undefined> {
  if (values['models-dev'] !== undefined) return JSON.parse(readFileSync(values['models-dev'], 'utf8')) as ModelsDev
  try {
    const response = await fetch(MODELS_DEV, { signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return (await response.json()) as ModelsDev
  } catch (error) {
    console.warn(`${MODELS_DEV} was not read (${String(error)}); the table is made without it.`)
    return undefined
  }
}

function providerOf(
  id: string,
  packaged: PackageFile,
  modelsDev: Record<string, ModelsDevModel>,
): ModelsTable['providers'][string] {
  const rows = new Map<string, ModelRow>()
  for (const [model, entry] of Object.entries(modelsDev)) {
    const row = rowOfModelsDev(entry)
    if (row && !LEFT_OUT.test(model)) rows.set(model, row)
  }
  for (const [api, models] of Object.entries(packaged)) {
    for (const entry of Object.values(models)) {
      if (entry.type !== 'chat' || LEFT_OUT.test(entry.id)) continue
      const row = rowOfPackage(entry, api, id)
      const other = rows.get(entry.id)
      const media = [...new Set([...(row.in ?? []), ...(other?.in ?? [])])].toSorted()
      rows.set(entry.id, {
        ...row,
        ...(media.length > 0 && { in: media }),
        ...(other?.released !== undefined && { released: other.released }),
      })
    }
  }
  for (const [model, { source: _source, ...row }] of Object.entries(facts.models[id] ?? {})) rows.set(model, row)
  const { name, small } = facts.providers[id]!
  // A dated id with identical properties is found by the plain one.
  for (const [model, row] of rows) {
    const plain = undated(model)
    if (plain !== model && JSON.stringify(rows.get(plain)) === JSON.stringify(row)) rows.delete(model)
  }
  const models = [...rows]
    .map(([model, row]) => [model, withRules(id, model, row)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { name, ...(small !== undefined && { small }), models: Object.fromEntries(models) }
}

function undated(model: string): string {
  return model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
}

/**
 * A rule applies to a maker's own models and to the same models elsewhere: their ids without the maker, dots as hyphens
 * for Claude.
 */
function withRules(provider: string, model: string, row: ModelRow): ModelRow {
  const bare = undated(model.replace(/^.*\//, '').toLowerCase())
  const names = [model, bare, ...(bare.startsWith('claude-') ? [bare.replaceAll('.', '-')] : [])]
  let result = row
  for (const { providers, models, facts: said } of facts.rules) {
    const pattern = new RegExp(models)
    if ((providers && !providers.includes(provider)) || !names.some((name) => pattern.test(name))) continue
    const { pdf, ...rest } = said
    result = {
      ...result,
      ...rest,
      ...(pdf && result.in?.includes('image') && { in: [...new Set([...result.in, 'pdf' as const])].toSorted() }),
    }
  }
  if (result.thinking === 'none' || result.thinking === undefined) {
    const { effort: _effort, efforts: _efforts, ...rest } = result
    return rest
  }
  return result
}

/** One line per model. */
function textOf({ generated, sources, providers }: ModelsTable): string {
  const all = Object.entries(providers).map(([id, provider]) => `  ${JSON.stringify(id)}:${providerText(provider)}`)
  return (
    `{"generated":${JSON.stringify(generated)},"sources":${JSON.stringify(sources)},"providers":{\n` +
    `${all.join(',\n')}\n}}\n`
  )
}

function providerText({ name, small, models }: ModelsTable['providers'][string]): string {
  const rows = Object.entries(models).map(([model, row]) => `    ${JSON.stringify(model)}:${JSON.stringify(row)}`)
  const head = `"name":${JSON.stringify(name)},${small === undefined ? '' : `"small":${JSON.stringify(small)},`}`
  return `{${head}"models":{\n${rows.join(',\n')}\n  }}`
}
