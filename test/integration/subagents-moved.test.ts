import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { agentCall, call, familyScript, said } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { expectReplay, watchView } from '../support/replayed'
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

it('a foreground subagent moved to the background: the agent continues, the end is reported once, and stopping the turn spares it', async () => {
  scratch = createScratch()
  const script = familyScript({
    go: [
      { toolCalls: [agentCall('child')] },
      (request) => {
        expect(said(request)).toContain('The user moved it to the background.')
        return { text: 'x', faults: { stallAfterBytes: 0 } }
      },
      { text: 'noted' },
    ],
    child: [
      { toolCalls: [call('AskUserQuestion', {})] },
      { toolCalls: [call('Write', { path: 'a.txt', content: 'x' })] },
      { text: 'the child is done' },
    ],
  })
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'ask' })
  const view = watchView(engine, sessionId)
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const log = () => engine.sessions.since(sessionId, 0)
  const news = (): string[] =>
    log().flatMap((event) =>
      event.type === 'turn.started' || event.type === 'turn.steered'
        ? (event.news ?? []).map(({ taskId }) => taskId)
        : [],
    )
  await until(() => engine.inbox.list().length === 1, 'a request of the subagent')
  const [agentId] = log().flatMap((event) => (event.type === 'subagent.started' ? [event.agentId] : []))
  expect((await engine.tasks.moveToBackground(agentId!)).background).toBe(true)
  await expect(engine.tasks.moveToBackground(agentId!)).rejects.toThrow('No call of this Trestle waits for')
  await until(() => server.requests.length === 4, 'the agent to continue')
  await engine.sessions.stop(sessionId)
  expect(engine.sessions.header(agentId!).agent).toMatchObject({ status: 'running', background: true })
  const [entry] = engine.inbox.list()
  await engine.sessions.reply(agentId!, { approvalId: entry!.approvalId, optionId: 'allow_once' })
  await until(() => news().length === 1, 'the news')
  await until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
  expect(news()).toEqual([agentId])
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('the child is done')
  expectReplay(engine, sessionId, view())
  expectReplay(engine, agentId!, watchView(engine, agentId!)())
})
