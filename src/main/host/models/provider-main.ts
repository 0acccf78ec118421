import { keyStorageText, type KeysView, type ProviderView } from '../../../shared/configuration/settings'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { didYouMean, UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { table } from '../../console/output'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { parseProvider, readApiKey } from './provider-input'

const ACTIONS = {
  list: { options: ['json'], words: [0, 0], takes: 'no name' },
  add: {
    options: ['type', 'base-url', 'key-env', 'key-stdin', 'no-key', 'replace', 'json'],
    words: [1, 1],
    takes:
      'a name, and no key: it is asked for at a terminal, read from stdin (--key-stdin), or in a variable (--key-env)',
    humanOnly: true,
  },
  test: { options: ['json'], words: [1, 1], takes: 'the name of a provider' },
  remove: { options: ['json'], words: [1, 1], takes: 'the name of a provider', humanOnly: true },
} satisfies Record<string, ActionSpec>

/**
 * `trestle provider`: manages model providers without a UI. Returns the exit code: 0, 1 when it failed, 2 when it is
 * not allowed, 130 when interrupted.
 */
export async function providerMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('provider', ACTIONS, parsed)
  const [name = ''] = words
  const { values } = parsed
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`provider ${action}`))) return 2
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
  try {
    reportStart(engine)
    const { settings } = engine
    switch (action) {
      case 'list': {
        const { providers, keys } = settings.view()
        // A file with errors may contain providers.
        const isUnreadable = providers.length === 0 && engine.problems().length > 0
        say(providers, isUnreadable ? '' : listed(providers, keys))
        return isUnreadable ? 1 : 0
      }
      case 'add': {
        const provider = parseProvider(name, values)
        if (settings.view().providers.some(({ id }) => id === name) && values['replace'] !== true)
          throw new UsageError(
            `There is a provider "${name}" already; --replace puts this one in its place.`,
            'provider',
          )
        const key =
          values['no-key'] === true || provider.apiKeyEnv !== undefined
            ? ''
            : await readApiKey(name, values['key-stdin'] === true)
        if (key === undefined) return 130
        const view = await settings.saveProvider({ ...provider, ...(key !== '' && { apiKey: key }) })
        const added = view.providers.find(({ id }) => id === name)!
        say(
          added,
          `Added ${name} (${added.type}) to ${view.file}. ${KEYS[added.keyFrom](added, view.keys)}\n${NEXT(name)}`,
        )
        return 0
      }
      case 'test':
        return await test(settings, named(engine, name), say)
      default: {
        named(engine, name)
        const view = await settings.removeProvider(name)
        say(view.providers, `Removed ${name}, with its models and its stored key.\n`)
        return 0
      }
    }
  } finally {
    await engine.close()
  }
}

const KEYS: Readonly<Record<ProviderView['keyFrom'], (provider: ProviderView, keys: KeysView) => string>> = {
  stored: (_, keys) => `Its key is stored. ${keyStorageText(keys)}`,
  environment: ({ apiKeyEnv }) => `Its key is read from ${apiKeyEnv}.`,
  file: () => 'Its key is in config.toml.',
  locked: (_, { reason = 'it was stored with another key' }) =>
    `Its key is stored, but cannot be decrypted: ${reason}.`,
  none: ({ apiKeyEnv }) =>
    apiKeyEnv === undefined ? 'It has no key.' : `${apiKeyEnv} is not set here, so it has no key now.`,
}

const NEXT = (name: string): string =>
  `Try it with: trestle provider test ${name}\nSee its models with: trestle model list ${name}\n` +
  `Choose one with: trestle model default ${name}/MODEL\n`

async function test(
  settings: Engine['settings'],
  { id, type, baseUrl }: ProviderView,
  say: (json: unknown, text: string) => void,
): Promise<number> {
  const { from, models, problem } = await settings.offeredModels({
    id,
    type,
    ...(baseUrl !== undefined && { baseUrl }),
  })
  const ok = from === 'provider'
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  const message = ok
    ? `${id} offers ${count}. See them with: trestle model list ${id}`
    : `${problem ?? 'It does not list its models.'} Some servers list no models. ` +
      `Try one with: trestle model test ${id}/MODEL`
  say({ ok, message, models: ok ? models.map(({ model }) => model) : [] }, `${ok ? 'ok' : 'failed'}: ${message}\n`)
  return ok ? 0 : 1
}

function named({ settings }: Engine, name: string): ProviderView {
  const { providers } = settings.view()
  const found = providers.find(({ id }) => id === name)
  if (found) return found
  const ids = providers.map(({ id }) => id)
  const there =
    ids.length === 0
      ? 'None is configured; add one with: trestle provider add NAME.'
      : `There are: ${ids.join(', ')}.${didYouMean(nearest(name, ids, 1))}`
  throw new CodedError('request.invalid', `No provider "${name}" is configured. ${there}`)
}

function listed(providers: readonly ProviderView[], keys: KeysView): string {
  if (providers.length === 0) return 'No provider is configured. Add one with: trestle provider add NAME\n'
  const rows = providers.map((provider) => [
    provider.id,
    provider.type,
    keySource(provider),
    provider.baseUrl ?? '(its own)',
  ])
  return `${table(['NAME', 'TYPE', 'KEY', 'ADDRESS'], rows)}\n${keyStorageText(keys)}\n`
}

function keySource({ keyFrom, apiKeyEnv }: ProviderView): string {
  if (keyFrom === 'environment') return `$${apiKeyEnv}`
  return keyFrom === 'none' && apiKeyEnv !== undefined ? `$${apiKeyEnv}, not set` : keyFrom
}
