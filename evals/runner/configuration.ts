import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import { UsageProblem } from './load-tasks.ts'

/** The program of this repository, as `npm run build` makes it. */
export const BUILT_PROGRAM = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

type Table = Record<string, unknown>

/** How the tasks are run: with a script, or a model with its settings. */
export type Configuration =
  | { kind: 'scripted'; name: string; solution: 'good' | 'bad'; program: string }
  | {
      kind: 'model'
      name: string
      /** `provider/model`. */
      model: string
      effort?: string
      program: string
      /** Content of `config.toml`, without the task's own settings. */
      settings: Table
      /** The names of environment variables that hold keys: the program gets these and no others. */
      keys: readonly string[]
    }

/** The providers that need no `--config`. */
const PROVIDERS: Readonly<Record<string, { type: string; api_key_env: string; base_url?: string }>> = {
  anthropic: { type: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' },
  openai: { type: 'openai-responses', api_key_env: 'OPENAI_API_KEY' },
  google: { type: 'google', api_key_env: 'GEMINI_API_KEY' },
  moonshot: { type: 'moonshot', api_key_env: 'MOONSHOT_API_KEY' },
  openrouter: {
    type: 'openai-compatible',
    api_key_env: 'OPENROUTER_API_KEY',
    base_url: 'https://openrouter.ai/api/v1',
  },
}

/** A configuration as given on the command line. */
export interface ConfigurationChoice {
  /** `provider/model`, or with a config file a name of it; default: that file's `default_model`. */
  model?: string
  effort?: string
  /** A `config.toml` with the providers and settings to use. */
  config?: string
  /** The `cli.js` of another build. */
  program?: string
}

/** A configuration that plays the solutions of the tasks. */
export function scripted(solution: 'good' | 'bad'): Configuration {
  return { kind: 'scripted', name: solution, solution, program: BUILT_PROGRAM }
}

/**
 * The configuration of a real model; throws a `UsageProblem` when something it needs is missing. `env` is checked for
 * API keys, which are not copied.
 */
export function modelConfiguration(choice: ConfigurationChoice, env: NodeJS.ProcessEnv): Configuration {
  const file = choice.config === undefined ? {} : readConfig(choice.config)
  const model = choice.model ?? (typeof file['default_model'] === 'string' ? file['default_model'] : undefined)
  if (model === undefined)
    throw new UsageProblem('Which model? --model provider/model, or --config with a file that has a default_model.')
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(0, slash))
  const providers = { ...(file['providers'] as Record<string, Table> | undefined) }
  if (slash < 1 || slash === model.length - 1)
    throw new UsageProblem(`A model is given as provider/model; not "${model}".`)
  if (!providers[provider]) {
    const known = PROVIDERS[provider]
    if (!known)
      throw new UsageProblem(
        `The provider "${provider}" is not known: describe it in a config file (--config). ` +
          `Known are: ${Object.keys(PROVIDERS).join(', ')}.`,
      )
    providers[provider] = { ...known }
  }
  for (const [name, { api_key: written }] of Object.entries(providers))
    if (written !== undefined)
      throw new UsageProblem(`Keys come from the environment only: give ${name} an api_key_env instead of an api_key.`)
  const models = { ...(file['models'] as Record<string, Table> | undefined) }
  models[model] ??= { provider, model: model.slice(slash + 1) }
  const keys = Object.values(providers).flatMap(({ api_key_env: name }) => (typeof name === 'string' ? [name] : []))
  const needed = providers[provider]['api_key_env']
  if (typeof needed === 'string' && !env[needed])
    throw new UsageProblem(`There is no key for ${provider}: set the environment variable ${needed}.`)
  const program = choice.program === undefined ? BUILT_PROGRAM : resolve(choice.program)
  if (choice.program !== undefined && !existsSync(program)) throw new UsageProblem(`There is no program ${program}.`)
  const name = [model, choice.effort, choice.config, choice.program].filter((part) => part !== undefined).join(' · ')
  return {
    kind: 'model',
    name,
    model,
    ...(choice.effort !== undefined && { effort: choice.effort }),
    program,
    settings: { ...file, default_model: model, providers, models },
    keys: [...new Set(keys)].filter((key) => env[key]),
  }
}

function readConfig(path: string): Table {
  if (!existsSync(path)) throw new UsageProblem(`There is no config file ${path}.`)
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageProblem(`${path} is not valid TOML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** `over` on top of `base`: tables are merged, lists joined. */
export function mergeSettings(base: Table, over: Table): Table {
  const merged: Table = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const existing = merged[key]
    if (Array.isArray(existing) && Array.isArray(value))
      merged[key] = [...(existing as unknown[]), ...(value as unknown[])]
    else merged[key] = isTable(existing) && isTable(value) ? mergeSettings(existing, value) : value
  }
  return merged
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
