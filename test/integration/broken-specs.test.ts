import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { AppPush } from '../../src/shared/events/push'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { startWire } from '../support/wire-client'

let scratch: Scratch
let server: ModelServer

beforeEach(async () => {
  scratch = createScratch({
    '.trestle/skills/half/SKILL.md': '---\nname: half\n---\nNo description.\n',
    '.trestle/skills/whole/SKILL.md': '---\nname: whole\ndescription: Fine\n---\nBody.\n',
  })
  server = await startModelServer({ script: () => ({ text: 'done' }) })
  writeConfig(scratch.home, configFor(server.baseUrl))
  mkdirSync(join(scratch.home, 'agents'))
  writeFileSync(join(scratch.home, 'agents', 'broken.yaml'), 'name: broken\ndescription: x\nextend: [coder]\n')
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const agentLine = () => new RegExp(`${join(scratch.home, 'agents/broken.yaml')}:\\d+: \\S`)
const skillLine = () => new RegExp(`${join(scratch.project, '.trestle/skills/half/SKILL.md')}(:\\d+)?: \\S`)
const linesOf = (text: string, about: RegExp): string[] => text.split('\n').filter((line) => about.test(line))

describe('agent and skill files that cannot be used', () => {
  it('are named by print, one line each with file and line, and the answer still comes', async () => {
    const run = await runCli(['print', '--cwd', scratch.project, 'go'], { home: scratch.home })
    expect(run).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(linesOf(run.stderr, agentLine())).toHaveLength(1)
    expect(linesOf(run.stderr, skillLine())).toHaveLength(1)
    expect(run.stderr).not.toContain('whole')
  })

  it('are reported to wire clients as notices, once', async () => {
    const wire = startWire({ home: scratch.home })
    const pushes = wire.begin('push.app')
    const notices = (): string[] =>
      wire.lines
        .flatMap((line) => ('event' in line && line.id === pushes ? [line.event as AppPush] : []))
        .flatMap((push) => (push.type === 'notice' ? [push.text] : []))
    const { sessionId } = await wire.result<{ sessionId: string }>('session.create', { folder: scratch.project })
    for (const text of ['go', 'again']) {
      const before = server.requests.length
      await wire.result('session.prompt', { sessionId, parts: [{ type: 'text', text }] })
      await until(() => server.requests.length > before, 'a request')
    }
    await until(() => notices().length >= 2, 'the notices')
    await wire.end()
    expect(notices().filter((text) => agentLine().test(text))).toHaveLength(1)
    expect(notices().filter((text) => skillLine().test(text))).toHaveLength(1)
  })

  it('are reported by the engine to every host: chat, acp, web and the app', async () => {
    const told: string[] = []
    const engine = await createEngine({
      version: 'test',
      home: scratch.home,
      interactive: true,
      watch: false,
      log: () => undefined,
    })
    try {
      engine.onChange((change) => void (change.kind === 'notice' && told.push(change.text)))
      const { sessionId } = await engine.sessions.create({ folder: scratch.project })
      await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
      await until(
        () => engine.sessions.header(sessionId).turnId === undefined && server.requests.length > 0,
        'the end of the turn',
      )
      expect(told).toEqual(
        expect.arrayContaining([expect.stringMatching(agentLine()), expect.stringMatching(skillLine())]),
      )
    } finally {
      await engine.close('stop')
    }
  })
})
