import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionSummary } from '../../src/shared/model/session/session'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

/** Runs a command with files of at most 600 kB: 1,200 blocks of 512 bytes. */
const within = (command: readonly string[]) => ['sh', '-c', 'ulimit -f 1200; exec "$@"', 'sh', ...command]

let scratch: Scratch
let server: ModelServer
beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'a line of some length\n'.repeat(500) })
  let step = 0
  server = await startModelServer({
    script: () => ({
      text: `${'word '.repeat(1500)}${step++}`,
      ...(step < 60 && { toolCalls: [{ name: 'Read', input: { path: 'notes.md', line_offset: step } }] }),
    }),
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const trestle = (args: string[], isLimited = false) =>
  runCli(args, { home: scratch.home, ...(isLimited && { within }) })
const print = ['print', '--output-format', 'json', '--permission-mode', 'auto', '--cwd']

it('a limit on the size of files (ulimit -f) ends the turn as store.full, names the limit, and loses nothing', async () => {
  const run = await trestle([...print, scratch.project, 'go'], true)
  expect(run.code).toBe(1)
  expect(JSON.parse(run.stdout)).toMatchObject({ failure: { code: 'store.full' } })
  expect(run.stderr).toContain('(ulimit -f)')
  expect(run.stderr).not.toMatch(/session recover|\n +at /)
  const listed = await trestle(['session', 'list', '--all', '--json'], true)
  expect(listed).toMatchObject({ code: 0 })
  const [session] = JSON.parse(listed.stdout) as SessionSummary[]
  const next = await trestle([...print, scratch.project, '--session', session!.sessionId, 'on'])
  expect(next).toMatchObject({ code: 0 })
})
