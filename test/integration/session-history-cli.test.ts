import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/main/engine/store/database/database'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { HistoryCheck, ReplayStep } from '../../src/shared/model/session/history'
import type { MovedOut } from '../../src/shared/model/place/move'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let here: Scratch
let there: Scratch

const run = (home: string, ...args: string[]): Promise<CliRun> => runCli(['session', ...args], { home })

beforeEach(() => {
  here = createScratch()
  there = createScratch()
  const { store } = openStore({ home: here.home })
  store.create({ sessionId: 'session-1', folder: here.project, title: 'Birds', mode: 'ask', addedFolders: [] })
  store.append('session-1', [
    {
      type: 'turn.started',
      turnId: 'turn-1',
      parts: [{ type: 'text', text: 'Which birds?' }],
      model: 'local/scripted',
    },
    { type: 'turn.finished', turnId: 'turn-1', stop: 'end_turn', steps: 0, durationMs: 1 },
  ])
  store.close()
})
afterEach(() => {
  here.remove()
  there.remove()
})

describe('trestle session', () => {
  it('verifies one session or all, with exit code 3 for a changed history', async () => {
    const one = await run(here.home, 'verify', 'session-1')
    expect(one.code).toBe(0)
    expect(one.stdout).toMatch(/Intact: 3 events\n {2}Hash of the last event: [0-9a-f]{64}\n/)
    const { head } = JSON.parse((await run(here.home, 'verify', 'session-1', '--json')).stdout) as HistoryCheck
    expect((await run(here.home, 'verify', 'session-1', '--head', head)).code).toBe(0)
    expect(await run(here.home, 'verify', '--all')).toMatchObject({ code: 0, stdout: 'Intact: 1 session, 3 events.\n' })
    expect((await run(here.home, 'verify', 'session-2')).code).toBe(1)
    expect((await run(here.home, 'verify')).code).toBe(2)

    const db = openDatabase(join(here.home, 'trestle.db'))
    db.exec("DROP TRIGGER event_is_final; UPDATE event SET body = replace(body, 'birds', 'words') WHERE seq = 2")
    db.close()
    const changed = await run(here.home, 'verify', 'session-1')
    expect(changed.code).toBe(3)
    expect(changed.stdout).toContain('first at event 2')
    expect((await run(here.home, 'verify', '--all', '--json')).code).toBe(3)
  })

  it('prints a replay as text or as JSON when its output is piped', async () => {
    const { stdout } = await run(here.home, 'replay', 'session-1')
    expect(stdout).toMatch(/Event 2 of 3 · turn 1 · .* · turn.started\nYou asked\nWhich birds\?\n/)
    const steps = (await run(here.home, 'replay', 'session-1', '--json')).stdout.trimEnd().split('\n')
    expect(steps.map((line) => (JSON.parse(line) as ReplayStep).type)).toEqual([
      'session.created',
      'turn.started',
      'turn.finished',
    ])
  })

  it('steps through a session by key in a terminal', async () => {
    const { PATH = '', HOME = '' } = process.env
    const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
    const pty = spawn(process.execPath, [cli, 'session', 'replay', 'session-1'], {
      cols: 100,
      rows: 20,
      env: { PATH, HOME, TERM: 'xterm-256color', TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: here.home },
    })
    let text = ''
    pty.onData((more) => (text += more))
    const { promise: ended, resolve } = Promise.withResolvers<number>()
    pty.onExit(({ exitCode }) => resolve(exitCode))
    const press = async (keys: string, shows: string): Promise<void> => {
      text = ''
      pty.write(keys)
      await until(() => text.includes(shows), shows, 15_000)
    }
    await until(() => text.includes('The session was created'), 'the first event')
    await press('n', 'Which birds?')
    await press('\x1b[C', 'The turn ended: end turn')
    await press('\x1b[D', 'You asked')
    await press('[', 'Event 1 of 3')
    await press(']', 'Event 2 of 3')
    await press('3', 'Jump to event 3')
    await press('\r', 'Event 3 of 3')
    pty.write('q')
    expect(await ended).toBe(0)
    expect(text).toContain('\x1b[?1049l')
  })

  it('moves a session out and in, refuses a move, and removes a seal only after confirmation', async () => {
    const file = join(here.home, '..', 'moved')
    const address = (await run(there.home, 'move-in')).stdout.trim()
    expect(address).toMatch(/^home-[0-9a-f]{20}$/)
    expect((await run(here.home, 'move-out', 'session-1', file)).code).toBe(2)
    const out = await run(here.home, 'move-out', 'session-1', file, '--to', address, '--json')
    const { moveId, head } = JSON.parse(out.stdout) as MovedOut
    const unsure = await run(here.home, 'move-cancel', 'session-1')
    expect(unsure.code).toBe(2)
    expect(unsure.stderr).toContain(`trestle session move-refuse ${moveId}`)

    writeFileSync(`${file}-2`, readFileSync(file).subarray(10))
    expect((await run(there.home, 'move-in', `${file}-2`)).code).toBe(1)
    const received = await run(there.home, 'move-in', file, '--folder', there.project, '--head', head)
    expect(received).toMatchObject({ code: 0, stderr: '' })
    expect(received.stdout).toContain('Received session-1  Birds')
    expect((await run(there.home, 'move-refuse', moveId)).code).toBe(1)
    expect((await run(there.home, 'verify', 'session-1', '--head', head)).code).toBe(0)

    const back = (await run(here.home, 'move-in')).stdout.trim()
    const second = await run(there.home, 'move-out', 'session-1', `${file}-3`, '--to', back, '--json')
    const { moveId: backId } = JSON.parse(second.stdout) as MovedOut
    expect((await run(here.home, 'move-refuse', backId)).code).toBe(0)
    expect((await run(there.home, 'move-cancel', 'session-1', '--not-received')).code).toBe(0)
    expect((await run(here.home, 'move-in', `${file}-3`)).code).toBe(1)
    expect((await run(there.home, 'verify', '--all')).code).toBe(0)
  })
})
