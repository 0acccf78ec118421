import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { jsonLines } from '../support/small-disk'

const RECOVERED =
  /The session store was damaged .* 5 sessions with \d+ events were recovered .*The damaged file is kept as /

let scratch: Scratch
let server: ModelServer

beforeEach(async () => {
  scratch = createScratch()
  server = await startModelServer({ script: () => ({ text: 'an answer' }) })
  writeConfig(scratch.home, configFor(server.baseUrl))
  const { store } = openStore({ home: scratch.home })
  for (let n = 0; n < 5; n += 1) {
    store.create({
      sessionId: `session-${n}`,
      folder: scratch.project,
      title: `Number ${n}`,
      mode: 'ask',
      addedFolders: [],
    })
    for (let k = 0; k < 30; k += 1)
      store.append(`session-${n}`, [
        {
          type: 'turn.started',
          turnId: `t${k}`,
          parts: [{ type: 'text', text: `message ${k} ${'text '.repeat(60)}` }],
          model: 'local/scripted',
        },
        { type: 'turn.finished', turnId: `t${k}`, stop: 'end_turn', steps: 1, durationMs: 1 },
      ])
  }
  store.close()
  // An arbitrary page in the middle.
  const file = join(scratch.home, 'trestle.db')
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, Math.floor(statSync(file).size / 8192) * 4096)
  closeSync(fd)
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const HOSTS: [string, string[], string][] = [
  ['print', ['print', '--output-format', 'text', 'hello'], ''],
  ['print as stream-json', ['print', '--output-format', 'stream-json', 'hello'], ''],
  ['chat', ['chat'], ''],
  ['an editor', ['acp'], ''],
  ['session list', ['session', 'list'], ''],
]

test.each(HOSTS)(
  '%s prints to stderr how much of a damaged store was recovered',
  { timeout: 180_000 },
  async (_name, args, stdin) => {
    const run = await runCli(args, { home: scratch.home, cwd: scratch.project, stdin })
    expect(run.stderr).toMatch(RECOVERED)
    expect(run.signal).toBeNull()
    expect((await runCli(['session', 'list'], { home: scratch.home })).stderr).toBe('')
  },
)

test('the page and programs get the same message as a notice', { timeout: 180_000 }, async () => {
  const run = await runCli(['wire'], { home: scratch.home, stdin: '{"id":1,"method":"app.info"}\n' })
  const info = jsonLines<{ id?: number; result?: { notices: string[] } }>(run.stdout).find(({ id }) => id === 1)
  expect(info?.result?.notices).toEqual([expect.stringMatching(RECOVERED)])
})

test('session recover restores the contents of a file, with counts, and as JSON', { timeout: 180_000 }, async () => {
  await runCli(['session', 'list'], { home: scratch.home })
  const kept = readdirSync(scratch.home).find((name) => /^trestle\.db\.damaged-\w+$/.test(name))!
  const { store } = openStore({ home: scratch.home })
  store.remove('session-2')
  store.close()
  const run = await runCli(['session', 'recover', join(scratch.home, kept)], { home: scratch.home })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toMatch(
    /^Read .*damaged.*\nFound 5 sessions with \d+ events\..*\n\+ session-2\n\d+ events recovered: 1 session added, 4 had everything already\.\n$/,
  )
  const again = await runCli(['session', 'recover', '--json'], { home: scratch.home })
  expect(JSON.parse(again.stdout)).toMatchObject({
    files: [join(scratch.home, kept)],
    merged: { added: [], unchanged: 5 },
  })
  expect(await runCli(['session', 'recover', 'nothing.db'], { home: scratch.home })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no file'),
  })
})
