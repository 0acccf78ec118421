import { closeSync, constants, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import type { SandboxPolicy } from '../../src/main/engine/sandbox/sandbox-policy'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { identityOf } from '../../src/main/engine/process/process-identity'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { TaskHost } from '../../src/main/engine/task/host/task-host'
import type { Starter } from '../../src/main/engine/task/running-process'
import type { ShellLauncher } from '../../src/main/engine/process/shell-process'
import { pipeStarter } from '../../src/main/engine/task/start-in-pipes'
import { terminalStarter } from '../../src/main/engine/task/pty/start-in-terminal'
import { newTaskId } from '../../src/main/engine/task/run/task-starter'
import type { TaskEnd, TerminalTasks } from '../../src/main/engine/task/task-supervisor'

let dir: string
const cleanups: (() => Promise<void> | void)[] = []
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-last-')))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
  rmSync(dir, { recursive: true, force: true })
})

const env = (): Record<string, string> => commandEnv(process.env, DEFAULT_SETTINGS)

function open(starter?: () => Promise<Starter>): TerminalTasks {
  const tasks = createTerminalTasks({
    outputDir: join(dir, 'tasks'),
    env,
    graceMs: 500,
    ...(starter && { starter: async () => ({ starter: await starter() }) }),
  })
  cleanups.push(() => tasks.close())
  return tasks
}

const run = (tasks: TerminalTasks, command: string, sandbox?: SandboxPolicy): Promise<TaskEnd> =>
  tasks.run(
    { command, cwd: dir, timeoutMs: 60_000, signal: new AbortController().signal, ...(sandbox && { sandbox }) },
    46_000,
  )

/** Keeps this process from doing anything else. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/**
 * A leader whose command prints and ends while this process is too busy to read its terminal, which another process
 * keeps open.
 */
function busyLeaders(printed: string): ShellLauncher {
  return {
    start: ({ path }, _env, events) => ({
      pid: Promise.resolve(undefined),
      run() {
        setImmediate(() => {
          const file = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
          cleanups.push(() => closeSync(file))
          // The first line is a process group id, and this one does not exist.
          writeSync(file, `4194304\n${printed}`)
          events.exit({ exitCode: 0 })
          stall(400)
        })
      },
      dismiss() {},
    }),
    close() {},
  }
}

test('a command that ends while Trestle is too busy to read its terminal loses no output', async () => {
  const tasks = open(() => terminalStarter(busyLeaders('first\nlast')))
  const end = await run(tasks, 'whatever')
  expect(end.text).toBe('first\nlast')
})

test('an output filter that has not finished is waited for, however slow it is', async () => {
  const tasks = open()
  // On any machine, the filter takes longer than the wait for a terminal that another process keeps open.
  const work = 'end=$((${EPOCHREALTIME/./} + 400000)); while ((${EPOCHREALTIME/./} < end)); do :; done'
  const end = await run(tasks, `echo begin; echo x > >(read -r word; ${work}; echo "filtered $word")`)
  expect(end.text).toBe('begin\nfiltered x\n')
  expect(end.leftRunning).toEqual([])
})

test('a command in a sandbox is not delayed by another one whose terminal is open there', async ({ skip }) => {
  if (sandboxSupport().kind === 'none') skip()
  const tasks = open()
  const policy = sandbox()
  const server = run(tasks, 'sleep 60; echo never', policy)
  cleanups.push(() => tasks.close().then(() => server.then(() => undefined)))
  // Each would wait at least 250 ms for the end of its terminal; on a busy machine, most take longer anyway.
  let fastest = Infinity
  for (let round = 0; round < 50 && fastest >= 240; round++)
    fastest = Math.min(fastest, (await run(tasks, 'true', policy)).durationMs)
  expect(fastest).toBeLessThan(240)
})

function sandbox(): SandboxPolicy {
  const nothing = { folders: [], write: [dir], read: [], protect: [], hosts: [], sockets: [] }
  return {
    level: 'project',
    network: 'none',
    scope: 'last-line',
    root: dir,
    ...nothing,
    home: join(dir, 'home'),
    userHome: dir,
  }
}

/** Commands that end in every way that could lose the last line; each prints `last ID`. */
const KINDS: ((id: string) => string)[] = [
  (id) => `echo first; echo last ${id}`,
  (id) => `echo first; printf 'last ${id}'`,
  (id) => `seq 2000; printf 'last ${id}'; exit 3`,
  (id) => `sleep 5 & echo last ${id}`,
  (id) => `(trap '' HUP; sleep 5) & printf 'last ${id}'`,
  (id) => `echo first | cat; printf 'last ${id}' | cat`,
  (id) => `printf 'last ${id}' > >(cat)`,
  (id) => `echo first; exec printf 'last ${id}\\n'`,
  (id) => `head -c 70000 /dev/zero | tr '\\0' x; echo; echo last ${id} >&2`,
  (id) => `printf 'last ${id}'; kill -9 $$`,
]

async function inTurns(count: number, work: (id: string, index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      await work(`line-${index}`, index)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

describe('the last line of every command is in its result', () => {
  const missing = async (count: number, result: (command: string) => Promise<string>): Promise<string[]> => {
    const lost: string[] = []
    await inTurns(count, async (id, index) => {
      const command = KINDS[index % KINDS.length]!(id)
      const text = await result(command)
      if (text.trimEnd().split('\n').at(-1) !== `last ${id}`) lost.push(`${command}: ${text.slice(-100)}`)
    })
    return lost
  }

  test('in a terminal', async () => {
    const tasks = open()
    expect(await missing(200, async (command) => (await run(tasks, command)).text)).toEqual([])
  })

  test('in pipes', async () => {
    const tasks = open(async () => pipeStarter)
    expect(await missing(100, async (command) => (await run(tasks, command)).text)).toEqual([])
  })

  test('in a sandbox', async ({ skip }) => {
    if (sandboxSupport().kind === 'none') skip()
    const tasks = open()
    const policy = sandbox()
    expect(await missing(100, async (command) => (await run(tasks, command, policy)).text)).toEqual([])
  })

  test('in the background, when its end is reported', async () => {
    const host = new TaskHost({ home: dir, identity: identityOf(process.pid), log: () => {}, graceMs: 500 })
    cleanups.push(() => host.close())
    const me = {}
    const result = async (command: string): Promise<string> => {
      const taskId = newTaskId()
      await host.start(me, { taskId, env: env(), logBytes: 1_000_000, command, cwd: dir, timeoutMs: 60_000 })
      const task = await host.wait(taskId, 60_000, new AbortController().signal)
      return readFileSync(task!.outputPath, 'utf8')
    }
    expect(await missing(100, result)).toEqual([])
  })
})
