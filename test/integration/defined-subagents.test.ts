import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript, said, toolsOf, type Part } from '../support/family-script'
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

/** Runs a turn of a session with these agents, and returns its id. */
async function run(parts: Record<string, Part>, prompt: string): Promise<string> {
  scratch = createScratch()
  server = await startModelServer({ script: familyScript(parts) })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: prompt }])
  await until(() => events(sessionId, 'turn.finished').length > 0, 'the turn to end')
  return sessionId
}

const events = <Type extends RecordedEvent['type']>(sessionId: string, type: Type) =>
  engine.sessions
    .since(sessionId, 0)
    .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const results = (sessionId: string): string[] =>
  events(sessionId, 'tool.finished').map(({ content }) => textOf(content))

it("a type that an agent has defined may start the session's types, down to the depth limit", async () => {
  const sessionId = await run(
    {
      go: [
        {
          toolCalls: [
            call('CreateSubagent', {
              name: 'lead',
              description: 'leads',
              system_prompt: 'You lead.',
              tools: ['Agent', 'Read'],
            }),
          ],
        },
        { toolCalls: [agentCall('lead', { subagent_type: 'lead' })] },
        { text: 'done' },
      ],
      lead: [
        { toolCalls: [agentCall('scout', { subagent_type: 'explore' }), agentCall('deep', { subagent_type: 'lead' })] },
        (request) => ({
          text:
            'heard: ' +
            `${/The scout has looked\./.exec(said(request))?.[0]} ${/Agent/.exec(toolsOf(request).join())?.[0]}`,
        }),
      ],
      scout: [{ text: 'The scout has looked.' }],
      deep: [(request) => ({ text: `delegates: ${toolsOf(request).includes('Agent')}` })],
    },
    'go',
  )
  expect(results(sessionId)[1]).toContain('heard: The scout has looked. Agent')
  const [lead] = events(sessionId, 'subagent.started').map(({ agentId }) => agentId)
  expect(results(lead!).join()).toContain('delegates: false')
})
