import { CodedError } from '../../../shared/model/errors'
import { nearest } from '../../../shared/nearest'
import { checkAction, isRefusedToAgents, type ActionSpec } from '../../command-line/check-action'
import { didYouMean, UsageError, type Parsed } from '../../command-line/parse'
import { reportStart } from '../../command-line/report-start'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { modelsMain } from './models-main'

const ACTIONS = {
  list: { options: ['json'], words: [0, 1], takes: 'nothing, or the name of a provider' },
  add: {
    options: ['name', 'label', 'context-window', 'max-output-tokens', 'json'],
    words: [1, 1],
    takes: 'a model, as provider/model',
    forPeople: true,
  },
  test: { options: ['json'], words: [1, 1], takes: 'a model, as provider/model' },
  default: { options: ['json'], words: [0, 1], takes: 'nothing, or a model, as provider/model' },
  remove: { options: ['json'], words: [1, 1], takes: 'a model, as provider/model', forPeople: true },
} satisfies Record<string, ActionSpec>

/** `trestle model`: models without an interface. Returns the exit code: 0, 1 when it failed, 2 when it is not allowed. */
export async function modelMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = checkAction<keyof typeof ACTIONS>('model', ACTIONS, parsed)
  const [id] = words
  const { values } = parsed
  if (action === 'list') return modelsMain({ ...parsed, positionals: words })
  const decides = 'forPeople' in ACTIONS[action] || (action === 'default' && id !== undefined)
  if (decides && (await isRefusedToAgents(`model ${action}`))) return 2
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { settings } = engine
  const say = (json: unknown, text: string): void => void process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
  try {
    reportStart(engine)
    if (id === undefined) {
      const { defaultModel } = settings.view()
      say({ defaultModel: defaultModel ?? null }, defaultModel === undefined ? 'No model is chosen.\n' : `${defaultModel}\n`)
      return 0
    }
    switch (action) {
      case 'add': {
        const view = await settings.saveModel(modelFrom(settings, id, values))
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
        // A model of a configured provider may be chosen as it is called, without being added first.
        if (!isKnown(settings, id)) await settings.saveModel(modelFrom(settings, id, {}))
        await settings.setDefaultModel(id)
        say({ defaultModel: id }, `New sessions use ${id}.\n`)
        return 0
      }
      default: {
        const ids = settings.view().models.flatMap((model) => (model.origin === 'configured' ? [model.id] : []))
        if (!ids.includes(id))
          throw new CodedError(
            'request.invalid',
            `No model "${id}" is configured.${didYouMean(nearest(id, ids, 1))}${ids.length > 0 ? ` There are: ${ids.join(', ')}.` : ''}`,
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

function modelFrom({ view }: Engine['settings'], id: string, values: Parsed['values']): Parameters<Engine['settings']['saveModel']>[0] {
  const [, providerId, rest] = /^([^/]+)\/(.+)$/.exec(id) ?? []
  if (providerId === undefined || rest === undefined)
    throw new UsageError(`"${id}" is no model: give it as provider/model, like anthropic/claude-sonnet-5.`, 'model')
  const providers = view().providers.map((provider) => provider.id)
  if (!providers.includes(providerId)) {
    const there = providers.length === 0 ? 'None is configured.' : `There are: ${providers.join(', ')}.`
    throw new CodedError(
      'request.invalid',
      `No provider "${providerId}" is configured. ${there}${didYouMean(nearest(providerId, providers, 1))} Add one with: trestle provider add ${providerId}`,
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

function tokens(values: Parsed['values'], option: string, least: number): number | undefined {
  const written = values[option]
  if (written === undefined) return undefined
  const number = typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : Number.NaN
  if (!(number >= least && number <= 100_000_000))
    throw new UsageError(`--${option} needs a whole number from ${least} to 100000000; not "${String(written)}".`, 'model')
  return number
}
