import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/model/errors'
import type { ModelAbilities } from '../../../shared/model/settings'
import { errorAsJson } from '../../command-line/error-as-json'
import type { Parsed } from '../../command-line/parse'
import { table } from '../../command-line/table'
import { openConfig, type Config } from '../../engine/config/config'
import { resolveHome } from '../../engine/config/home'
import { openKeys } from '../../engine/config/key-store/open-keys'
import type { Secrets } from '../../engine/config/secrets'
import { createCatalog, type Catalog } from '../../engine/model/catalog'
import { abilitiesOf } from '../../engine/model/known/offered-models'
import { GUESSED } from '../../engine/model/known/model-facts'

/** `trestle models [PROVIDER]`: the configured models, or those that a provider offers, with what is known of them. Returns 0, or 2 when that is not possible. */
export async function modelsMain({ positionals: [providerId], values }: Parsed): Promise<number> {
  const home = realpathSync(resolveHome())
  const config = await openConfig({ home })
  const { secrets } = await openKeys({ home })
  const settings = () => config.settings
  const catalog = createCatalog({ settings, keyFor: secrets.keyFor, listsFile: join(home, 'cache', 'models.json') })
  const asJson = values['json'] === true
  try {
    const { rows, problem } = providerId === undefined ? configured(catalog) : await offered(config, secrets, catalog, providerId)
    if (problem !== undefined) process.stderr.write(`trestle: ${problem}\n`)
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
  return { rows: catalog.list().map((info) => ({ id: info.id, ...abilitiesOf(info) })) }
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
  return `${table(['MODEL', 'WINDOW', 'MEDIA', 'THINKING', 'TOOLS', 'KNOWN FROM'], lines)}${isGuessed ? `\n${GUESSED}\n` : ''}`
}

const SOURCES = { config: 'config.toml', provider: 'the provider', table: 'the table', guess: 'a guess' } as const
