import { afterEach, describe, expect, it } from 'vitest'
import { acpRun, openSession, say, type AcpRun } from '../support/acp-run'
import { startChat } from '../support/chat-terminal'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const THINKER = [
  '[models."local/thinker"]',
  'provider = "local"',
  'model = "gpt-5.4"',
  'context_window = 128000',
  'capabilities = ["tools", "thinking"]',
  '',
].join('\n')

let scratch: Scratch
let server: ModelServer
const efforts = (asked = server): unknown[] => asked.requests.map(({ body }) => body['reasoning_effort'])

async function start(): Promise<void> {
  scratch = createScratch()
  server = await startModelServer({ script: () => ({ text: 'Done.' }) })
  writeConfig(scratch.home, configFor(server.baseUrl) + THINKER)
}

describe('effort without a UI', () => {
  let run: AcpRun | undefined
  afterEach(async () => {
    if (run) {
      await run.close()
      run = undefined
    } else {
      await server.close()
      scratch.remove()
    }
  })

  it('print --effort applies to its turn only; a level unknown to the model is reported, and an invalid level rejected', async () => {
    await start()
    const print = (...args: string[]) =>
      runCli(['print', 'go', '--cwd', scratch.project, ...args], { home: scratch.home })
    expect(await print('--model', 'local/thinker', '--effort', 'high')).toMatchObject({ code: 0, stderr: '' })
    expect(await print('--continue')).toMatchObject({ code: 0 })
    expect((await print('--model', 'local/thinker', '--effort', 'max')).stderr).toBe(
      'trestle: local/thinker does not support effort "max"; using "xhigh".\n',
    )
    expect((await print('--effort', 'high')).stderr).toContain('local/scripted has no reasoning effort setting')
    expect(efforts()).toEqual(['high', undefined, 'xhigh', undefined])
    expect(await print('--effort', 'much')).toMatchObject({ code: 2, stderr: expect.stringContaining('--effort') })
  })

  it("/effort in chat lists the model's levels, sets one, and reports unknown ones", async () => {
    await start()
    const chat = startChat(['--cwd', scratch.project, '--model', 'local/thinker'], { home: scratch.home })
    try {
      await chat.shows('›')
      chat.type('/effort\r')
      await chat.shows('/effort accepts one of default, none, low, medium, high, xhigh')
      chat.type('/effort hihg\r')
      await chat.shows('Did you mean high')
      chat.type('/effort high\r')
      await chat.shows('Thinking: high')
      chat.type('go\r')
      await chat.shows('Done.')
      expect(efforts()).toEqual(['high'])
      chat.type('\x04')
      expect(await chat.ended).toEqual({ code: 0 })
    } finally {
      chat.kill()
      await chat.ended
    }
  })

  it('an editor gets an effort option for a model that has levels, and no option for another', async () => {
    run = await acpRun({ script: () => ({ text: 'Done.' }), config: THINKER })
    const { client } = run
    const sessionId = await openSession(run)
    const set = (configId: string, value: string) =>
      client.request('session/set_config_option', { sessionId, configId, value })
    const idsOf = (answer: unknown): string[] =>
      (answer as { configOptions: { id: string }[] }).configOptions.map(({ id }) => id)
    expect(idsOf(await set('mode', 'auto'))).toEqual(['mode', 'model'])
    expect(idsOf(await set('model', 'local/thinker'))).toEqual(['mode', 'model', 'effort'])
    const { configOptions } = (await set('effort', 'low')) as { configOptions: { id: string; currentValue: string }[] }
    expect(configOptions.find(({ id }) => id === 'effort')).toMatchObject({
      currentValue: 'low',
      category: 'thought_level',
    })
    await expect(set('effort', 'max')).rejects.toMatchObject({ code: -32602 })
    expect(await say(client, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
    expect(efforts(run.server)).toEqual(['low'])
  })
})
