import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import type { TaskEnd, TaskStart, TerminalTasks } from '../../src/main/engine/task/task-supervisor'
import { runTs } from '../support/run-ts'

let dir: string
let tasks: TerminalTasks
const open = (graceMs?: number): TerminalTasks =>
  createTerminalTasks({
    outputDir: join(dir, 'tasks'),
    env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    ...(graceMs !== undefined && { graceMs }),
  })
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-stop-')))
  tasks = open()
})
afterEach(async () => {
  await tasks.close()
  rmSync(dir, { recursive: true, force: true })
})

const start = (command: string, more: Partial<TaskStart> = {}): Promise<TaskEnd> =>
  tasks.run({ command, cwd: dir, timeoutMs: 60_000, signal: new AbortController().signal, ...more }, 46_000)

/** Whether a process is alive; one that has ended but was not yet reaped by its parent is not. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Starts a command that first prints process ids on one line, waits for that line, and aborts. */
async function abortAfterPids(command: string): Promise<{ pids: number[]; end: TaskEnd; tookMs: number }> {
  const controller = new AbortController()
  let shown = ''
  const running = start(command, { signal: controller.signal, onOutput: (raw) => (shown += raw) })
  await vi.waitFor(() => expect(shown).toContain('\n'), { timeout: 60_000 })
  const aborted = performance.now()
  controller.abort()
  const end = await running
  return { pids: shown.split('\n')[0]!.trim().split(/\s+/).map(Number), end, tookMs: performance.now() - aborted }
}

describe('abort', () => {
  test('ends the command and its children immediately', async () => {
    await tasks.close()
    tasks = open(60_000)
    const { pids, end, tookMs } = await abortAfterPids('sleep 100 & sleep 100 & echo $$ $!; wait')
    expect(end.task.status).toBe('stopped')
    // Well before SIGKILL, which would follow after 60 s.
    expect(tookMs).toBeLessThan(30_000)
    expect(pids.length).toBe(2)
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 })
  })

  test('reaches processes in other process groups of the session', async () => {
    const { pids } = await abortAfterPids('set -m; sleep 100 & echo $$ $!; wait')
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 })
  })

  test('answers within the grace period even if the command ignores SIGTERM, and kills it afterwards', async () => {
    await tasks.close()
    tasks = open(3_000)
    const { pids, end } = await abortAfterPids(`trap '' TERM; echo $$; sleep 100; sleep 100`)
    expect(end.task.status).toBe('stopped')
    expect(pids.filter(isAlive)).toEqual(pids)
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 })
  })

  test('keeps what was printed', async () => {
    const { end } = await abortAfterPids('echo 1 2; sleep 100')
    expect(end.text).toBe('1 2\n')
  })

  test('before the start runs nothing', async () => {
    const end = await start('touch ran', { signal: AbortSignal.abort() })
    expect(end.task.status).toBe('stopped')
    expect((await start('ls')).text).toBe('')
  })

  test('at any moment of the start leaves no process behind', async () => {
    const mark = `4242.${process.pid}`
    await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const controller = new AbortController()
        const running = start(`sleep ${mark}; sleep ${mark}`, { signal: controller.signal })
        await new Promise((resolve) => setTimeout(resolve, index / 2))
        controller.abort()
        expect((await running).task.status).toBe('stopped')
      }),
    )
    await vi.waitFor(async () => expect((await start(`ps -A -o args= | grep -c '^sleep ${mark}'`)).text).toBe('0\n'), {
      timeout: 60_000,
      interval: 100,
    })
  })
})

/** Stops a command at its time limit, after it has printed something: on a busy machine, with a longer limit. */
async function startLimited(command: string): Promise<{ end: TaskEnd; timeoutMs: number }> {
  for (const timeoutMs of [300, 3_000]) {
    const end = await start(command, { timeoutMs })
    if (end.text !== '') return { end, timeoutMs }
  }
  return { end: await start(command, { timeoutMs: 20_000 }), timeoutMs: 20_000 }
}

describe('time limit', () => {
  test('stops the command and keeps its output', async () => {
    await tasks.close()
    tasks = open(60_000)
    const { end, timeoutMs } = await startLimited('echo before; sleep 100; echo after')
    expect(end.task.status).toBe('timed_out')
    expect(end.text).toBe('before\n')
    expect(end.durationMs).toBeGreaterThanOrEqual(timeoutMs)
    // Well before SIGKILL, which would follow after 60 s.
    expect(end.durationMs).toBeLessThan(timeoutMs + 50_000)
  })

  test('a command that ignores SIGTERM is killed 5 s later', async () => {
    const { end } = await startLimited(`trap '' TERM; echo $$; sleep 100; sleep 100`)
    expect(end.task.status).toBe('timed_out')
    expect(end.durationMs).toBeGreaterThan(5_000)
    // On its own, it would end after 200 s.
    expect(end.durationMs).toBeLessThan(90_000)
    // It may still be a zombie, which its parent reaps soon.
    await vi.waitFor(() => expect(isAlive(Number(end.text))).toBe(false), { timeout: 60_000 })
  })

  test('a program can clean up on SIGTERM', async () => {
    const { end } = await startLimited(`trap 'echo cleaned; exit 3' TERM; echo ready; sleep 100 & wait`)
    expect(end).toMatchObject({ text: 'ready\ncleaned\n', task: { status: 'timed_out', exitCode: 3 } })
  })
})

describe('a background process that a command leaves behind', () => {
  test.each([
    ['holding the terminal', 'sleep 100 & echo $!'],
    ['with output elsewhere', 'sleep 100 >/dev/null 2>&1 & echo $!'],
  ])('does not delay the answer, is named, keeps running, and is stopped at close (%s)', async (_name, command) => {
    const end = await start(command)
    expect(end.durationMs).toBeLessThan(30_000)
    expect(end.task).toMatchObject({ status: 'completed', exitCode: 0 })
    const pid = Number(end.text)
    expect(end.leftRunning).toMatchObject([{ pid, command: 'sleep 100' }])
    expect(isAlive(pid)).toBe(true)
    await tasks.close()
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 })
  })

  test('keeps printing into the log', async () => {
    const end = await start('(sleep 3; echo late) & echo now')
    expect(end.text).toBe('now\n')
    await vi.waitFor(async () => expect((await start(`cat ${end.task.outputPath}`)).text).toBe('now\nlate\n'), {
      timeout: 60_000,
      interval: 100,
    })
  })

  test('can finish its output if it is a process substitution', async () => {
    expect((await start('echo x > >(sleep 0.1; cat)')).text).toBe('x\n')
  })
})

describe('close', () => {
  test('stops running commands, answers them, and accepts no more', async () => {
    await start('true')
    const running = [start('sleep 100'), start('sleep 100')]
    await tasks.close()
    expect((await Promise.all(running)).map(({ task }) => task.status)).toEqual(['stopped', 'stopped'])
    await expect(start('true')).rejects.toThrow('closing')
  })

  test('prevents a command that was about to start', async () => {
    const first = start('sleep 100')
    first.catch(() => {})
    await tasks.close()
    await expect(first).rejects.toThrow('closing')
  })
})

test('when a host is killed, its commands end too, because their terminals hang up', async () => {
  const host = runTs('./task-host.ts', [join(dir, 'host'), 'sleep 100 & echo $$ $!; wait', 'echo $$; sleep 100'])
  const pids = [await host.line('0: '), await host.line('1: ')].flatMap((line) =>
    line.slice(3).trim().split(' ').map(Number),
  )
  expect(pids.filter(isAlive)).toEqual(pids)
  await host.kill()
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 })
})
