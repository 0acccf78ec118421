import { spawn } from 'node:child_process'
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  killTagged,
  killProcesses,
  signalGroupOf,
  signalProcess,
} from '../../src/main/engine/process/kill/kill-processes'
import { processTable } from '../../src/main/engine/process/process-table'
import { isAlive, markedPids } from '../support/marked-pids'
import { limitNow } from '../support/machine-pace'

const GRACE_MS = 400
let dir: string
let started: string[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trestle-marked-'))
  started = []
})
afterEach(async () => {
  await killTagged(started, 0)
  rmSync(dir, { recursive: true, force: true })
})

/** A command as started by a task: tagged, in its own session. */
function start(command: string, taskId = `bash-test${started.length}-${process.pid}`): string {
  started.push(taskId)
  const child = spawn('bash', ['-c', command], {
    cwd: dir,
    env: { ...process.env, TRESTLE_TASK: taskId },
    stdio: 'ignore',
    detached: true,
  })
  child.unref()
  return taskId
}

const script = (name: string, text: string): void => writeFileSync(join(dir, name), text)
const pidIn = (name: string): number => Number(readFileSync(join(dir, name), 'utf8'))
const have = (taskId: string, count: number): Promise<void> =>
  vi.waitFor(() => expect(markedPids([taskId]).length).toBeGreaterThanOrEqual(count), { timeout: 60_000, interval: 10 })

/** Makes listing the processes fail as with too many open files; the result makes it work again. */
function failListing(): { count: () => number; restore: () => void } {
  const { readdirSync } = fs
  let count = 0
  fs.readdirSync = ((path: string, ...rest: []) => {
    if (path !== '/proc') return readdirSync(path, ...rest)
    count += 1
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
  }) as typeof readdirSync
  syncBuiltinESMExports()
  return {
    count: () => count,
    restore() {
      fs.readdirSync = readdirSync
      syncBuiltinESMExports()
    },
  }
}

describe('while the processes cannot be listed', () => {
  test('a kill waits until they can', async () => {
    const taskId = start('sleep 1000')
    await have(taskId, 1)
    const failing = failListing()
    try {
      const killed = killTagged([taskId], GRACE_MS)
      await vi.waitFor(() => expect(failing.count()).toBeGreaterThan(0))
      failing.restore()
      expect(await killed).toEqual([])
      expect(markedPids([taskId])).toEqual([])
    } finally {
      failing.restore()
    }
  })

  test('a kill ends at its limit, and the next one works', async () => {
    const taskId = start('sleep 1000')
    await have(taskId, 1)
    const failing = failListing()
    try {
      await killTagged([taskId], 0)
    } finally {
      failing.restore()
    }
    expect(await killTagged([taskId], GRACE_MS)).toEqual([])
    expect(markedPids([taskId])).toEqual([])
  })
})

describe('no tagged process is left', () => {
  test.each([
    ['what ignores SIGTERM', `trap '' TERM; while :; do sleep 100; done`, 2],
    [
      'a daemon that left session, group and parent',
      `setsid sh -c 'setsid sleep 1000 & setsid nohup sleep 1000 &' & sleep 1000`,
      3,
    ],
    ['what is left of a command that has ended', `setsid nohup sleep 1000 >/dev/null 2>&1 &`, 1],
    ['a program that is stopped and cannot hear', `sleep 1000 & kill -STOP $!; wait`, 2],
    ['one that forks away every 50 ms and ignores SIGTERM', `trap '' TERM; exec bash ./flee`, 1],
    ['one that forks away as fast as it can', `trap '' TERM; exec bash ./run`, 1],
    [
      'two that start each other again',
      `trap '' TERM; echo $$ >one; bash ./guard one two & exec bash ./guard two one`,
      2,
    ],
    ['ever more daemons that ignore SIGTERM', `trap '' TERM; while :; do setsid sleep 1000 & sleep 0.02; done`, 5],
    ['a tree whose every branch grows again, each a session of its own', `trap '' TERM; exec bash ./hydra 4`, 20],
  ])('of %s', async (_name, command, count) => {
    script('flee', `sleep 0.05; setsid bash ./flee & exit`)
    script('run', `setsid bash ./run & exit`)
    script(
      'guard',
      `while :; do kill -0 $(cat $1) 2>/dev/null || { setsid bash ./guard $2 $1 & echo $! >$1; }; sleep 0.01; done`,
    )
    script(
      'hydra',
      `while :; do for i in 1 2; do [ $1 = 0 ] && sleep 0.05 || setsid bash ./hydra $(($1 - 1)) & done; wait; done`,
    )
    const taskId = start(command)
    await have(taskId, count)
    const left = await killTagged([taskId], GRACE_MS)
    expect(left).toEqual([])
    expect(markedPids([taskId])).toEqual([])
  })

  test('of a child that cleared its environment, however it is related to the task', async () => {
    const taskId = start(
      `env -i bash -c 'echo $$ >child; exec sleep 1000' &
       env -i setsid bash -c 'echo $$ >session; exec sleep 1000' &
       sh -c 'env -i bash -c "echo \\$\\$ >orphan; exec sleep 1000" &'
       sleep 1000`,
    )
    await vi.waitFor(() => ['child', 'session', 'orphan'].every((name) => expect(pidIn(name)).toBeGreaterThan(0)), {
      timeout: 60_000,
    })
    const pids = ['child', 'session', 'orphan'].map(pidIn)
    expect(pids.filter(isAlive)).toEqual(pids)
    expect(await killTagged([taskId], GRACE_MS)).toEqual([])
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('of 100 tasks ended at once, within the grace period and two seconds', async () => {
    const taskIds = Array.from({ length: 100 }, () => start(`trap '' TERM; setsid sleep 1000 & sleep 1000`))
    await vi.waitFor(() => expect(markedPids(taskIds).length).toBeGreaterThanOrEqual(300), {
      timeout: 60_000,
      interval: 50,
    })
    const before = performance.now()
    const left = await Promise.all(taskIds.map((taskId) => killTagged([taskId], GRACE_MS)))
    expect(performance.now() - before).toBeLessThan(limitNow(GRACE_MS + 2_000))
    expect(left.flat()).toEqual([])
    expect(markedPids(taskIds)).toEqual([])
  })
})

test('a program that ends on SIGTERM is signaled once, and can clean up', async () => {
  const taskId = start(
    `trap 'echo told >>told; sleep 0.2; echo cleaned >>told; exit' TERM; echo ready >ready; sleep 1000 & wait`,
  )
  await vi.waitFor(() => readFileSync(join(dir, 'ready')), { timeout: 60_000 })
  await killTagged([taskId], 5_000)
  expect(readFileSync(join(dir, 'told'), 'utf8')).toBe('told\ncleaned\n')
})

test('other tasks are left alone, even one whose name has the same prefix', async () => {
  const [one, two] = [
    start('sleep 1000', `bash-alike-${process.pid}`),
    start('sleep 1000', `bash-alike-${process.pid}0`),
  ]
  await Promise.all([have(one, 1), have(two, 1)])
  await killTagged([one], GRACE_MS)
  expect(markedPids([one])).toEqual([])
  expect(markedPids([two]).length).toBe(1)
})

test('a later process with the same pid is not signaled', async () => {
  const taskId = start('sleep 1000')
  await have(taskId, 1)
  const entry = (await processTable()).get(markedPids([taskId])[0]!)!
  const earlier = { ...entry, started: entry.started - 1 }
  expect(signalProcess(earlier, 'SIGKILL')).toBe(false)
  expect(signalGroupOf(earlier, 'SIGKILL')).toBe(false)
  await killProcesses({ find: ({ table }) => (table.has(entry.pid) ? [earlier] : []), isMine: () => false }, 50)
  expect(isAlive(entry.pid)).toBe(true)
})
