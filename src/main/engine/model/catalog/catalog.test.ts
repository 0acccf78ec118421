import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../../../../test/support/model-server'
import { askFor, collect } from '../../../../../test/support/collect-chunks'
import type { ModelScript } from '../../../../../test/support/model-script'
import type { CodedError } from '../../../../shared/errors'
import type { ModelSettings } from '../../config/agent-settings/model-settings'
import { DEFAULT_SETTINGS, type ProviderSettings, type Settings } from '../../config/settings/settings'
import { createCatalog } from './catalog'
import { limitNow } from '../../../../../test/support/machine-pace'

const MODEL: ModelSettings = {
  provider: 'local',
  model: 'scripted',
  contextWindow: 64_000,
  capabilities: ['tools', 'image_in'],
}
const LOCAL: ProviderSettings = { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' }

function catalogOf(
  settings: Partial<Settings>,
  more: { keys?: Record<string, string>; ports?: Record<string, number> } = {},
) {
  const localServers = Object.entries(more.ports ?? {}).map(([slug, port]) => ({
    slug,
    name: slug.toUpperCase(),
    port,
    path: slug === 'ollama' ? '/api/tags' : '/v1/models',
  }))
  return createCatalog({
    settings: () => ({ ...DEFAULT_SETTINGS, ...settings }),
    keyFor: (id) => more.keys?.[id],
    localServers,
    demoPaceMs: 0,
  })
}

const failure = (promise: Promise<unknown>): Promise<CodedError> =>
  promise.then(
    () => expect.fail('it resolved'),
    (error: unknown) => error as CodedError,
  )

async function modelServer(script: ModelScript, models?: readonly string[]) {
  const server = await startModelServer({ script, ...(models && { models }) })
  onTestFinished(() => server.close())
  return server
}

async function otherServer(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('the catalog', () => {
  it('lists configured models with their settings, and the demo last, marked as scripted', () => {
    const [first, demo, ...rest] = catalogOf({
      providers: { local: LOCAL },
      models: { 'local/scripted': { ...MODEL, label: 'Mine', maxOutputTokens: 9 } },
    }).list()
    expect(first).toEqual({
      id: 'local/scripted',
      model: 'scripted',
      label: 'Mine',
      providerId: 'local',
      contextWindow: 64_000,
      maxOutputTokens: 9,
      toolCalls: true,
      imagesIn: true,
      thinking: false,
      knownFrom: 'config',
      origin: 'configured',
    })
    expect(demo).toMatchObject({ id: 'demo/scripted', label: 'Demo (scripted)', scripted: true, origin: 'built-in' })
    expect(rest).toEqual([])
  })

  it('fills in from the table what the configuration omits; the configuration takes precedence', () => {
    const claude: ProviderSettings = { type: 'anthropic' }
    const entry = { provider: 'claude', model: 'claude-opus-5-5' }
    const [known, said] = catalogOf({
      providers: { claude },
      models: {
        'claude/a': entry,
        'claude/b': { ...entry, contextWindow: 300_000, maxOutputTokens: 5, capabilities: ['tools'] },
      },
    }).list()
    expect(known).toMatchObject({
      contextWindow: 1_000_000,
      imagesIn: true,
      thinking: true,
      knownFrom: 'table',
      traits: { pdfIn: true },
    })
    expect(said).toMatchObject({
      contextWindow: 300_000,
      maxOutputTokens: 5,
      imagesIn: false,
      thinking: false,
      knownFrom: 'config',
      traits: { pdfIn: false, thinkingControl: 'adaptive' },
    })
  })

  it('labels guesses, also for `provider/model`', async () => {
    const catalog = catalogOf({ providers: { local: LOCAL }, models: { 'local/x': { provider: 'local', model: 'x' } } })
    expect(catalog.list()[0]).toMatchObject({
      contextWindow: 128_000,
      toolCalls: true,
      imagesIn: false,
      thinking: false,
      knownFrom: 'guess',
    })
    expect((await catalog.resolve('local/never-heard-of')).info.knownFrom).toBe('guess')
    expect(catalog.known('local', 'x')).toMatchObject({ knownFrom: 'guess' })
  })

  it('requests the list of models with the key, and saves it for later processes', async () => {
    const seen: (string | undefined)[] = []
    const port = await otherServer((request, response) => {
      seen.push(`${request.url} ${String(request.headers.authorization)}`)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          data: [{ id: 'big', context_length: 500_000, supports_image_in: true }, { id: 'text-embedding' }],
        }),
      )
    })
    const provider: ProviderSettings = { type: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` }
    const folder = mkdtempSync(join(tmpdir(), 'trestle-lists-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const options = {
      settings: () => ({
        ...DEFAULT_SETTINGS,
        providers: { mine: provider },
        models: { 'mine/big': { provider: 'mine', model: 'big' } },
      }),
      keyFor: () => undefined,
      localServers: [],
      listsFile: join(folder, 'cache', 'models.json'),
    }
    const offered = await createCatalog(options).offered('mine', provider, 'sk-1')
    expect(offered).toMatchObject({
      from: 'provider',
      models: [{ model: 'big', contextWindow: 500_000, imagesIn: true, knownFrom: 'provider' }],
    })
    expect(offered.models).toHaveLength(1)
    expect(seen).toEqual(['/v1/models Bearer sk-1'])
    expect(createCatalog(options).list()[0]).toMatchObject({
      contextWindow: 500_000,
      imagesIn: true,
      knownFrom: 'provider',
    })
    expect(readFileSync(options.listsFile, 'utf8')).not.toContain('sk-1')
  })

  it('offers the known models of an unreachable provider, with the reason', async () => {
    const port = await otherServer((_request, response) => response.writeHead(401).end())
    const offered = await catalogOf({}).offered(
      'x',
      { type: 'anthropic', baseUrl: `http://127.0.0.1:${port}` },
      'wrong',
    )
    expect(offered).toMatchObject({ from: 'table', models: [], problem: expect.stringContaining('401') })
  })

  it('chooses the default of config.toml, or the only configured model, never one of several and never the demo', () => {
    const models = { 'local/a': MODEL, 'local/b': MODEL }
    expect(catalogOf({ defaultModel: 'local/b', models }).defaultModel()).toBe('local/b')
    expect(catalogOf({ models: { 'local/a': MODEL } }).defaultModel()).toBe('local/a')
    expect(catalogOf({ models }).defaultModel()).toBeUndefined()
    expect(catalogOf({}).defaultModel()).toBeUndefined()
  })

  it('says what to do if no model is chosen', async () => {
    expect(await failure(catalogOf({}).resolve(undefined))).toMatchObject({
      code: 'model.not_configured',
      message: expect.stringContaining('demo/scripted'),
    })
    const several = await failure(
      catalogOf({ providers: { local: LOCAL }, models: { 'local/a': MODEL, 'local/b': MODEL } }).resolve(undefined),
    )
    expect(several.message).toContain('local/a, local/b')
  })

  it('suggests similar ids for an unknown one', async () => {
    const catalog = catalogOf({ providers: { local: LOCAL }, models: { 'local/scripted': MODEL } })
    expect(await failure(catalog.resolve('lcoal/scripted'))).toMatchObject({
      code: 'model.not_found',
      message: expect.stringContaining('"local/scripted"'),
    })
    expect((await failure(catalog.resolve('zzz'))).message).toContain('There are: local/scripted, demo/scripted')
    expect((await failure(catalog.resolve('local'))).message).toContain('local/model')
  })

  it('accepts `provider/model` of a configured provider without an entry, also with slashes in the name', async () => {
    const server = await modelServer([{ text: 'hello' }])
    const catalog = catalogOf({ providers: { router: { ...LOCAL, baseUrl: server.baseUrl } } })
    const { info, provider } = await catalog.resolve('router/maker/model-1')
    expect(info).toMatchObject({
      id: 'router/maker/model-1',
      model: 'maker/model-1',
      providerId: 'router',
      contextWindow: 128_000,
      toolCalls: true,
    })
    expect(
      (await collect(provider.stream(askFor('hi', { model: info.model }), new AbortController().signal))).text,
    ).toBe('hello')
    expect(server.requests[0]!.body['model']).toBe('maker/model-1')
  })

  it('uses a changed key and a changed address immediately', async () => {
    const server = await modelServer([{ text: 'a', repeat: 3 }])
    let settings: Settings = {
      ...DEFAULT_SETTINGS,
      providers: { local: { ...LOCAL, baseUrl: server.baseUrl } },
      models: { 'local/scripted': MODEL },
    }
    let key = 'first-key'
    const catalog = createCatalog({ settings: () => settings, keyFor: () => key })
    const ask = async (): Promise<void> => {
      const { info, provider } = await catalog.resolve('local/scripted')
      await collect(provider.stream(askFor('hi', { model: info.model }), new AbortController().signal))
    }
    await ask()
    key = 'second-key'
    await ask()
    settings = { ...settings, providers: { local: { ...LOCAL, baseUrl: `${server.url}/other/v1` } } }
    await ask()
    expect(server.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer first-key',
      'Bearer second-key',
      'Bearer second-key',
    ])
    expect(server.requests[2]!.path).toBe('/other/v1/chat/completions')
  })

  it('sends no empty key to a server that needs none', async () => {
    for (const type of ['openai-compatible', 'openai-responses', 'anthropic', 'google', 'moonshot'] as const) {
      const server = await modelServer([{ text: 'a' }])
      const { provider } = await catalogOf({ providers: { local: { type, baseUrl: server.baseUrl } } }).resolve(
        'local/m',
      )
      await collect(provider.stream(askFor('hi'), new AbortController().signal))
      const { headers } = server.requests[0]!
      expect([headers['authorization'], headers['x-api-key'], headers['x-goog-api-key']]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    }
  })

  it('says which key is missing instead of sending a request without it', async () => {
    const providers = {
      claude: { type: 'anthropic' },
      far: { ...LOCAL, baseUrl: 'https://models.example/v1', apiKeyEnv: 'FAR_KEY' },
    } as const
    const claude = await failure(catalogOf({ providers }).resolve('claude/claude-x'))
    expect(claude).toMatchObject({ code: 'model.auth', message: expect.stringContaining('ANTHROPIC_API_KEY') })
    expect((await failure(catalogOf({ providers }).resolve('far/m'))).message).toContain('FAR_KEY is not set')
    await expect(catalogOf({ providers }, { keys: { far: 'k', claude: 'k' } }).resolve('far/m')).resolves.toBeDefined()
  })

  it('plays the demo', async () => {
    const { info, provider } = await catalogOf({}).resolve('demo/scripted')
    expect(info.scripted).toBe(true)
    const { text } = await collect(provider.stream(askFor('hi'), new AbortController().signal))
    expect(text).not.toBe('')
  })
})

describe('local servers', () => {
  it('finds only servers that respond like a model server, and their models can be used', async () => {
    const ollama = await modelServer([{ text: 'hello' }], ['llama3:8b', 'nomic-embed-text'])
    const page = await otherServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    const odd = await otherServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [1, null, {"id": 7}]}'),
    )
    const silent = await otherServer(() => undefined)
    const catalog = catalogOf({}, { ports: { ollama: ollama.port, 'llama-cpp': page, vllm: odd, jan: silent } })
    const startedAt = performance.now()
    expect(await catalog.findLocal()).toEqual([{ name: 'OLLAMA', baseUrl: ollama.baseUrl, models: ['llama3:8b'] }])
    expect(performance.now() - startedAt).toBeLessThan(limitNow(3000))
    expect(catalog.list().map((info) => [info.id, info.origin])).toEqual([
      ['ollama/llama3:8b', 'found'],
      ['demo/scripted', 'built-in'],
    ])
    const { info, provider } = await catalog.resolve('ollama/llama3:8b')
    expect(
      (await collect(provider.stream(askFor('hi', { model: info.model }), new AbortController().signal))).text,
    ).toBe('hello')
  })

  it('searches again for a model that an earlier run found', async () => {
    const ollama = await modelServer([{ text: 'hello' }], ['llama3:8b'])
    const { info } = await catalogOf({}, { ports: { ollama: ollama.port } }).resolve('ollama/llama3:8b')
    expect(info.origin).toBe('found')
  })

  it('does not list a configured server a second time', async () => {
    const ollama = await modelServer([], ['llama3:8b'])
    const catalog = catalogOf(
      { providers: { mine: { ...LOCAL, baseUrl: `http://localhost:${ollama.port}/v1` } } },
      { ports: { ollama: ollama.port } },
    )
    await catalog.findLocal()
    expect(catalog.list().map((info) => info.id)).toEqual(['demo/scripted'])
  })
})

async function testing(baseUrl: string, script?: ModelScript) {
  const server = script && (await modelServer(script))
  const catalog = catalogOf({ providers: { local: { ...LOCAL, baseUrl: server?.baseUrl ?? baseUrl } } })
  return catalog.test('local/m')
}

describe('testing a connection', () => {
  it('shows the beginning of the answer', async () => {
    expect(await testing('', [{ text: ' ok\n' }])).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^It answered "ok" in \d/),
    })
  })

  it('accepts an answer that the limit cut off while the model was thinking', async () => {
    expect(await testing('', [{ thinking: 'hm', finish: 'length' }])).toMatchObject({ ok: true })
  })

  it.each([
    [401, 'Invalid API key'],
    [404, "doesn't have this model"],
    [500, 'The model server failed'],
  ])('explains status %i in plain words', async (status, words) => {
    const result = await testing('', [{ faults: { status, body: { error: { message: 'So it is.' } } } }])
    expect(result.ok).toBe(false)
    expect(result.message).toContain(words)
    expect(result.message).toContain('So it is.')
  })

  it('distinguishes a model server from a web page and a refused connection', async () => {
    const port = await otherServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    expect((await testing(`http://127.0.0.1:${port}/v1`)).message).toContain('not a model server')
    const gone = await startModelServer({ script: [] })
    await gone.close()
    expect((await testing(gone.baseUrl)).message).toContain('nothing listens there')
    expect((await testing('no url at all')).message).toContain('not a URL')
  })

  it('works for a provider that is not configured, with its key', async () => {
    const server = await modelServer([{ text: 'ok' }])
    const catalog = catalogOf({})
    expect(await catalog.testNew({ ...LOCAL, baseUrl: server.baseUrl }, 'm', 'sk-new')).toMatchObject({ ok: true })
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-new')
    expect(catalog.list().map(({ id }) => id)).toEqual(['demo/scripted'])
    expect(await catalog.testNew({ type: 'anthropic' }, 'm', undefined)).toMatchObject({
      ok: false,
      message: expect.stringContaining('A key is required.'),
    })
  })

  it('never throws, not even for an unknown model', async () => {
    expect(await catalogOf({}).test('not/known')).toMatchObject({
      ok: false,
      message: expect.stringContaining('There is no model'),
    })
    expect(await catalogOf({}).test('demo/scripted')).toMatchObject({
      ok: true,
      message: expect.stringContaining('script'),
    })
  })
})
