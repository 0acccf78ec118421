import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as immediately } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { spawnedShells } from '../../src/main/engine/process/spawn'
import { ShellPool } from '../../src/main/engine/task/pty/shell-pool'
import type { ShellLauncher } from '../../src/main/engine/process/shell-process'
import { terminalStarter } from '../../src/main/engine/task/pty/start-in-terminal'
import type { TaskEnd, TerminalTasks } from '../../src/main/engine/task/task-supervisor'
import { runTs } from '../support/run-ts'
import { isRunning } from '../support/source-task-host'
import { until } from '../support/until'

let dir: string
let tasks: TerminalTasks
let env: Record<string, string>
const open = (leaders: () => ShellLauncher): TerminalTasks =>
  createTerminalTasks({
    outputDir: join(dir, 'tasks'),
    env: () => env,
    starter: async () => ({ starter: await terminalStarter(leaders()) }),
    graceMs: 500,
  })
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-leaders-')))
  env = { PATH: process.env['PATH'] ?? '', HOME: dir }
})
afterEach(async () => {
  await tasks.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = (command: string, timeoutMs = 20_000, cwd = dir): Promise<TaskEnd> =>
  tasks.run({ command, cwd, timeoutMs, signal: new AbortController().signal }, 10_000)

interface Listed {
  pid: number
  parent: number
  args: string
}

function processes(): Listed[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, parent, , ...args]) => ({ pid: Number(pid), parent: Number(parent), args: args.join(' ') }))
}

const childrenOf = (parent: number, all: readonly Listed[]): Listed[] => all.filter((each) => each.parent === parent)

/** The waiting shells of this process. */
function shells(host = process.pid, all = processes()): number[] {
  return childrenOf(host, all)
    .filter(({ args }) => args === '/bin/sh -s' || args.startsWith('/usr/bin/perl -e # Trestle: starts commands'))
    .map(({ pid }) => pid)
}

/** The idle leaders below them. */
function waitingLeaders(host = process.pid): number[] {
  const all = processes()
  return shells(host, all)
    .flatMap((shell) => childrenOf(shell, all))
    .filter(({ pid, args }) => args.startsWith('/bin/sh -c exec 4<&0') && childrenOf(pid, all).length === 0)
    .map(({ pid }) => pid)
}

/** Our open files that are terminals of commands. */
function openTerminals(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /ptmx|\/pts\//.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length
}

describe.each([
  ['spawned by us', () => spawnedShells],
  ['started by the pool', () => new ShellPool('/usr/bin/setsid')],
  ['started by the pool where there is no Perl', () => new ShellPool('/usr/bin/setsid', () => undefined)],
])('shells %s', (_name, leaders) => {
  beforeEach(() => {
    tasks = open(leaders)
  })

  test('give a command its terminal, task tag, folder, exit code and default signal handling', async () => {
    const end = await run(
      'tty </dev/tty; pwd; echo "$TRESTLE_TASK ${OLDPWD-none}"; ' +
        'grep SigIgn /proc/self/status; stty -a </dev/tty | grep -o -e -opost; exit 5',
    )
    expect(end.task).toMatchObject({ status: 'failed', exitCode: 5 })
    expect(end.text).toBe(`/dev/tty\n${dir}\n${end.task.taskId} none\nSigIgn:\t0000000000000000\n-opost\n`)
  })

  test('preserve every character of command and folder', async () => {
    expect((await run(`printf '%s' "a'b\\"c\`echo d\`$(echo e)" '\n#\t\\'`)).text).toBe(`a'b"cde\n#\t\\`)
    expect((await run(`printf ${'x'.repeat(100_000)} | wc -c`)).text.trim()).toBe('100000')
    const odd = join(dir, `line 1\n'line' "2" $x \\`)
    mkdirSync(odd)
    expect((await run('pwd', 20_000, odd)).text).toBe(`${odd}\n`)
  })

  test("hide their own variables from the command, whatever the user's variables are called", async () => {
    env = { ...env, n: '1', p: '2', x: '3', L: '4', order: '5' }
    expect((await run('echo "$n $p $x $L $order"; env | grep -ci trestle_')).text).toBe('1 2 3 4 5\n1\n')
  })

  test('report a folder that is missing or not a folder', async () => {
    await expect(run('true', 1_000, join(dir, "no such 'folder'"))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(run('true', 1_000, '/dev/null')).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect((await run('echo still here')).text).toBe('still here\n')
  })

  test('tag the command in its initial environment, where a search looks for it', async () => {
    const end = await run("tr '\\0' '\\n' </proc/$$/environ | grep TRESTLE_TASK")
    expect(end.text).toBe(`TRESTLE_TASK=${end.task.taskId}\n`)
  })

  test('that are killed end their command as failed, and the next command runs', async () => {
    const end = await run('kill -9 $PPID; sleep 100')
    expect(end.task.status).toBe('failed')
    // Far below the 100 s of the command.
    expect(end.durationMs).toBeLessThan(30_000)
    expect((await run('echo next')).text).toBe('next\n')
  })

  test('end at the time limit, whichever signals the command ignores', async () => {
    const end = await run(`trap '' TERM HUP INT; echo $$; while :; do sleep 100; done`, 200)
    expect(end.task.status).toBe('timed_out')
    expect(end.durationMs).toBeLessThan(30_000)
  })
})

describe.each([
  ['the pool', () => new ShellPool('/usr/bin/setsid')],
  ['the pool where there is no Perl', () => new ShellPool('/usr/bin/setsid', () => undefined)],
])('%s', (_name, pool) => {
  beforeEach(async () => {
    await until(() => shells().length === 0, 'the shells of the tests before to end')
    tasks = open(pool)
  })

  test('reuses one shell, keeps few of many, and releases all on close', async () => {
    for (let round = 0; round < 5; round++) await run('true')
    expect(shells().length).toBe(1)
    await Promise.all(Array.from({ length: 12 }, (_, index) => run(`exit ${index}`)))
    await vi.waitFor(() => expect(shells().length).toBeLessThanOrEqual(4), { timeout: 60_000 })
    await tasks.close()
    await vi.waitFor(() => expect(shells()).toEqual([]), { timeout: 60_000 })
  })

  test('passes commands a changed environment, without removed variables', async () => {
    env = { ...env, A: '1', B: '2' }
    expect((await run('echo "${A-} ${B-}"')).text).toBe('1 2\n')
    const { B: _gone, ...rest } = env
    env = { ...rest, A: '3' }
    expect((await run('echo "${A-} ${B-}"')).text).toBe('3 \n')
  })

  test('survives a command that kills the shell above it', async () => {
    const end = await run('kill -9 $(ps -o ppid= -p $PPID); sleep 0.2; echo went on')
    expect(end.text).toBe('went on\n')
    expect(end.task.status).toBe('failed')
    expect((await run('echo next')).text).toBe('next\n')
  })

  test('replaces a killed idle shell without the command noticing', async () => {
    await run('true')
    for (const idle of shells()) process.kill(idle, 'SIGKILL')
    // Before our side can have noticed, and afterwards.
    expect((await run('echo next')).text).toBe('next\n')
    expect((await run('echo last')).text).toBe('last\n')
  })
})

describe('a shell prepared before its command is known', () => {
  beforeEach(async () => {
    await until(() => shells().length === 0, 'the shells of the tests before to end')
    tasks = open(() => new ShellPool('/usr/bin/setsid'))
  })

  const ready = async (): Promise<number> => {
    tasks.warm()
    await until(() => waitingLeaders().length === 1, 'a leader to be ready')
    return waitingLeaders()[0]!
  }

  test('runs it whether or not it is ready yet, and the next command gets another shell', async () => {
    const pid = await ready()
    tasks.warm()
    await immediately()
    expect((await run('echo $PPID')).text).toBe(`${pid}\n`)
    expect(waitingLeaders()).toEqual([])
    for (let round = 0; round < 10; round++) {
      tasks.warm()
      await immediately()
      expect((await run(`echo ${round}`)).text).toBe(`${round}\n`)
    }
    expect(waitingLeaders()).toEqual([])
  })

  test('is not used when its environment is out of date', async () => {
    env = { ...env, SECRET: 'seen' }
    await ready()
    const { SECRET: _gone, ...rest } = env
    env = rest
    expect((await run('echo "${SECRET-nothing}"')).text).toBe('nothing\n')
    await until(() => waitingLeaders().length === 0, 'the wrong leader to go')
  })

  test('is replaced when another process killed it', async () => {
    process.kill(await ready(), 'SIGKILL')
    await until(() => openTerminals() === 0, 'its terminal to be closed')
    expect((await run('echo next')).text).toBe('next\n')
  })

  test('ends on close, and leaves no terminal open', async () => {
    await ready()
    tasks.warm()
    await tasks.close()
    await vi.waitFor(() => expect([...waitingLeaders(), ...shells()]).toEqual([]), { timeout: 60_000 })
    await vi.waitFor(() => expect(openTerminals()).toBe(0), { timeout: 60_000 })
  })

  test('ends on close even if it was not ready yet', async () => {
    tasks.warm()
    await immediately()
    await tasks.close()
    await vi.waitFor(() => expect([...waitingLeaders(), ...shells()]).toEqual([]), { timeout: 60_000 })
    await vi.waitFor(() => expect(openTerminals()).toBe(0), { timeout: 60_000 })
  })

  test('ends with a killed host', async () => {
    const host = runTs('./task-host.ts', [join(dir, 'host'), 'echo started; sleep 100'])
    await host.line('0: started')
    await until(() => waitingLeaders(host.child.pid).length === 1, 'a leader of the host to be ready')
    const [pid] = waitingLeaders(host.child.pid)
    await host.kill()
    await expect.poll(() => isRunning(pid!), { timeout: 60_000, interval: 5 }).toBe(false)
  })
})
