import { afterEach, expect, it } from 'vitest'
import type { TrestleClient } from '../../src/shared/contract'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript, said } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { startWebProcess, type WebProcess } from '../support/web-process'

// Programs are started from their sources.
let scratch: Scratch
let server: ModelServer
let host: WebProcess
afterEach(async () => {
  await host.kill()
  await server.close()
  scratch.remove()
})

const start = async (): Promise<TrestleClient> => (host = await startWebProcess(scratch.home)).connect().client
const eventsOf = async (client: TrestleClient, sessionId: string): Promise<RecordedEvent[]> =>
  (await client.session.open({ sessionId, limit: 1000 })).events

it('after a kill a foreground subagent is interrupted, a background one is reported lost once, and their requests are withdrawn', async () => {
  scratch = createScratch()
  server = await startModelServer({
    script: familyScript({
      go: [
        { toolCalls: [agentCall('one'), agentCall('two', { run_in_background: true })] },
        (request) => ({
          text: said(request).includes('status: lost') ? 'I know that two is lost.' : 'I know nothing.',
        }),
      ],
      one: [{ toolCalls: [call('Write', { path: 'a.txt', content: 'A' })] }],
      two: [{ faults: { stallAfterBytes: 0 }, text: 'never' }],
    }),
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
  let client = await start()
  const { sessionId } = await client.session.create({ folder: scratch.project })
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'go' }] })
  await expect.poll(async () => (await client.approval.list()).length).toBe(1)
  await server.arrived(3)
  await expect.poll(async () => (await client.task.list({ activeOnly: true })).length).toBe(2)
  await host.kill()

  client = await start()
  await expect
    .poll(async () => (await eventsOf(client, sessionId)).filter(({ type }) => type === 'turn.finished').length, {
      timeout: 60_000,
    })
    .toBe(2)
  const events = await eventsOf(client, sessionId)
  const finished = events.flatMap((event) => (event.type === 'tool.finished' ? [textOf(event.content)] : []))
  expect(finished.some((text) => text.startsWith('Interrupted: Trestle was closed'))).toBe(true)
  const told = events.flatMap((event) => (event.type === 'turn.started' && event.news ? event.news : []))
  expect(told.map(({ status }) => status)).toEqual(['lost'])
  expect(JSON.stringify(events)).toContain('I know that two is lost.')
  expect((await client.task.list({})).map(({ status }) => status)).toEqual(['lost'])
  expect(await client.approval.list()).toEqual([])
})
