import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { subreaperProgram } from '../../src/main/engine/task/pty/subreaper'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { SandboxPolicy } from '../../src/main/engine/sandbox/sandbox-policy'
import type { Orphan, Task } from '../../src/shared/model/task/task'
import { isAlive } from '../support/marked-pids'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { endHosts, hostPids, openSupervisor } from '../support/source-task-host'
import { until } from '../support/until'

let scratch: Scratch
let supervisor: ReturnType<typeof openSupervisor>
beforeEach(() => {
  scratch = createScratch()
  supervisor = openSupervisor(scratch.home)
})
afterEach(async () => {
  await supervisor.close()
  await endHosts(scratch.home)
  for (const name of ['stray', 'heir']) if (existsSync(join(scratch.project, name))) kill(pidIn(name))
  scratch.remove()
})

function kill(pid: number): void {
  try {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  } catch {
    // It was about to end.
  }
}

const pidIn = (name: string): number => Number(readFileSync(join(scratch.project, name), 'utf8'))
const start = (command: string): Promise<Task> => supervisor.start({ command, cwd: scratch.project, timeoutMs: null })
const trestle = (...args: string[]): Promise<CliRun> => runCli(['task', ...args], { home: scratch.home })
const isThere = (name: string): boolean =>
  existsSync(join(scratch.project, name)) && pidIn(name) > 0 && isAlive(pidIn(name))

/** A process without the task's environment, session, group or parents. */
const STRAY = `( env -i setsid bash -c 'echo $$ >stray; exec sleep 1000' >/dev/null 2>&1 & )`
/** Like that, and a second later it replaces itself with another process. */
const RUNAWAY =
  "( env -i setsid bash -c 'echo $$ >stray; sleep 1; " +
  `(setsid bash -c "echo \\$\\$ >heir; exec sleep 1000" &) ' >/dev/null 2>&1 & )`

const hasKeeper = subreaperProgram({}) !== undefined

describe.runIf(hasKeeper)('a process that cleared its environment and left its session', () => {
  test('ends when its running task is stopped, and other tasks keep running', async () => {
    const other = await start('sleep 1000')
    const { taskId } = await start(`${STRAY}; sleep 1000`)
    await until(() => isThere('stray'), 'the stray to run')
    await supervisor.stop(taskId)
    expect(isThere('stray')).toBe(false)
    expect(await supervisor.get(other.taskId)).toMatchObject({ status: 'running' })
  })

  test('left behind by a task is listed, also as JSON, and stopped by stop --all', async () => {
    const { taskId } = await start(`${STRAY}; until [ -s stray ]; do :; done`)
    await supervisor.wait(taskId, 30_000)
    const pid = pidIn('stray')
    await expect
      .poll(() => supervisor.orphans())
      .toMatchObject([{ pid, taskId, command: 'sleep 1000', taskEnded: true }])
    const { stdout } = await trestle('list')
    expect(stdout).toMatch(
      new RegExp(
        '^No tasks are running\\..*\\n\\nLeft running by tasks that have ended; ' +
          `.*\\nPID .*\\n${pid} +${taskId} .*sleep 1000\\n$`,
      ),
    )
    const listed = JSON.parse((await trestle('list', '--json')).stdout) as (Task & { leftRunning?: Orphan[] })[]
    expect(listed).toMatchObject([{ taskId, status: 'completed', leftRunning: [{ pid, command: 'sleep 1000' }] }])
    expect((await trestle('stop', '--all')).stdout).toBe(
      `${taskId}  left behind, process ${pid}  stopped  sleep 1000\n`,
    )
    expect(isThere('stray')).toBe(false)
    expect((await trestle('list')).stdout).toBe('No tasks are running. To list ended ones: trestle task list --all\n')
  })

  test('is linked to its task after its parent has ended', async () => {
    const { taskId } = await start(RUNAWAY)
    await supervisor.wait(taskId, 30_000)
    await until(() => isThere('heir'), 'the heir to run')
    await expect.poll(() => supervisor.orphans()).toMatchObject([{ pid: pidIn('heir'), taskId }])
    await supervisor.stop(taskId)
    expect(isThere('heir')).toBe(false)
  })

  test('is found and stopped after the task host was killed', async () => {
    await start(`${STRAY}; sleep 1000`)
    await until(() => isThere('stray'), 'the stray to run')
    for (const pid of hostPids(scratch.home)) process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await supervisor.orphans()).map(({ pid }) => pid)).toContain(pidIn('stray'))
    expect((await trestle('kill-orphans')).code).toBe(0)
    expect(isThere('stray')).toBe(false)
  })

  test('is named in the result of its command, and ends with the process that ran it', async () => {
    const tasks = createTerminalTasks({
      outputDir: join(scratch.home, 'tasks'),
      env: () => commandEnv(process.env, DEFAULT_SETTINGS),
      graceMs: 500,
    })
    const command = `${STRAY}; until [ -s stray ]; do :; done`
    const end = await tasks.run(
      { command, cwd: scratch.project, timeoutMs: 30_000, signal: new AbortController().signal },
      1_000,
    )
    expect(end.leftRunning).toMatchObject([{ pid: pidIn('stray') }])
    await tasks.close()
    expect(isThere('stray')).toBe(false)
  })
})

test('is left alone by stop --all and the list while its command still runs', async () => {
  const controller = new AbortController()
  const signal = controller.signal
  const waiting = supervisor.terminals.run(
    { command: 'sleep 999 & echo $! >stray; wait', cwd: scratch.project, timeoutMs: null, signal },
    1_000,
  )
  await until(() => isThere('stray'), 'the command to run')
  expect((await trestle('list')).stdout).not.toContain('Left running')
  expect((await trestle('stop', '--all')).stdout).toBe('No tasks are running.\n')
  expect(isThere('stray')).toBe(true)
  controller.abort()
  await waiting
})

test('ends with its sandbox, whatever it did to hide', async ({ skip }) => {
  if (sandboxSupport().kind === 'none') skip()
  const tasks = createTerminalTasks({
    outputDir: join(scratch.home, 'tasks'),
    env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    graceMs: 500,
  })
  const nothing = { folders: [], write: [scratch.project], read: [], protect: [], hosts: [], sockets: [] }
  const place = { root: scratch.project, home: scratch.home, userHome: scratch.project }
  const sandbox: SandboxPolicy = { level: 'project', network: 'none', scope: 'strays', ...nothing, ...place }
  const hidden = `( env -i setsid sleep 31415 >/dev/null 2>&1 & )`
  const signal = new AbortController().signal
  const end = await tasks.run({ command: hidden, cwd: scratch.project, timeoutMs: 30_000, signal, sandbox }, 1_000)
  expect(end.task.status).toBe('completed')
  await expect.poll(() => runningSleeps('31415')).toBe(1)
  await tasks.close()
  await expect.poll(() => runningSleeps('31415')).toBe(0)
})

function runningSleeps(argument: string): number {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const listed = numbers.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
    } catch {
      return ''
    }
  })
  return listed.filter((line) => line === `sleep\0${argument}\0`).length
}
