import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TaskPush } from '../../src/shared/events/push'
import type { Task } from '../../src/shared/model/task/task'
import { runTs } from '../support/run-ts'
import { createScratch, type Scratch } from '../support/scratch'
import { endHosts, hostPids, openSupervisor } from '../support/source-task-host'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

/** TRESTLE_TASKS=200 for more. */
const TASKS = Number(process.env['TRESTLE_TASKS'] ?? 20)

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

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('when the app is killed', () => {
  test(
    'its background tasks keep running, and the next app finds all of them with complete output and can stop them',
    async () => {
      const command =
        'for i in $(seq 500); do echo "INDEX line $i"; done; touch done-INDEX; while sleep 1; do echo tick; done'
      const client = runTs('task-client.ts', [scratch.home, scratch.project, String(TASKS), command])
      await client.line('started')
      const ids = client.lines.filter((line) => line.startsWith('task ')).map((line) => line.slice(5))
      await client.kill()
      const supervisor = open()
      await until(
        () => ids.every((_, index) => statSync(join(scratch.project, `done-${index}`), { throwIfNoEntry: false })),
        'their work',
      )
      const found = await supervisor.list({ activeOnly: true })
      expect(found.map(({ taskId }) => taskId).sort()).toEqual([...ids].sort())
      for (const [index, taskId] of ids.entries()) {
        const { text } = await supervisor.output(taskId, { bytes: 100_000 })
        const wanted = Array.from({ length: 500 }, (_, line) => `${index} line ${line + 1}\n`).join('')
        expect(text.startsWith(wanted)).toBe(true)
      }
      expect(await supervisor.stopAll({})).toEqual({ stopped: TASKS })
      expect(await supervisor.list({ activeOnly: true })).toEqual([])
      for (const taskId of ids) expect((await supervisor.get(taskId)).status).toBe('stopped')
    },
    60_000 + TASKS * 500,
  )

  test('the command that a call waited for is stopped', async () => {
    const client = runTs('task-client.ts', [scratch.home, scratch.project, '0'], {
      FOREGROUND: 'sleep 50 & echo $$ $!; wait',
    })
    const pids = (await client.line('foreground ')).split(' ').slice(1).map(Number)
    expect(pids.filter(isAlive)).toEqual(pids)
    await client.kill()
    await until(() => !pids.some(isAlive), 'their end')
  })
})

describe('when the task host is killed', () => {
  test('every client is told within 2 s what was lost, waiting calls are answered, and the next command starts a new host', async () => {
    const supervisor = open()
    const other = open()
    const notices: string[] = []
    const changes: Task[] = []
    const pushes: TaskPush[] = []
    supervisor.onNotice((text) => notices.push(`one: ${text}`))
    other.onNotice((text) => notices.push(`two: ${text}`))
    other.onChange((task) => changes.push(task))
    await other.list({})
    const task = await supervisor.start({ command: 'echo kept; sleep 60', cwd: scratch.project, timeoutMs: null })
    other.watch(task.taskId, (push) => pushes.push(push))
    const signal = new AbortController().signal
    const call = supervisor.terminals.run(
      { command: 'echo started; touch started; sleep 60', cwd: scratch.project, timeoutMs: null, signal },
      1000,
    )
    await until(
      () =>
        readdirSync(scratch.project).includes('started') &&
        pushes.some((push) => push.type !== 'task' && push.text.includes('kept')),
      'both',
    )
    const waiting = other.wait(task.taskId, 60_000)
    // Written to the logs by then.
    await until(() => statSync(task.outputPath, { throwIfNoEntry: false })?.size === 5, 'the output in its log')
    const [pid = 0] = hostPids(scratch.home)
    const killedAt = performance.now()
    process.kill(pid, 'SIGKILL')
    expect(await call).toMatchObject({ task: { status: 'lost' } })
    expect(await waiting).toMatchObject({ ended: true, task: { status: 'lost', outputBytes: 5 } })
    await until(() => notices.length === 2, 'the notices')
    expect(performance.now() - killedAt).toBeLessThan(limitNow(2000))
    expect(notices.sort()).toEqual([
      'one: The task host has died. One background task is lost; its output is kept. ' +
        'The next command starts a new one.',
      'two: The task host has died. One background task is lost; its output is kept. ' +
        'The next command starts a new one.',
    ])
    expect(changes.at(-1)).toMatchObject({ taskId: task.taskId, status: 'lost' })
    await until(
      () => pushes.some((push) => push.type === 'task' && push.task.status === 'lost'),
      'the watcher being told',
    )
    expect((await supervisor.output(task.taskId, { bytes: 100 })).text).toBe('kept\n')
    const next = await supervisor.terminals.run(
      { command: 'echo again', cwd: scratch.project, timeoutMs: null, signal },
      1000,
    )
    expect(next).toMatchObject({ text: 'again\n', task: { status: 'completed' } })
    expect(await other.list({})).toMatchObject([{ taskId: task.taskId, status: 'lost' }])
  })
})

test('a lost task is reported as lost to later clients too', async () => {
  const supervisor = open()
  const { taskId } = await supervisor.start({
    command: 'echo kept; exec sleep 60',
    cwd: scratch.project,
    timeoutMs: null,
  })
  await supervisor.close()
  const [pid = 0] = hostPids(scratch.home)
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid), 'the end of the host')
  expect(await open().get(taskId)).toMatchObject({ status: 'lost' })
})

test('below the limit no byte of a task is lost, however fast it prints', async () => {
  const supervisor = open()
  const { taskId, outputPath } = await supervisor.start({
    command: 'seq 3000000',
    cwd: scratch.project,
    timeoutMs: null,
  })
  const { task } = await supervisor.wait(taskId, 30_000)
  const wanted = createHash('sha256')
  for (let line = 1; line <= 3_000_000; line++) wanted.update(`${line}\n`)
  expect(createHash('sha256').update(readFileSync(outputPath)).digest('hex')).toBe(wanted.digest('hex'))
  expect(task.outputBytes).toBe(statSync(outputPath).size)
})

test('beyond the limit the task keeps running, and the first and latest output are kept', async () => {
  const supervisor = open({ settings: { logBytes: 1024 * 1024 } })
  const { taskId } = await supervisor.start({ command: 'seq 2000000', cwd: scratch.project, timeoutMs: null })
  const { task } = await supervisor.wait(taskId, 30_000)
  expect(task).toMatchObject({ status: 'completed', outputBytes: 14_888_896 })
  expect(task.problem).toBeUndefined()
  const newest = await supervisor.output(taskId, { bytes: 1000 })
  expect(newest).toMatchObject({ to: 14_888_896, total: 14_888_896 })
  expect(newest.text.endsWith('1999999\n2000000\n')).toBe(true)
  const oldest = await supervisor.output(taskId, { before: 12, bytes: 1000 })
  expect(oldest).toMatchObject({ text: '1\n2\n3\n4\n5\n6\n', from: 0 })
  expect(readFileSync(task.outputPath, 'utf8').startsWith('1\n2\n')).toBe(true)
  expect(readFileSync(task.newestPath!, 'utf8').endsWith('2000000\n')).toBe(true)
})

test('a command can be moved to the background: the call ends, and the command outlives the app', async () => {
  const supervisor = open()
  const started = Promise.withResolvers<Task>()
  supervisor.onChange((task) => started.resolve(task))
  const call = supervisor.terminals.run(
    {
      command: 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two',
      cwd: scratch.project,
      timeoutMs: 60_000,
      callId: 'call-1',
      signal: new AbortController().signal,
    },
    1000,
  )
  const { taskId, callId } = await started.promise
  expect(callId).toBe('call-1')
  await until(
    () => statSync(join(scratch.home, 'tasks', `${taskId}.log`), { throwIfNoEntry: false })?.size === 4,
    'its output',
  )
  expect(await supervisor.moveToBackground(taskId)).toMatchObject({
    taskId,
    status: 'running',
    background: true,
    timeoutMs: 600_000,
  })
  expect(await call).toMatchObject({ text: 'one\n', moved: 'by_user', task: { taskId, status: 'running' } })
  await supervisor.close()
  const next = open()
  expect(await next.list({ activeOnly: true })).toMatchObject([{ taskId, background: true }])
  const { child } = runTs('task-client.ts', [scratch.home, scratch.project, '1', 'touch go'])
  const { task } = await next.wait(taskId, 10_000)
  child.kill('SIGKILL')
  expect(task).toMatchObject({ status: 'completed', outputBytes: 8 })
  expect((await next.output(taskId, { bytes: 100 })).text).toBe('one\ntwo\n')
})
