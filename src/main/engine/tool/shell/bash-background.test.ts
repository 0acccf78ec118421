import { expect, test } from 'vitest'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { memorySessionTasks } from '../../../../../test/support/memory-session-tasks'
import type { Task } from '../../../../shared/model/task/task'
import type { TaskEnd, TaskStart, TerminalTasks } from '../../task/task-supervisor'
import { createReadState, createWorkspace } from '../../workspace/workspace'
import { bashTool } from './bash'

const TASK: Task = {
  taskId: 'bash-00000001',
  command: 'npm test',
  cwd: '/tmp',
  status: 'completed',
  startedAt: 0,
  pid: 77,
  exitCode: 0,
  outputPath: '/tasks/bash-00000001/output.log',
  outputBytes: 0,
}

/** A tool whose foreground commands end as specified, and whose background commands run until the test ends them. */
function setup({
  end,
  interactive = true,
}: { end?: Omit<Partial<TaskEnd>, 'task'> & { task?: Partial<Task> }; interactive?: boolean } = {}) {
  const asked: TaskStart[] = []
  const terminals: TerminalTasks = {
    warm() {},
    async close() {},
    async run(start) {
      asked.push(start)
      return {
        text: '',
        totalChars: 0,
        truncated: false,
        durationMs: 5,
        leftRunning: [],
        notes: [],
        ...end,
        task: { ...TASK, ...end?.task },
      }
    },
  }
  const session = memorySessionTasks({ interactive })
  const workspace = createWorkspace({ root: '/tmp', addedFolders: [], reads: createReadState() })
  return { ...session, asked, tool: bashTool({ workspace, terminals, tasks: session.tasks }) }
}

test('returns immediately from a background start with id, pid, path and what will happen, and will notify the agent of its end', async () => {
  const { tool, supervisor, owed } = setup()
  const result = await callTool(tool, { command: 'npm run dev', description: ' dev server ', run_in_background: true })
  expect(supervisor.started).toEqual([
    {
      command: 'npm run dev',
      cwd: '/tmp',
      description: 'dev server',
      timeoutMs: 600_000,
      sessionId: 's1',
      callId: 'c1',
      folder: '/project',
    },
  ])
  expect(result.text.split('\n').slice(0, 5)).toEqual([
    'Runs in the background.',
    'task_id: bash-00000001',
    'pid: 4001',
    'status: running',
    'output_path: /home/tasks/bash-00000001.log',
  ])
  expect(result.text).toMatch(
    /stopped after 10 min if it still runs\. You are told in a message when it ends.*do not poll/,
  )
  expect(result.isError).toBeUndefined()
  expect(result.details).toMatchObject({
    kind: 'task',
    started: 'started',
    task: { taskId: 'bash-00000001', status: 'running' },
  })
  expect(owed.map(({ taskId }) => taskId)).toEqual(['bash-00000001'])
})

test('tells the model to wait for what it needs when the program ends with the turn', async () => {
  const { tool } = setup({ interactive: false })
  const result = await callTool(tool, { command: 'npm test', description: 'tests', run_in_background: true })
  expect(result.text).toMatch(/one turn only here: if you need how it ends, wait with TaskOutput and block/)
})

test('limits background commands to 10 min at most, unless no limit is requested', async () => {
  const { tool, supervisor } = setup()
  const background = { command: 'a', description: 'x', run_in_background: true }
  await callTool(tool, { ...background, timeout: 5_000 })
  await callTool(tool, { ...background, timeout: 90_000_000 })
  const endless = await callTool(tool, { ...background, timeout: 5_000, disable_timeout: true })
  expect(supervisor.started.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 600_000, null])
  expect(endless.text).toContain('It runs without a time limit.')
})

test('refuses a background command without a description, and a foreground one without a limit, before anything runs', async () => {
  const { tool, supervisor, asked } = setup()
  expect((await callTool(tool, { command: 'a', run_in_background: true, description: ' ' })).text).toMatch(
    /needs a description/,
  )
  expect((await callTool(tool, { command: 'a', disable_timeout: true })).text).toMatch(
    /background only: add run_in_background/,
  )
  expect(supervisor.started).toEqual([])
  expect(asked).toEqual([])
})

test('judges a background command like a foreground one, and shows where and how long on the card', async () => {
  const { tool } = setup()
  const foreground = await prepareCall(tool, { command: 'rm -rf build' })
  const background = await prepareCall(tool, {
    command: 'rm -rf build',
    description: 'clean',
    run_in_background: true,
    disable_timeout: true,
  })
  expect(background.accesses).toEqual(foreground.accesses.map((access) => ({ ...access, background: true })))
  expect(background.summary).toBe('rm -rf build (in the background)')
  expect(await background.preview?.()).toEqual({
    kind: 'command',
    command: 'rm -rf build',
    cwd: '/tmp',
    description: 'clean',
    background: { timeoutMs: null },
  })
  expect(background.rememberAs?.key).not.toBe(foreground.rememberAs?.key)
})

test('reports why a background command cannot start, without a later notification', async () => {
  const { tool, supervisor, owed } = setup()
  supervisor.start = () => Promise.reject(Object.assign(new Error('spawn'), { code: 'EAGAIN' }))
  const result = await callTool(tool, { command: 'a', description: 'x', run_in_background: true })
  expect(result).toMatchObject({
    isError: true,
    text: expect.stringMatching(/could not be started: the machine cannot start another process/),
  })
  expect(owed).toEqual([])
})

test('ends the call with the output so far when the user moves it to the background, and will notify the agent of its end', async () => {
  const { tool, owed } = setup({
    end: { text: 'half\n', task: { status: 'running', background: true }, moved: 'by_user' },
  })
  const result = await callTool(tool, { command: 'npm test' })
  expect(result.isError).toBeUndefined()
  expect(result.text).toMatch(
    /^half\nThe user moved this command to the background, where it keeps running\.\ntask_id: bash-00000001\npid: 77\nstatus: running\n/,
  )
  expect(result.details).toMatchObject({ kind: 'task', started: 'moved', text: 'half' })
  expect(owed.map(({ taskId }) => taskId)).toEqual(['bash-00000001'])
})

test('reports a limit of a few milliseconds in ms, because seconds were probably intended', async () => {
  const { tool } = setup({ end: { task: { status: 'running', background: true }, moved: 'at_time_limit' } })
  expect((await callTool(tool, { command: 'x', timeout: 5 })).text).toContain(
    'It had not ended after 5 ms and keeps running',
  )
})

test('reports a command moved to the background at its time limit instead of a failure', async () => {
  const { tool } = setup({ end: { task: { status: 'running', background: true }, moved: 'at_time_limit' } })
  const result = await callTool(tool, { command: 'npm test', timeout: 2_000 })
  expect(result.text).toMatch(
    /^It has printed no output so far\.\nIt had not ended after 2 s and keeps running in the background\.\ntask_id: /,
  )
})

test('reports that the user was asked at the terminal, but never what was typed', async () => {
  const answered = setup({ end: { text: 'done\n', task: { waited: { text: 'Password: ', typed: true } } } })
  const result = await callTool(answered.tool, { command: 'sudo true' })
  expect(result.text).toBe(
    'done\n[The command waited for input at its terminal, not on stdin: "Password:"; ' +
      'the user typed an answer there, which is not shown to you.]',
  )
  expect(answered.asked[0]).toMatchObject({ canAnswer: true })
})

test('reports how to run a command without asking when no user can type at its terminal', async () => {
  const { tool, asked } = setup({
    interactive: false,
    end: { task: { status: 'timed_out', waited: { text: "root's password:", typed: false } } },
  })
  const result = await callTool(tool, { command: 'ssh host' })
  expect(result.isError).toBe(true)
  expect(result.text).toMatch(
    /waited for input at its terminal.*No user is available to type, so it waited until it timed out: .*BatchMode=yes/,
  )
  expect(result.text).not.toContain('longer timeout')
  expect(asked[0]).toMatchObject({ canAnswer: false })
})

test('reports a command whose host died as lost, not as completed', async () => {
  const { tool } = setup({ end: { task: { status: 'lost' } } })
  expect(await callTool(tool, { command: 'make' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/Lost after/),
  })
})
