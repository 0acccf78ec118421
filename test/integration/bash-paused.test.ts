import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { spawnedShells } from '../../src/main/engine/process/spawn'
import { ShellPool } from '../../src/main/engine/task/pty/shell-pool'
import type { ShellLauncher } from '../../src/main/engine/process/shell-process'
import { terminalStarter } from '../../src/main/engine/task/pty/start-in-terminal'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { SandboxPolicy } from '../../src/main/engine/sandbox/sandbox-policy'
import type { TaskEnd } from '../../src/main/engine/task/task-supervisor'
import { foregroundResult } from '../../src/main/engine/tool/bash-result'

type Run = (command: string, timeoutMs: number, sandbox?: SandboxPolicy) => Promise<TaskEnd>

/** Commands in separate folders: tests mostly wait for a command, so they run concurrently. */
async function withTasks(launcher: ShellLauncher | undefined, test: (run: Run, dir: string) => Promise<void>) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-paused-')))
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir }
  const tasks = createTerminalTasks({
    outputDir: join(dir, 'tasks'),
    env: () => env,
    graceMs: 300,
    ...(launcher && { starter: async () => ({ starter: await terminalStarter(launcher) }) }),
  })
  try {
    await test(
      (command, timeoutMs, sandbox) =>
        tasks.run(
          { command, cwd: dir, timeoutMs, signal: new AbortController().signal, ...(sandbox && { sandbox }) },
          10_000,
        ),
      dir,
    )
  } finally {
    await tasks.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

const told = (end: TaskEnd): string => {
  const [first] = foregroundResult(end, { timeoutMs: 2_000, interactive: false, canAnswer: false }).content
  return first?.type === 'text' ? first.text : ''
}

describe.runIf(process.platform === 'linux').concurrent.each<[string, () => ShellLauncher]>([
  ['spawned by us', () => spawnedShells],
  ['started by a keeper', () => new ShellPool('/usr/bin/setsid')],
  ['started by a shell', () => new ShellPool('/usr/bin/setsid', () => undefined)],
])('in shells %s', (_name, leaders) => {
  test.each(['STOP', 'TSTP', 'TTIN'])(
    'a command that stops itself with SIG%s has not ended: its time limit ends it, and the result says so',
    (signal) =>
      withTasks(leaders(), async (run) => {
        const end = await run(`echo before; kill -${signal} $$; echo after`, 5_000)
        expect(end).toMatchObject({ text: 'before\n', task: { status: 'timed_out' } })
        expect(told(end)).toMatch(
          /The command was stopped by a signal \(SIGSTOP.*"kill -CONT -- -\d+" in another command does/,
        )
      }),
  )

  test('a resumed command keeps running, and ends with its own exit code', () =>
    withTasks(leaders(), async (run) => {
      const end = await run('(sleep 1; kill -CONT $$) & kill -STOP $$; echo after </dev/tty; exit 7', 30_000)
      expect(end).toMatchObject({ text: 'after\n', notes: [], task: { status: 'failed', exitCode: 7 } })
    }))

  test.each([145, 147, 150])('a command that exits with %d, the code of a stopped one, has ended', (code) =>
    withTasks(leaders(), async (run) => {
      expect(await run(`echo x; exit ${code}`, 30_000)).toMatchObject({
        text: 'x\n',
        notes: [],
        task: { status: 'failed', exitCode: code },
      })
      expect((await run('echo next', 30_000)).text).toBe('next\n')
    }),
  )

  test('a command that is killed while stopped is reported as killed', () =>
    withTasks(leaders(), async (run) => {
      const end = await run('(sleep 1; kill -KILL $$) & kill -STOP $$; echo after', 30_000)
      expect(end).toMatchObject({ text: '', task: { status: 'failed', exitCode: 137 } })
    }))
})

test('a command in a sandbox that stops itself has not ended', async ({ skip }) => {
  if (sandboxSupport().kind === 'none') skip()
  await withTasks(undefined, async (run, dir) => {
    const nothing = { folders: [], write: [dir], read: [], protect: [], hosts: [], sockets: [] }
    const sandbox: SandboxPolicy = {
      level: 'project',
      network: 'none',
      scope: 'p',
      root: dir,
      ...nothing,
      home: join(dir, 'h'),
      userHome: dir,
    }
    const end = await run('echo before; kill -STOP $$; echo after', 5_000, sandbox)
    expect(end).toMatchObject({ text: 'before\n', task: { status: 'timed_out' } })
    expect(told(end)).toMatch(/was stopped by a signal/)
    const again = await run('(sleep 1; kill -CONT $$) & kill -STOP $$; exit 7', 30_000, sandbox)
    expect(again).toMatchObject({ notes: [], task: { status: 'failed', exitCode: 7 } })
  })
})
