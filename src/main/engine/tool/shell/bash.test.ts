import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { DEFAULT_SETTINGS } from '../../config/settings/settings'
import { commandEnv } from '../../environment/command-env'
import { createTerminalTasks } from '../../task/run/in-process-tasks'
import { memorySessionTasks } from '../../../../../test/support/memory-session-tasks'
import type { TaskEnd, TaskStart, TerminalTasks } from '../../task/task-supervisor'
import { createReadState, createWorkspace } from '../../workspace/workspace'
import { bashTool } from './bash'

type BashTool = ReturnType<typeof bashTool>

async function setup(): Promise<{ tool: BashTool; root: string }> {
  const folder = await tempFolder()
  const root = join(folder, 'project')
  mkdirSync(root)
  const tasks = createTerminalTasks({
    outputDir: join(folder, 'tasks'),
    env: () => commandEnv(process.env, DEFAULT_SETTINGS),
  })
  onTestFinished(() => tasks.close())
  return {
    tool: bashTool({
      workspace: createWorkspace({ root, addedFolders: [], reads: createReadState() }),
      terminals: tasks,
      tasks: memorySessionTasks().tasks,
    }),
    root,
  }
}

/** A tool whose commands end as specified, without being run; `asked` gets what it would have run. */
async function endingAs(
  end: Omit<Partial<TaskEnd>, 'task'> & { task?: Partial<TaskEnd['task']> },
): Promise<{ tool: BashTool; asked: TaskStart[] }> {
  const root = await tempFolder()
  const asked: TaskStart[] = []
  const tasks: TerminalTasks = {
    warm() {},
    async close() {},
    async run(start) {
      asked.push(start)
      const { command, cwd } = start
      const task = {
        taskId: 'bash-00000000',
        command,
        cwd,
        status: 'completed' as const,
        startedAt: 0,
        outputPath: '/log',
        outputBytes: 0,
        ...end.task,
      }
      return { text: '', totalChars: 0, truncated: false, durationMs: 5, leftRunning: [], notes: [], ...end, task }
    },
  }
  return {
    tool: bashTool({
      workspace: createWorkspace({ root, addedFolders: [], reads: createReadState() }),
      terminals: tasks,
      tasks: memorySessionTasks().tasks,
    }),
    asked,
  }
}

test('returns output unchanged, without its last line break', async () => {
  const { tool, root } = await setup()
  const result = await callTool(tool, { command: 'echo a; pwd' })
  expect(result).toMatchObject({
    text: `a\n${root}`,
    details: { kind: 'output', command: 'echo a; pwd', exitCode: 0, text: `a\n${root}`, truncated: false },
  })
  expect(result.isError).toBeUndefined()
})

test('reports a failure as an error with the exit code in the last line', async () => {
  const { tool } = await setup()
  expect(await callTool(tool, { command: 'echo broken >&2; exit 3' })).toMatchObject({
    isError: true,
    text: 'broken\nExit code 3',
  })
  expect((await callTool(tool, { command: 'nosuch' })).text).toMatch(/\nExit code 127 \(command not found\)$/)
  expect((await callTool(tool, { command: 'kill -SEGV $$' })).text).toMatch(/Exit code 139 \(ended by SIGSEGV\)$/)
  expect((await callTool(tool, { command: 'false' })).text).toBe('It printed no output.\nExit code 1')
})

test('reports that there is no output, so that the model does not wait for any', async () => {
  const { tool } = await setup()
  expect((await callTool(tool, { command: 'true' })).text).toBe('The command succeeded and printed no output.')
})

test('keeps the output after a timeout and suggests what to do', async () => {
  const { tool } = await setup()
  const limited = (timeout: number) => callTool(tool, { command: 'echo half; sleep 100', timeout })
  let result = await limited(200)
  // On a busy machine, it takes longer before anything is printed.
  for (const timeout of [2_000, 20_000]) if (!result.text.startsWith('half')) result = await limited(timeout)
  expect(result).toMatchObject({ isError: true })
  expect(result.text).toMatch(
    /^half\nTimed out: stopped after (?:0\.2|2|20) s, with everything it had started\. .*longer timeout \(milliseconds, at most 300000\)/,
  )
})

test('keeps the output after a stop', async () => {
  const { tool } = await setup()
  const controller = new AbortController()
  const call = await prepareCall(tool, { command: 'echo half; sleep 100' })
  const result = await call.run(callContext({ signal: controller.signal, progress: () => controller.abort() }))
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^half\nStopped by the user after/) }],
  })
})

test('cuts long output in the middle to 20 kB, with the path of the full output', async () => {
  const { tool } = await setup()
  const result = await callTool(tool, { command: 'seq 1 50000' })
  expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(20_000)
  const path = /All of it: (\S+)/.exec(result.text)?.[1] ?? ''
  expect(readFileSync(path, 'utf8').split('\n').length).toBe(50_001)
  expect(result.text).toMatch(/^1\n2\n[\s\S]*\n49999\n50000$/)
  expect(result.details).toMatchObject({ truncated: true, outputPath: path })
  expect(result.details?.kind === 'output' && result.details.text.length).toBeLessThanOrEqual(8_000)
})

test('names processes that keep running in the background', async () => {
  const { tool } = await setup()
  expect((await callTool(tool, { command: 'sleep 100 >/dev/null & echo started' })).text).toMatch(
    /^started\n\[Still running in the background: \d+ \(sleep 100\)\]$/,
  )
})

test('reports where and what when it is prepared, and runs nothing', async () => {
  const { tool, root } = await setup()
  mkdirSync(join(root, 'sub'))
  const call = await prepareCall(tool, { command: '\n# setup\n  npm ci\nnpm test', cwd: 'sub', description: 'test it' })
  expect(call.summary).toBe('npm ci …')
  expect(call.accesses).toEqual([{ kind: 'command', command: '\n# setup\n  npm ci\nnpm test', cwd: join(root, 'sub') }])
  expect(await call.preview?.()).toEqual({
    kind: 'command',
    command: '\n# setup\n  npm ci\nnpm test',
    cwd: join(root, 'sub'),
    description: 'test it',
  })
  expect(call.rememberAs).toEqual({
    key: `bash:${join(root, 'sub')}\n\n# setup\n  npm ci\nnpm test`,
    label: 'Allow exactly this command for this session',
  })
})

test('resolves a link to the folder of a command, so that policies see its target', async () => {
  const { tool, root } = await setup()
  const outside = await tempFolder()
  symlinkSync(outside, join(root, 'link'))
  expect((await prepareCall(tool, { command: 'ls', cwd: 'link' })).accesses).toEqual([
    { kind: 'command', command: 'ls', cwd: outside },
  ])
})

test('refuses what cannot be run, with advice, before the user is asked', async () => {
  const { tool, root } = await setup()
  writeFileSync(join(root, 'file'), '')
  const refusal = async (input: { command: string; cwd?: string }): Promise<string> =>
    (await callTool(tool, input)).text
  expect(await refusal({ command: 'ls', cwd: 'gone' })).toMatch(/gone does not exist.*Glob/)
  expect(await refusal({ command: 'ls', cwd: 'file' })).toMatch(/file is a file/)
  expect(await refusal({ command: ' \n ' })).toBe('The command is empty.')
  expect(await refusal({ command: 'echo \0' })).toMatch(/NUL/)
  expect(await refusal({ command: `echo ${'x'.repeat(140_000)}` })).toMatch(/longer than 128 KB/)
})

test('returns a failed result, not an exception, when the folder was deleted between approval and start', async () => {
  const { tool, root } = await setup()
  mkdirSync(join(root, 'sub'))
  const call = await prepareCall(tool, { command: 'ls', cwd: 'sub' })
  rmSync(join(root, 'sub'), { recursive: true })
  const result = await call.run(callContext())
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/could not be started: the folder .*sub no longer exists/) }],
  })
})

test('rejects unknown fields and odd timeouts', () => {
  const { input } = bashTool({
    workspace: createWorkspace({ root: '/', addedFolders: [], reads: createReadState() }),
    terminals: {} as TerminalTasks,
    tasks: memorySessionTasks().tasks,
  })
  expect(input().safeParse({ command: 'ls', background: true }).success).toBe(false)
  expect(input().safeParse({ command: 'ls', timeout: 0 }).success).toBe(false)
  expect(input().safeParse({ command: 'ls', timeout: 1.5 }).success).toBe(false)
  expect(input().safeParse({ command: '' }).success).toBe(false)
})

test('uses a timeout of 120 s by default, and never more than 5 min', async () => {
  const { tool, asked } = await endingAs({})
  await callTool(tool, { command: 'a' })
  await callTool(tool, { command: 'b', timeout: 5_000 })
  await callTool(tool, { command: 'c', timeout: 9_000_000 })
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000, 5_000, 300_000])
})

test('reports a long duration, but not a short one', async () => {
  expect((await callTool((await endingAs({ text: 'x\n', durationMs: 12_345 })).tool, { command: 'a' })).text).toBe(
    'x\n[Took 12 s]',
  )
  expect((await callTool((await endingAs({ text: 'x\n', durationMs: 900 })).tool, { command: 'a' })).text).toBe('x')
  const failed = await endingAs({ text: 'x', durationMs: 61_000, task: { status: 'failed', exitCode: 1 } })
  expect((await callTool(failed.tool, { command: 'a' })).text).toBe('x\nExit code 1 (after 61 s)')
})

test('passes notes and a signal on to the model', async () => {
  const { tool } = await endingAs({ text: 'x', notes: ['No terminal.'], task: { status: 'failed', signal: 'SIGKILL' } })
  expect((await callTool(tool, { command: 'a' })).text).toBe('x\n[No terminal.]\nEnded by SIGKILL.')
})
