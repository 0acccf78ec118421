import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { isRecorded, type RecordedEvent } from '../../src/shared/events/event'
import type { SessionPush } from '../../src/shared/events/push'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { hasSmallDisks, jsonLines, smallDisk } from '../support/small-disk'
import { until } from '../support/until'
import { startWire } from '../support/wire-client'

/** Each step adds some twenty thousand bytes to the log. */
const STEPS: ScriptStep[] = [
  ...Array.from({ length: 12 }, (_, index): ScriptStep => ({
    text: `${'word '.repeat(1500)}${index}`,
    toolCalls: [{ name: 'Read', input: { path: 'notes.md', offset: 1, limit: 100 + index } }],
  })),
  { text: 'the end' },
]
/** From too small for a store to enough space for most steps; `TRESTLE_DISK_SIZES` sets how many sizes are tried. */
const HOW_MANY = Number(process.env['TRESTLE_DISK_SIZES'] ?? 4)
const SIZES = Array.from({ length: HOW_MANY }, (_, index) => 400_000 + Math.round((index * 1_300_000) / HOW_MANY))

let scratch: Scratch
let server: ModelServer
let hasRoom: boolean

beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'a line of some length\n'.repeat(500) })
  const answers = [...STEPS]
  hasRoom = false
  server = await startModelServer({ script: () => (hasRoom ? { text: 'there is room again' } : answers.shift()) })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const disk = (size: number) => smallDisk({ size, folder: scratch.home, seed: join(scratch.home, 'config.toml') })

/** The events of a session in a store that was copied off the disk. */
function kept(home: string, sessionId: string): RecordedEvent[] {
  const { store } = openStore({ home })
  try {
    return store.since(sessionId, 0)
  } finally {
    store.close()
  }
}

/** The time that an event was delayed is not the time that it was written. */
const bodies = (events: readonly RecordedEvent[]): unknown[] => events.map(({ at: _at, ...rest }) => rest)

describe.skipIf(!hasSmallDisks)('on a disk that fills up', () => {
  describe.each(SIZES)('of %i bytes', (size) => {
    it.each(['text', 'json', 'stream-json'])(
      'print ends its turn, reports store.full as %s, and exits with 1',
      async (format) => {
        const { home, within, kept: copy } = disk(size)
        const run = await runCli(['print', '--output-format', format, '--cwd', scratch.project, 'go'], { home, within })
        expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('The disk is full') })
        if (format === 'text') return
        const said = jsonLines<Record<string, unknown>>(run.stdout)
        expect(said.at(-1)).toMatchObject({ type: 'result', stop: 'error', failure: { code: 'store.full' } })
        const told = said.filter((line) => typeof line['seq'] === 'number') as unknown as RecordedEvent[]
        const first = told[0]
        if (!first) return
        expect(told.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'error', failure: { code: 'store.full' } })
        const inLog = kept(copy, first.sessionId)
        expect(bodies(inLog)).toEqual(expect.arrayContaining(bodies(told.slice(0, -3))))
      },
    )

    it('the wire ends the turn, and continues without loss once there is space', async () => {
      const { home, within, kept: copy, makeRoom } = disk(size + 600_000)
      const wire = startWire({ home, within })
      const { sessionId } = await wire.result<{ sessionId: string }>('session.create', { folder: scratch.project })
      const pushes = wire.begin('push.session', { sessionId, since: 0 })
      const events = (): RecordedEvent[] =>
        wire.lines
          .flatMap((line) => ('event' in line && line.id === pushes ? [line.event as SessionPush] : []))
          .flatMap((push) => (push.type === 'events' ? push.events.filter(isRecorded) : []))
      const ends = (): RecordedEvent[] => events().filter(({ type }) => type === 'turn.finished')
      const parts = [{ type: 'text', text: 'go' }]
      await wire.result('session.prompt', { sessionId, parts })
      await until(() => ends().length === 1, 'the end of the turn')
      expect(ends()[0]).toMatchObject({ stop: 'error', failure: { code: 'store.full' } })
      expect(await wire.result<object[]>('session.list')).toEqual([
        expect.objectContaining({ sessionId, status: 'failed' }),
      ])
      await makeRoom()
      hasRoom = true
      await wire.result('session.prompt', { sessionId, parts })
      await until(() => ends().length === 2, 'the end of the second turn')
      expect(ends()[1]).toMatchObject({ stop: 'end_turn' })
      const told = events()
      expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1))
      await wire.end()
      expect(bodies(kept(copy, sessionId))).toEqual(bodies(told))
    })
  })

  it('read-only commands work without any space: session list shows the sessions', async () => {
    const { home } = disk(600_000)
    const within = (command: readonly string[]): string[] => {
      const list = command.map((word) => `'${word}'`).join(' ')
      const script = `${list} >/dev/null; dd if=/dev/zero of=${home}/ballast bs=1k 2>/dev/null; ${list}`
      return ['bwrap', '--dev-bind', '/', '/', '--size', '600000', '--tmpfs', home, 'sh', '-c', script]
    }
    const run = await runCli(['session', 'list'], { home, within })
    expect(run).toMatchObject({ code: 0, stdout: 'There are no sessions.\n', stderr: '' })
  })
})
