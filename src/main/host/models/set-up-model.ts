import { stderr, stdin } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { refuseAgents } from '../../console/parse-action'
import type { Parsed } from '../../console/parse-command'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { parseProvider, readApiKey } from './provider-input'

const MAX_SHOWN = 20

/** The terminal in which the setup asks the user. */
export interface SetupTerminal {
  /** A text answer; undefined when interrupted. */
  ask(question: string): Promise<string | undefined>
  /** A key, typed without echo; undefined when interrupted. */
  askKey(provider: string): Promise<string | undefined>
  say(text: string): void
}

/**
 * `trestle acp --setup`: editors run it in a terminal so that the user can set up a provider and a model. Returns the
 * exit code.
 */
export async function setUpMain(_parsed: Parsed, version: string): Promise<number> {
  if (await refuseAgents('acp --setup')) return 2
  if (!stdin.isTTY || !stderr.isTTY) {
    stderr.write(
      'trestle: --setup asks for a provider and its key, so it needs a terminal. ' +
        'Without one: trestle provider add NAME --key-env VARIABLE\n',
    )
    return 2
  }
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    return await setUpModel(engine.settings, {
      ask,
      askKey: (name) => readApiKey(name, false),
      say: (text) => void stderr.write(`${text}\n`),
    })
  } finally {
    await engine.close()
  }
}

/**
 * Asks for a provider, its key and a model, and saves them: 0 when the model answers, 1 when it does not, 130 when
 * interrupted.
 */
export async function setUpModel(
  settings: Pick<
    Engine['settings'],
    'view' | 'saveProvider' | 'offeredModels' | 'saveModel' | 'setDefaultModel' | 'testModel'
  >,
  { ask: asked, askKey, say }: SetupTerminal,
): Promise<number> {
  const name = await asked('Provider (anthropic, openai, google, moonshot, or a name of your own): ')
  if (!name) return 130
  const isKnown = /^(anthropic|claude|openai|google|gemini|moonshot|kimi)$/.test(name)
  const baseUrl = isKnown ? undefined : await asked('Address of its API, e.g. https://api.example.com/v1: ')
  if (baseUrl === '' || (!isKnown && baseUrl === undefined)) return 130
  const provider = parseProvider(name, { ...(baseUrl !== undefined && { 'base-url': baseUrl }) })
  const key = await askKey(name)
  if (key === undefined) return 130
  await settings.saveProvider({ ...provider, ...(key !== '' && { apiKey: key }) })
  const { from, models, problem } = await settings.offeredModels(provider)
  if (from !== 'provider')
    say(`Added ${name}. It could not be asked for its models: ${problem ?? 'it does not list them.'}`)
  for (const { model } of models.slice(0, MAX_SHOWN)) say(`  ${model}`)
  if (models.length > MAX_SHOWN) say(`  and ${models.length - MAX_SHOWN} more`)
  const [first] = models
  const model = (await asked(`Model${first ? ` (leave empty for ${first.model})` : ''}: `)) ?? undefined
  const chosen = model === '' ? first?.model : model
  if (chosen === undefined) return 130
  const id = `${name}/${chosen}`
  await settings.saveModel({ id, providerId: name, model: chosen })
  await settings.setDefaultModel(id)
  const { ok, message } = await settings.testModel(id)
  say(ok ? `Ready: new sessions use ${id}.` : `Saved: new sessions use ${id}. But it does not answer yet: ${message}`)
  return ok ? 0 : 1
}

async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr })
  const interrupted = new Promise<undefined>((resolve) => {
    lines.once('SIGINT', () => resolve(undefined))
    lines.once('close', () => resolve(undefined))
  })
  try {
    return await Promise.race([lines.question(question).then((answer) => answer.trim()), interrupted])
  } finally {
    lines.close()
  }
}
