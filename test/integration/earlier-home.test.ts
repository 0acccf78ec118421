import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * A home folder written by the build of 2026-11-23 (edits, a command, a to-do list, a skill, a subagent, a denied call,
 * plan mode), and the output of that build for it.
 */
const fixture = join(import.meta.dirname, '..', 'fixtures', 'home-2026-11-23')
const program = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Record<string, unknown>

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-earlier-home-'))
  cpSync(join(fixture, 'home'), join(folder, 'home'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each(Object.keys(expected))('a home of an earlier build answers as before: trestle %s', (command) => {
  const { PATH = '' } = process.env
  const env = { PATH, HOME: folder, TRESTLE_HOME: join(folder, 'home'), TRESTLE_KEY_STORE: 'file' }
  const { stdout, status } = spawnSync(process.execPath, [program, ...command.split(' ')], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  const printed: unknown = command.startsWith('session export')
    ? stdout
        .trim()
        .split('\n')
        .map((line): unknown => {
          // That build had no hashes.
          const { chain: _chain, ...event } = JSON.parse(line) as { chain: unknown }
          return event
        })
    : JSON.parse(stdout)
  const withoutHome = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(join(folder, 'home'), '/tmp/trestle-fixture/home'))
  expect(withoutHome(printed)).toEqual(expected[command])
})
