import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { didYouMean, UsageError, type Parsed } from '../../console/parse-command'
import { reportStart, errorAsJson } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import type { ModelAbilities } from '../../../shared/configuration/settings'
import { table } from '../../console/output'
import { openConfig, type Config } from '../../engine/config/config'
import { resolveHome } from '../../engine/config/home'
import { openKeys, type Secrets } from '../../engine/config/key-store/secrets'
import { createCatalog, type Catalog } from '../../engine/model/catalog/catalog'
import { modelAbilities, GUESSED_MODEL_NOTE } from '../../engine/model/catalog/model-facts'

const ACTIONS = {
  list: { options: ['json'], words: [0, 1], takes: 'nothing, or the name of a provider' },
  add: {
    options: ['name', 'label', 'context-window', 'max-output-tokens', 'json'],
    words: [1, 1],
    takes: 'a model, as provider/model',
    humanOnly: true,
  },
  test: { options: ['json'], words: [1, 1], takes: 'a model, as provider/model' },
  default: { options: ['json'], words: [0, 1], takes: 'nothing, or a model, as provider/model' },
  remove: { options: ['json'], words: [1, 1], takes: 'a model, as provider/model', humanOnly: true },
} satisfies Record<string, ActionSpec>

/**
 * `trestle model`: manages models without a UI. Returns the exit code: 0, 1 when it failed, 2 when it is not allowed.
 */
export async function modelMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('model', ACTIONS, parsed)
  const [id] = words
  const { values } = parsed
  if (action === 'list') return modelsMain({ ...parsed, positionals: words })
  const { humanOnly }: ActionSpec = ACTIONS[action]
  const decides = humanOnly || (action === 'default' && id !== undefined)
  if (decides && (await refuseAgents(`model ${action}`))) return 2
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { settings } = engine
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
  try {
    reportStart(engine)
    if (id === undefined) {
      const { defaultModel } = settings.view()
      say(
        { defaultModel: defaultModel ?? null },
        defaultModel === undefined ? 'No model selected.\n' : `${defaultModel}\n`,
      )
      return 0
    }
    switch (action) {
      case 'add': {
        const view = await settings.saveModel(parseModel(settings, id, values))
        say(
          view.models.find((model) => model.id === id),
          `Added ${id} to ${view.file}. Try it with: trestle model test ${id}\n`,
        )
        return 0
      }
      case 'test': {
        const result = await settings.testModel(id)
        say(result, `${result.ok ? 'ok' : 'failed'} (${result.durationMs} ms): ${result.message}\n`)
        return result.ok ? 0 : 1
      }
      case 'default': {
        // A model of a configured provider can be chosen by name, without adding it first.
        if (!isKnown(settings, id)) await settings.saveModel(parseModel(settings, id, {}))
        await settings.setDefaultModel(id)
        say({ defaultModel: id }, `New sessions use ${id}.\n`)
        return 0
      }
      default: {
        const ids = settings.view().models.flatMap((model) => (model.origin === 'configured' ? [model.id] : []))
        if (!ids.includes(id))
          throw new CodedError(
            'request.invalid',
            `No model "${id}" is ` +
              `configured.${didYouMean(nearest(id, ids, 1))}${ids.length > 0 ? ` There are: ${ids.join(', ')}.` : ''}`,
          )
        await settings.removeModel(id)
        say({ removed: id }, `Removed ${id}.\n`)
        return 0
      }
    }
  } finally {
    await engine.close()
  }
}

function isKnown({ view }: Engine['settings'], id: string): boolean {
  return view().models.some((model) => model.id === id)
}

function parseModel(
  { view }: Engine['settings'],
  id: string,
  values: Parsed['values'],
): Parameters<Engine['settings']['saveModel']>[0] {
  const [, providerId, rest] = /^([^/]+)\/(.+)$/.exec(id) ?? []
  if (providerId === undefined || rest === undefined)
    throw new UsageError(`"${id}" is not a model: give it as provider/model, like anthropic/claude-sonnet-5.`, 'model')
  const providers = view().providers.map((provider) => provider.id)
  if (!providers.includes(providerId)) {
    const there = providers.length === 0 ? 'None is configured.' : `There are: ${providers.join(', ')}.`
    throw new CodedError(
      'request.invalid',
      `No provider "${providerId}" is configured. ` +
        `${there}${didYouMean(nearest(providerId, providers, 1))} Add one with: trestle provider add ${providerId}`,
    )
  }
  const { name, label } = values
  const contextWindow = tokens(values, 'context-window', 1000)
  const maxOutputTokens = tokens(values, 'max-output-tokens', 1)
  return {
    id,
    providerId,
    model: typeof name === 'string' ? name : rest,
    ...(typeof label === 'string' && { label }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}

function tokens(values: Parsed['values'], option: string, min: number): number | undefined {
  const written = values[option]
  if (written === undefined) return undefined
  const number = typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : Number.NaN
  if (!(number >= min && number <= 100_000_000))
    throw new UsageError(
      `--${option} needs a whole number from ${min} to 100000000; not "${String(written)}".`,
      'model',
    )
  return number
}

/**
 * `trestle models [PROVIDER]`: the configured models, or those that a provider offers, with their known properties.
 * Returns 0, or 2 when that is not possible.
 */
export async function modelsMain({ positionals: [providerId], values }: Parsed): Promise<number> {
  const home = realpathSync(resolveHome())
  const config = await openConfig({ home })
  const { secrets } = await openKeys({ home })
  const settings = () => config.settings
  const catalog = createCatalog({ settings, keyFor: secrets.keyFor, listsFile: join(home, 'cache', 'models.json') })
  const asJson = values['json'] === true
  try {
    reportStart({ notices: [], problems: () => [...config.problems] })
    const { rows, problem } =
      providerId === undefined ? configured(catalog) : await offered(config, secrets, catalog, providerId)
    if (problem !== undefined) process.stderr.write(`trestle: ${problem}\n`)
    if (rows.length === 0 && problem !== undefined) {
      if (asJson) process.stdout.write(errorAsJson(new CodedError('model.connection', problem)))
      process.stderr.write(
        `Check the provider with: trestle provider test ${providerId}. ` +
          `A model can be used without the list: trestle model default ${providerId}/MODEL\n`,
      )
      return 1
    }
    process.stdout.write(asJson ? `${JSON.stringify(rows)}\n` : textOf(rows))
    return 0
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    if (asJson) process.stdout.write(errorAsJson(error))
    process.stderr.write(`trestle: ${error.message}\n`)
    return 2
  } finally {
    config.close()
  }
}

interface Listing {
  rows: (ModelAbilities & { id: string })[]
  problem?: string | undefined
}

function configured(catalog: Catalog): Listing {
  return { rows: catalog.list().map((info) => ({ id: info.id, ...modelAbilities(info) })) }
}

async function offered(config: Config, secrets: Secrets, catalog: Catalog, providerId: string): Promise<Listing> {
  const provider = config.settings.providers[providerId]
  if (!provider) {
    const ids = Object.keys(config.settings.providers)
    const there = ids.length > 0 ? `There are: ${ids.join(', ')}.` : 'None is configured.'
    throw new CodedError('request.invalid', `No provider "${providerId}" is configured. ${there}`)
  }
  const { models, problem } = await catalog.offered(providerId, provider, secrets.keyFor(providerId, config.settings))
  return { rows: models.map(({ model, ...abilities }) => ({ id: `${providerId}/${model}`, ...abilities })), problem }
}

function textOf(rows: Listing['rows']): string {
  const lines = rows.map(({ id, contextWindow, toolCalls, imagesIn, pdfIn, videoIn, thinking, knownFrom }) => [
    id,
    String(contextWindow),
    [imagesIn && 'images', pdfIn && 'PDFs', videoIn && 'video'].filter(Boolean).join(', '),
    thinking ? 'yes' : 'no',
    toolCalls ? 'yes' : 'no',
    knownFrom === undefined ? '' : SOURCES[knownFrom],
  ])
  const isGuessed = rows.some(({ knownFrom }) => knownFrom === 'guess')
  const note = isGuessed ? `\n${GUESSED_MODEL_NOTE}\n` : ''
  return table(['MODEL', 'WINDOW', 'MEDIA', 'THINKING', 'TOOLS', 'KNOWN FROM'], lines) + note
}

const SOURCES = { config: 'config.toml', provider: 'the provider', table: 'the table', guess: 'a guess' } as const
