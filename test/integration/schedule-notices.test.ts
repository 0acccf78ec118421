import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { UserNotification } from '../../src/shared/model/assistant/notification'
import { startModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

it('a failed run is in the list of notifications once, with its session, and every open Trestle shows it once', async () => {
  const scratch = createScratch()
  undo.push(() => scratch.remove())
  const refused = { status: 401, body: { error: { message: 'Unknown key.' } } }
  const model = await startModelServer({ script: [{ faults: refused }, { faults: refused }] })
  undo.push(() => model.close())
  writeConfig(scratch.home, `${configFor(model.baseUrl)}[features]\nscheduling = true\n`)
  const shown: UserNotification[][] = []
  const notices: string[] = []
  async function open() {
    const engine = await createEngine({ version: '0', home: scratch.home, interactive: true, watch: false })
    undo.push(() => engine.close())
    const here: UserNotification[] = []
    shown.push(here)
    engine.onChange((change) => {
      if (change.kind === 'notification') here.push(change.notification)
      if (change.kind === 'notice') notices.push(change.text)
    })
    return engine
  }
  const one = await open()
  const two = await open()
  // Earlier notifications are not shown, so it has to listen first.
  await two.schedule.overview()
  const { id } = await one.schedule.create({ name: 'Check', time: 'every 2 h', prompt: 'Look.' })
  for (let count = 1; count <= 2; count += 1) {
    await one.schedule.runNow(id)
    await one.schedule.settled()
  }
  const failed = { title: '“Check” failed', source: 'schedule', sessionId: expect.stringMatching(/^session-/) }
  await expect
    .poll(() => shown, { timeout: 60_000, interval: 20 })
    .toEqual([[expect.objectContaining(failed)], [expect.objectContaining(failed)]])
  expect(one.notifications.list(0, 10)).toMatchObject({ total: 1, notifications: [failed] })
  expect(notices).toEqual([])
})
