import { afterEach, describe, expect, it, vi } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { WireName } from '../support/model-script'
import { calls, onServer, PrefixReplay, read } from '../support/prefix-replay'
import { until } from '../support/until'

vi.setConfig({ testTimeout: 180_000 })

const hasSandbox = sandboxSupport().kind !== 'none'
/** For each family, a model with selectable effort and another one. */
const MODELS: Record<WireName, readonly [string, string]> = {
  chat: ['gpt-5.4', 'kimi-k2.6'],
  responses: ['gpt-5.4', 'gpt-5.5'],
  anthropic: ['claude-opus-4-8', 'claude-sonnet-5-5'],
  gemini: ['gemini-3.1-pro', 'gemini-3-flash'],
}
const D_MAIL = '[checkpoints]\nd_mail = true'

let replay: PrefixReplay | undefined
afterEach(async () => {
  await replay?.end()
  replay = undefined
})

describe.each<WireName>(['chat', 'responses', 'anthropic', 'gemini'])(
  'over the %s wire, what the model is told',
  (wire) => {
    it('about permissions, the sandbox, servers, nested instructions, interruptions and efforts leaves the start of requests unchanged', async () => {
      const run = (replay = new PrefixReplay(
        { wire, window: 128_000, models: MODELS[wire], settings: D_MAIL },
        { 'sub/AGENTS.md': 'Use tabs in sub.\n', 'sub/x.txt': 'x\n' },
      ))
      await run.begin()
      const { engine, session } = run
      await run.turn(read('a.txt'), read('b.txt'))
      expect(run.tells('[checkpoint 2]')).toBe(true)
      // Another mode, and with it another sandbox.
      await engine.sessions.change(session, { mode: 'ask' })
      await run.turn(read('a.txt'))
      expect(run.tells('What needs approval has changed')).toBe(true)
      await engine.sessions.change(session, { mode: 'auto' })
      await run.turn(read('a.txt'))
      expect(run.of('sandbox.changed').length > 1 && run.tells('The sandbox for commands has changed')).toBe(hasSandbox)
      // Instructions in a subfolder of the project.
      await run.turn(read('sub/x.txt'), read('b.txt'))
      expect(run.tells('Use tabs in sub.')).toBe(true)
      // An answer and a call that the output limit cuts off.
      await run.turn({ text: 'The answer is', finish: 'length' })
      expect(run.tells('cut off at the output limit')).toBe(true)
      await run.turn({ ...read('b.txt'), text: 'I look.', finish: 'length' }, read('b.txt'))
      expect(run.tells('Your call of Read was not run')).toBe(true)
      // An answer and a call that the user stops.
      const story = 'Once upon a time, and so on. '.repeat(200)
      let turns = await run.prompt({ text: story, deltaChars: 100, faults: { stallAfterBytes: 4000 } })
      await until(() => run.heard.includes('Once upon a time'), 'the beginning of the answer')
      await engine.sessions.stop(session)
      await run.ended(turns)
      await run.turn(read('a.txt'))
      expect(run.tells('Once upon a time')).toBe(true)
      expect(run.tells('Your last answer was interrupted')).toBe(true)
      const load = calls({ name: 'tool_search', input: { tool_id: 'a::slow' } })
      turns = await run.prompt(load, calls(onServer('slow', { n: 600 }), { name: 'Read', input: { path: 'a.txt' } }))
      await until(() => run.of('tool.started').some(({ name }) => name === 'mcp__a__slow'), 'the call')
      await engine.sessions.stop(session)
      await run.ended(turns)
      await run.turn(read('b.txt'))
      expect(run.tells('The last turn was interrupted')).toBe(true)
      // Another effort, for the session and for one turn.
      const { efforts } = engine.settings.view().models.find(({ id }) => id === 'local/scripted')!
      await engine.sessions.change(session, { effort: efforts.find((effort) => effort !== 'none')! })
      await run.turn(read('a.txt'))
      await engine.sessions.change(session, { effort: 'default' })
      await run.turn(read('a.txt'))
      expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
      // Another model, and back.
      await engine.sessions.change(session, { model: 'local/other' })
      await run.turn(read('a.txt'), read('b.txt'))
      await engine.sessions.change(session, { model: 'local/scripted' })
      await run.turn(read('a.txt'))
      expect(run.breaks()).toMatchObject({
        allowed: [],
        others: [],
        thinking: [expect.any(String), expect.any(String)],
      })
      // The server says more about itself, and D-Mails are off.
      run.serve(['instructions=Always greet first.'])
      run.configure()
      await run.restart()
      await run.turn(read('a.txt'))
      expect(run.tells('Always greet first.')).toBe(true)
      expect(run.tells('no longer available: SendDMail')).toBe(true)
      // Without a user to ask, as in print mode, and back.
      await run.restart({ interactive: false })
      await run.turn(read('b.txt'))
      expect(run.tells('No user can approve anything')).toBe(true)
      expect(run.tells('no longer available: AskUserQuestion')).toBe(true)
      await run.restart()
      await run.turn(read('a.txt'))
      expect(run.tells('Tools that are available again')).toBe(true)

      expect(run.breaks()).toMatchObject({
        allowed: [],
        others: [],
        thinking: [expect.any(String), expect.any(String)],
      })
      expect(run.of('prefix.frozen')).toHaveLength(1)
      expect(run.refused).toBe(0)
    })
  },
)
