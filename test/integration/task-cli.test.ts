import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Orphan, Task, TaskOutputPage } from '../../src/shared/model/task/task'
import { SUPERVISOR_VARIABLE, homeKey, TASK_VARIABLE } from '../../src/main/engine/process/process-tag'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { endHosts, openSupervisor } from '../support/source-task-host'

let scratch: Scratch
let supervisor: ReturnType<typeof openSupervisor>
beforeEach(() => {
  scratch = createScratch()
  supervisor = openSupervisor(scratch.home)
})
afterEach(async () => {
  await supervisor.close()
  await endHosts(scratch.home)
  scratch.remove()
})

const trestle = (...args: string[]): Promise<CliRun> => runCli(['task', ...args], { home: scratch.home })
const start = (command: string): Promise<Task> =>
  supervisor.start({ command, cwd: scratch.project, timeoutMs: null, description: 'said' })

test('lists, shows and stops tasks while an app is running, and shows them without an app', async () => {
  const { taskId } = await start('seq 5; sleep 60')
  const other = await start('sleep 61')
  const listed = await trestle('list', '--json')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect((JSON.parse(listed.stdout) as Task[]).map((task) => [task.taskId, task.status])).toEqual([
    [other.taskId, 'running'],
    [taskId, 'running'],
  ])
  expect((await trestle('list')).stdout).toMatch(
    new RegExp(`^ID .*COMMAND.*\\n${other.taskId}  running .*sleep 61\\n${taskId}  running .*seq 5; sleep 60  5\\n$`),
  )
  expect(await trestle('output', taskId, '--tail', '2')).toMatchObject({ code: 0, stdout: '4\n5\n' })
  expect(await trestle('output', taskId)).toMatchObject({ code: 0, stdout: '1\n2\n3\n4\n5\n' })
  const stopped = await trestle('stop', taskId, other.taskId, '--reason', 'enough', '--json')
  expect(JSON.parse(stopped.stdout)).toMatchObject([
    { taskId, status: 'stopped', stopReason: 'enough' },
    { taskId: other.taskId, status: 'stopped' },
  ])
  await supervisor.close()
  await endHosts(scratch.home)
  expect(await trestle('list')).toMatchObject({
    code: 0,
    stdout: 'No tasks are running. To list ended ones: trestle task list --all\n',
  })
  const all = JSON.parse((await trestle('list', '--all', '--limit', '1', '--json')).stdout) as Task[]
  expect(all).toMatchObject([{ taskId: other.taskId, status: 'stopped' }])
  const page = JSON.parse((await trestle('output', taskId, '--json')).stdout) as TaskOutputPage & { task: Task }
  expect(page).toMatchObject({ text: '1\n2\n3\n4\n5\n', from: 0, total: 10, task: { taskId, status: 'stopped' } })
  expect((await trestle('stop', taskId)).stdout).toContain('had ended already: stopped')
})

test('follows a task to its end', async () => {
  const { taskId } = await start('echo one; sleep 1; echo two')
  expect(await trestle('output', taskId, '--follow')).toMatchObject({ code: 0, stdout: 'one\ntwo\n' })
})

test('stops orphans of a crashed run, and leaves other homes and running apps alone', async () => {
  const { pid: dead = 0 } = spawn('true')
  const left = (home: string, owner: string): ReturnType<typeof spawn> =>
    spawn('sleep', ['77'], {
      env: { ...process.env, [TASK_VARIABLE]: 'bash-deadbeef', [SUPERVISOR_VARIABLE]: `${homeKey(home)}:${owner}` },
      stdio: 'ignore',
    })
  const orphan = left(scratch.home, `${dead}:1`)
  const elsewhere = left('/another/home', `${dead}:1`)
  const ended = once(orphan, 'exit')
  await start('sleep 60')
  try {
    const { stopped, orphans } = JSON.parse((await trestle('kill-orphans', '--json')).stdout) as {
      stopped: number
      orphans: Orphan[]
    }
    expect({ stopped, orphans }).toMatchObject({
      stopped: 1,
      orphans: [{ pid: orphan.pid, taskId: 'bash-deadbeef', command: 'sleep 77' }],
    })
    await ended
    expect(elsewhere.exitCode).toBeNull()
    expect((await trestle('kill-orphans')).stdout).toBe('Ended tasks left no processes running.\n')
    expect(await supervisor.list({ activeOnly: true })).toHaveLength(1)
  } finally {
    elsewhere.kill('SIGKILL')
    orphan.kill('SIGKILL')
  }
})

describe('invalid use', () => {
  test.each([
    [[], /Specify an action: list, output, stop, kill-orphans/],
    [['lst'], /Unknown "lst"\. Did you mean list\?/],
    [['output'], /takes the id of one task/],
    [['stop'], /ids of tasks, or --all/],
    [['stop', 'bash-00000000', '--all'], /ids of tasks, or --all/],
    [['list', '--follow'], /--follow goes with output, not with list/],
    [['list', '--limit', 'many'], /--limit is a whole number/],
    [['list', 'bash-00000000'], /trestle task output bash-00000000/],
  ])('%j prints advice', async (args, message) => {
    const { code, stdout, stderr } = await trestle(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })

  test('an unknown id is reported, with an exit code', async () => {
    expect(await trestle('output', 'bash-00000000')).toMatchObject({ code: 1, stdout: '' })
    expect(await trestle('stop', 'bash-00000000')).toMatchObject({ code: 1 })
  })
})
