import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { attemptsOf, ESCAPE_ATTEMPTS, type AttemptResult } from '../support/escapes/all-attempts'

const NOBODY_UID = 65534
const isRoot = process.getuid?.() === 0
const hooks = new URL('../support/ts-hooks.mjs', import.meta.url).href
const runner = fileURLToPath(new URL('../support/escapes/run-attempts.ts', import.meta.url))

/** A separate process list, so that escaped signals would reach only the suite. */
const apart = [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-current-user']),
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
]
const users = [{ user: isRoot ? 'root' : 'this user', as: [] as string[], uid: process.getuid?.() ?? 0 }]
if (isRoot)
  users.push({
    user: 'an unprivileged user',
    as: ['setpriv', `--reuid=${NOBODY_UID}`, `--regid=${NOBODY_UID}`, '--clear-groups'],
    uid: NOBODY_UID,
  })
const works = sandboxSupport().kind !== 'none' && spawnSync(apart[0]!, [...apart.slice(1), 'true']).status === 0

test('there are at least 110 attempts, with unique names', () => {
  const names = ESCAPE_ATTEMPTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(110)
})

describe.skipIf(!works).concurrent.each(users)('a sandboxed command of $user', ({ as, uid }) => {
  const results = new Map<string, AttemptResult>()
  let folder: string
  let errors = ''

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'escapes-')))
    if (isRoot) chownSync(folder, uid, uid)
    const [, ...args] = [...apart, ...as, process.execPath, '--import', hooks, runner, folder]
    const child = spawn('unshare', args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: tmpdir(), TRESTLE_TESTS: process.env['TRESTLE_TESTS'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
    child.stderr.setEncoding('utf8').on('data', (more: string) => (errors += more))
    await new Promise((resolve) => child.once('close', resolve))
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const result = JSON.parse(line) as AttemptResult
      results.set(result.name, result)
    }
  }, 400_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(attemptsOf(uid === 0))('is blocked when it $name', ({ name }) => {
    const result = results.get(name)
    expect(result?.failures, `${result?.output ?? ''}\n${errors}`).toEqual([])
  })
})
