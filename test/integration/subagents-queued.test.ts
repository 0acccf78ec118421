import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

it('a background subagent is reported as running, and as queued only while others use its slot', async () => {
  scratch = createScratch({})
  server = await startModelServer({
    script: familyScript({
      go: [
        { toolCalls: [agentCall('one', { run_in_background: true }), agentCall('two', { run_in_background: true })] },
        { text: 'started' },
      ],
      // It keeps its slot while it waits for the user.
      one: [{ toolCalls: [call('Write', { path: 'made.txt', content: 'x' })] }, { text: 'one is done' }],
      two: [{ text: 'two is done' }],
    }),
  })
  writeConfig(scratch.home, configFor(server.baseUrl, { more: '[agents]\nmax_running = 1' }))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'ask' })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
  const results = engine.sessions
    .since(sessionId, 0)
    .flatMap((event) => (event.type === 'tool.finished' ? [textOf(event.content)] : []))
  expect(results.map((text) => /^status: (\w+)/m.exec(text)?.[1])).toEqual(['running', 'queued'])
})
