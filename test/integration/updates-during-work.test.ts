import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { watchWork } from '../../src/main/host/electron/update/desktop-updates'
import type { RecordedEvent, SessionEvent } from '../../src/shared/events/event'
import { startModelServer } from '../support/model-server'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { endHosts, sourceTaskHost } from '../support/source-task-host'
import { standIn, UpdateLab, UpdateServer } from '../support/update-lab'

vi.setConfig({ testTimeout: 300_000 })

const ROUNDS = RUNS_ALL ? 200 : 20
/** After this many rounds, the app really restarts: its engine closes, and the next version opens the same home. */
const RESTART_EVERY = 25

test(`${ROUNDS} updates wait for the running turn of a real engine, and its background task keeps running`, async () => {
  const before = process.env['APPIMAGE']
  const scratch = createScratch()
  const folder = mkdtempSync(join(tmpdir(), 'trestle-updates-'))
  const feed = await UpdateServer.start()
  const lab = new UpdateLab(folder, feed)
  lab.install('1.0.0')
  let answer = Promise.withResolvers<void>()
  const model = await startModelServer({
    script: async (_request, index) => {
      if (index === 0)
        return {
          toolCalls: [
            { name: 'Bash', input: { command: 'exec sleep 600', description: 'wait', run_in_background: true } },
          ],
        }
      // The turn runs until the test lets the model answer.
      if (index > 1) await answer.promise
      return { text: 'done' }
    },
  })
  writeConfig(scratch.home, configFor(model.baseUrl))
  const open = (): Promise<Engine> =>
    createEngine({ version: '1.0.0', home: scratch.home, interactive: true, taskHost: sourceTaskHost, watch: false })
  let engine = await open()
  try {
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
    const ends: RecordedEvent[] = []
    const ended = (count: number): Promise<void> => vi.waitFor(() => expect(ends).toHaveLength(count), 20_000)
    const listen = (): void =>
      void engine.sessions.listen(sessionId, (event: SessionEvent) => {
        if ('seq' in event && event.type === 'turn.finished') ends.push(event)
      })
    listen()
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'start it' }])
    await ended(1)
    const [task] = await engine.tasks.list({ activeOnly: true })
    expect(task).toMatchObject({ background: true, status: 'running' })

    for (let round = 1; round <= ROUNDS; round += 1) {
      const [installed, next] = [`1.0.${round - 1}`, `1.0.${round}`]
      feed.publish(next)
      const updater = lab.start(installed, watchWork(engine))
      await engine.sessions.prompt(sessionId, [{ type: 'text', text: `round ${round}` }])
      await updater.check()
      await updater.whenIdle(true)
      expect(updater.view().state).toMatchObject({ kind: 'ready', waitsFor: '1 session is working' })
      expect(lab.quits).toHaveLength(round - 1)
      expect(readFileSync(lab.appImage, 'utf8')).toBe(standIn(installed))
      answer.resolve()
      await ended(round + 1)
      await vi.waitFor(() => expect(lab.quits).toHaveLength(round), 20_000)
      expect(readFileSync(lab.appImage, 'utf8')).toBe(standIn(next))
      updater.close()
      answer = Promise.withResolvers()
      if (round % RESTART_EVERY > 0) continue
      await engine.close('keep')
      engine = await open()
      listen()
      expect(await engine.tasks.list({ activeOnly: true })).toMatchObject([
        { taskId: task!.taskId, status: 'running', pid: task!.pid },
      ])
    }
    expect([...new Set(ends.map((event) => event.type === 'turn.finished' && event.stop))]).toEqual(['end_turn'])
  } finally {
    answer.resolve()
    await engine.close('stop')
    await model.close()
    await endHosts(scratch.home)
    feed.close()
    scratch.remove()
    rmSync(folder, { recursive: true })
    if (before === undefined) delete process.env['APPIMAGE']
    else process.env['APPIMAGE'] = before
  }
})
