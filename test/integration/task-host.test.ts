import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TaskPush } from '../../src/shared/events/push'
import type { Task } from '../../src/shared/model/task/task'
import { limitNow } from '../support/machine-pace'
import { createScratch, type Scratch } from '../support/scratch'
import { endHosts, hostPids, isRunning, openSupervisor } from '../support/source-task-host'
import { until } from '../support/until'

type Supervisor = ReturnType<typeof openSupervisor>

let scratch: Scratch
const opened: Supervisor[] = []
beforeEach(() => {
  scratch = createScratch()
})
afterEach(async () => {
  for (const supervisor of opened.splice(0)) await supervisor.close()
  await endHosts(scratch.home)
  scratch.remove()
})

function open(options?: Parameters<typeof openSupervisor>[1]): Supervisor {
  const supervisor = openSupervisor(scratch.home, options)
  opened.push(supervisor)
  return supervisor
}
const start = (supervisor: Supervisor, command: string, timeoutMs: number | null = null): Promise<Task> =>
  supervisor.start({ command, cwd: scratch.project, timeoutMs, description: 'a test' })

describe('a background task', () => {
  test('runs in the host, is listed, and ends with its record and all of its output on disk', async () => {
    const supervisor = open()
    const changes: Task[] = []
    supervisor.onChange((task) => changes.push(task))
    const task = await start(supervisor, 'echo one; sleep 0.2; echo two; exit 3')
    expect(task).toMatchObject({ status: 'running', background: true, description: 'a test' })
    expect(await supervisor.list({ activeOnly: true })).toMatchObject([{ taskId: task.taskId, status: 'running' }])
    const { task: ended, ended: hasEnded } = await supervisor.wait(task.taskId, 10_000)
    expect(hasEnded).toBe(true)
    expect(ended).toMatchObject({ status: 'failed', exitCode: 3, outputBytes: 8, lastLine: 'two' })
    expect(readFileSync(task.outputPath, 'utf8')).toBe('one\ntwo\n')
    const record = JSON.parse(readFileSync(join(scratch.home, 'tasks', task.taskId, 'task.json'), 'utf8')) as {
      task: Task
    }
    expect(record.task).toMatchObject({ status: 'failed', exitCode: 3 })
    await until(() => changes.some(({ status }) => status === 'failed'), 'news of the end')
    expect(await supervisor.output(task.taskId, { bytes: 100 })).toEqual({
      text: 'one\ntwo\n',
      from: 0,
      to: 8,
      total: 8,
      dropped: 0,
    })
  })

  test('that cannot be started reports why', async () => {
    await expect(open().start({ command: 'true', cwd: '/nowhere', timeoutMs: null })).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  test('can be watched live and typed into, and typed input is in no file', async () => {
    const supervisor = open()
    const task = await start(supervisor, 'read -s -p "Password: " secret </dev/tty; echo; echo "got ${#secret}"')
    const pushes: TaskPush[] = []
    const stop = supervisor.watch(task.taskId, (push) => pushes.push(push))
    const shown = (): string => pushes.map((push) => (push.type === 'task' ? '' : push.text)).join('')
    await until(() => shown().includes('Password: '), 'the prompt')
    await until(
      () => pushes.some((push) => push.type === 'task' && push.task.prompt !== undefined),
      'the wait being noticed',
    )
    await supervisor.input(task.taskId, 'hunter2-and-more\n')
    await until(() => shown().includes('got 16'), 'the answer')
    stop()
    const { task: ended } = await supervisor.wait(task.taskId, 5000)
    expect(ended).toMatchObject({ status: 'completed', waited: { text: 'Password:', typed: true } })
    const files = readdirSync(scratch.home, { recursive: true, encoding: 'utf8' }).map((name) =>
      join(scratch.home, name),
    )
    const holding = files.filter((file) => statSync(file).isFile() && readFileSync(file).includes('hunter2'))
    expect(files.length).toBeGreaterThan(3)
    expect(holding).toEqual([])
  })

  test('is stopped at its time limit by the host', async () => {
    const supervisor = open()
    const task = await start(supervisor, 'echo x; sleep 60', Math.ceil(limitNow(500)))
    expect((await supervisor.wait(task.taskId, 20_000)).task).toMatchObject({ status: 'timed_out', outputBytes: 2 })
  })

  test('is stopped with all its child processes', async () => {
    const supervisor = open()
    const task = await start(supervisor, 'setsid sleep 77.77 & sleep 60')
    const stopped = await supervisor.stop(task.taskId, 'enough')
    expect(stopped).toMatchObject({ status: 'stopped', stopReason: 'enough' })
    expect((await supervisor.get(task.taskId)).status).toBe('stopped')
    expect(await supervisor.stop(task.taskId)).toMatchObject({ status: 'stopped', stopReason: 'enough' })
    await expect(supervisor.input(task.taskId, 'x')).rejects.toMatchObject({ code: 'task.ended' })
  })
})

test('a host that hangs does not delay stopping a command', async () => {
  const supervisor = open()
  const controller = new AbortController()
  let shown = ''
  const call = supervisor.terminals.run(
    {
      command: 'echo here; sleep 60',
      cwd: scratch.project,
      timeoutMs: null,
      signal: controller.signal,
      onOutput: (raw) => (shown += raw),
    },
    1000,
  )
  await until(() => shown.includes('here'), 'the start')
  const [pid = 0] = hostPids(scratch.home)
  process.kill(pid, 'SIGSTOP')
  controller.abort()
  try {
    expect(await call).toMatchObject({ task: { status: 'stopped' }, notes: ['The task host did not answer.'] })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

test('an idle host exits on its own, and not before', async () => {
  const supervisor = open()
  await start(supervisor, 'sleep 0.5')
  const [pid = 0] = hostPids(scratch.home)
  await supervisor.close()
  expect(isRunning(pid)).toBe(true)
  await until(() => !isRunning(pid), 'its end')
  expect(hostPids(scratch.home)).toEqual([])
})

test('concurrent starts result in one host', async () => {
  const supervisors = Array.from({ length: 6 }, () => open())
  const tasks = await Promise.all(supervisors.map((supervisor) => start(supervisor, 'sleep 30')))
  expect(hostPids(scratch.home)).toHaveLength(1)
  expect((await supervisors[0]!.list({ activeOnly: true })).map(({ taskId }) => taskId).sort()).toEqual(
    tasks.map(({ taskId }) => taskId).sort(),
  )
  expect(await supervisors[1]!.stopAll({})).toEqual({ stopped: 6 })
})
