import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../../../../test/support/model-server'
import { createScratch, type Scratch } from '../../../../test/support/scratch'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { setUpModel } from './set-up-model'

let scratch: Scratch
let server: ModelServer
let engine: Engine

beforeEach(async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: () => ({ text: 'done' }) })
  engine = await createEngine({ version: 'test', home: scratch.home, watch: false, log: () => undefined })
})
afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

async function setUp(...answers: (string | undefined)[]) {
  const asked: string[] = []
  const said: string[] = []
  const next = async (question: string): Promise<string | undefined> => {
    asked.push(question)
    return answers.shift()
  }
  const code = await setUpModel(engine.settings, {
    ask: next,
    askKey: (name) => next(`key of ${name}`),
    say: (text) => void said.push(text),
  })
  return { code, asked, said: said.join('\n') }
}

describe('trestle acp --setup', () => {
  it('saves a provider with its key and a model, which new sessions use', async () => {
    const { code, asked, said } = await setUp('mine', server.baseUrl, 'secret-key', 'scripted')
    expect(asked).toEqual([
      expect.stringContaining('anthropic'),
      expect.stringContaining('Address'),
      'key of mine',
      expect.stringContaining('Model'),
    ])
    const view = engine.settings.view()
    expect(view.providers).toEqual([
      expect.objectContaining({ id: 'mine', baseUrl: server.baseUrl, keyFrom: 'stored' }),
    ])
    expect(view.defaultModel).toBe('mine/scripted')
    expect(said).toContain('Ready: new sessions use mine/scripted.')
    expect(code).toBe(0)
    expect(said).not.toContain('secret-key')
  })

  it('reports a model that does not answer, and keeps the input', async () => {
    await server.close()
    const { code, said } = await setUp('mine', server.baseUrl, '', 'scripted')
    expect(code).toBe(1)
    expect(said).toMatch(/could not be asked for its models: .*\n.*does not answer yet: ./)
    expect(engine.settings.view().defaultModel).toBe('mine/scripted')
  })

  it('saves nothing when interrupted, or when the base URL is invalid', async () => {
    expect((await setUp('mine', undefined)).code).toBe(130)
    expect((await setUp('mine', server.baseUrl, undefined)).code).toBe(130)
    await expect(setUp('mine', 'not an address')).rejects.toThrow('--base-url needs a whole address')
    expect(engine.settings.view().providers).toEqual([])
  })
})
