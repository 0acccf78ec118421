import '../test/support/ts-hooks.mjs'
import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SandboxPolicy } from '../src/main/engine/sandbox/sandbox-policy.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'
import { makeScratch, put, type Scratch } from './support/scratch.ts'
import { cycle } from './support/script.ts'

const RUNS = 60
const COLD_RUNS = 20
const PROCESSES = 5
const CPU_RUNS = 5
const STEPS = 50

/**
 * The overhead of a sandbox, compared with the same command without one: for `true`, alternately in one process, and
 * for 50 steps of read, `true` and grep.
 */
export default async function sandbox(): Promise<Measurement[]> {
  const { sandboxSupport } = await import('../src/main/engine/sandbox/sandbox-support.ts')
  const support = sandboxSupport()
  if (support.kind === 'none') throw new Error(`No sandbox available: ${support.reason}`)
  const scratch = makeScratch()
  try {
    return [...(await commands(scratch)), ...firsts(), ...(await callsInPrint()), ...(await fiftySteps())]
  } finally {
    scratch.remove()
  }
}

async function commands(scratch: Scratch): Promise<Measurement[]> {
  const { SLOTS } = await import('../src/main/engine/task/pty/command-group.ts')
  const { time, close } = await runner(scratch)
  const times: Record<'free' | 'warm' | 'group' | 'session', number[]> = { free: [], warm: [], group: [], session: [] }
  try {
    for (let n = 0; n < 5; n++) for (const policy of [undefined, policyOf(scratch)]) await time(policy)
    for (let n = 0; n < RUNS; n++) {
      times.free.push(await time(undefined))
      times.warm.push(await time(policyOf(scratch)))
      if (n >= COLD_RUNS) continue
      // Other files: a new sandbox in the running process list; another session: also a new process list.
      times.group.push(await time(policyOf(scratch, { protect: [`part-${n}`] })))
      times.session.push(await time(policyOf(scratch, { scope: `session-${n}` })))
    }
  } finally {
    await close()
  }
  const free = median(times.free)
  const more = (kind: 'warm' | 'group' | 'session'): number => round(median(times[kind]) - free)
  const slowest = `slowest of ${RUNS} ${round(Math.max(...times.warm))} ms; a sandbox serves ${SLOTS} commands`
  return [
    { name: 'sandbox, `true` unrestricted', value: round(free), unit: 'ms', note: `median of ${RUNS}` },
    { name: 'sandbox, warm: more than unrestricted', value: more('warm'), unit: 'ms', limit: 3, note: slowest },
    {
      name: 'sandbox, cold: more than unrestricted',
      value: more('group'),
      unit: 'ms',
      limit: 12,
      note: `a new sandbox in a session, median of ${COLD_RUNS}`,
    },
    {
      name: 'sandbox, first of a session: more than unrestricted',
      value: more('session'),
      unit: 'ms',
      limit: 60,
      note: `median of ${COLD_RUNS}`,
    },
  ]
}

/** In separate processes, so one-time detection and setup is included. */
function firsts(): Measurement[] {
  const times = Array.from({ length: PROCESSES }, () =>
    Number(
      execFileSync(process.execPath, [import.meta.filename, 'first'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    ),
  )
  return [
    {
      name: 'sandbox, first of a process: more than unrestricted',
      value: round(median(times)),
      unit: 'ms',
      limit: 60,
      note: `median of ${PROCESSES} processes`,
    },
  ]
}

async function first(): Promise<void> {
  const scratch = makeScratch()
  try {
    const { time, close } = await runner(scratch)
    await time(undefined)
    const sandboxed = await time(policyOf(scratch))
    const free = await time(undefined)
    await close()
    process.stdout.write(`${sandboxed - free}\n`)
  } finally {
    scratch.remove()
  }
}

/**
 * As users experience it: in the built program, from the events of a turn. Call 1 needs the first sandbox of the
 * session; call 3 changes the project so that call 4 needs a new one (a repository has files to protect). Both are
 * created while the model answers, if the answer takes long enough.
 */
async function callsInPrint(): Promise<Measurement[]> {
  const found: Measurement[] = []
  for (const thinkMs of [0, 300]) {
    const differences: number[][] = CALLS.map(() => [])
    for (let run = 0; run < PROCESSES; run++) {
      const [boxed, free] = [await callTimes('auto', thinkMs), await callTimes('off', thinkMs)]
      for (const [index, each] of differences.entries()) each.push(boxed[index]! - free[index]!)
    }
    const after = thinkMs === 0 ? 'a model that answers at once' : `a model that answers after ${thinkMs} ms`
    const note = `print mode, ${after}; median of the differences of ${PROCESSES} processes`
    const more = (what: string, index: number, limit: number): Measurement => ({
      name: `sandbox, ${what} after ${thinkMs} ms: more than unrestricted`,
      value: round(median(differences[index]!)),
      unit: 'ms',
      limit,
      note,
    })
    found.push(
      more('first call of a process', 0, 60),
      more('second call of a process', 1, 3),
      more('call in a changed project', 3, 12),
    )
  }
  return found
}

const CALLS = ['true', 'true', 'git init -q part', 'true']

function oneCallAtATime(n: number): { calls: { name: string; input: Record<string, unknown> }[] } | undefined {
  const command = CALLS[n]
  return command === undefined ? undefined : { calls: [{ name: 'Bash', input: { command } }] }
}

/** The time of each of CALLS in one turn, in ms. */
async function callTimes(mode: 'auto' | 'off', thinkMs: number): Promise<number[]> {
  const scratch = makeScratch()
  try {
    put(join(scratch.home, 'more.toml'), `[sandbox]\nmode = "${mode}"\n`)
    const { answer } = await printRun({ answers: oneCallAtATime, scratch, thinkMs, format: 'stream-json' })
    const times = answer.split('\n').flatMap((line) => {
      const event = line === '' ? {} : (JSON.parse(line) as { type?: string; durationMs?: number })
      return event.type === 'tool.finished' ? [event.durationMs!] : []
    })
    if (times.length !== CALLS.length) throw new Error(`${times.length} calls ran, not ${CALLS.length}`)
    return times
  } finally {
    scratch.remove()
  }
}

async function fiftySteps(): Promise<Measurement[]> {
  const [on, off]: number[][] = [[], []]
  for (let run = 0; run < CPU_RUNS; run++) {
    for (const [mode, seconds] of [
      ['auto', on!],
      ['off', off!],
    ] as const) {
      const scratch = makeScratch()
      put(join(scratch.home, 'more.toml'), `[sandbox]\nmode = "${mode}"\n`)
      seconds.push((await printRun({ answers: cycle(STEPS), scratch })).cpuSeconds)
      scratch.remove()
    }
    progress(`  run ${run + 1}: ${round(on!.at(-1)!)} s with sandboxes, ${round(off!.at(-1)!)} s without`)
  }
  const [sandboxed, free] = [median(on!), median(off!)]
  return [
    {
      name: 'sandbox, 50 steps, processor time',
      value: round(sandboxed),
      unit: 's',
      note: `process tree, median of ${CPU_RUNS}; ${round(free)} s without`,
    },
    {
      name: 'sandbox, 50 steps, more processor time than without',
      value: round((sandboxed / free - 1) * 100, 1),
      unit: '%',
      limit: 10,
    },
  ]
}

function policyOf({ home, project }: Scratch, more: Partial<SandboxPolicy> = {}): SandboxPolicy {
  const nothing = { folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
  return {
    level: 'project',
    network: 'none',
    scope: 'bench',
    root: project,
    ...nothing,
    home,
    userHome: realpathSync(homedir()),
    ...more,
  }
}

/** Runs `true` as Bash does, and returns how long that took, in ms. */
async function runner({
  home,
  project,
}: Scratch): Promise<{ time(policy: SandboxPolicy | undefined): Promise<number>; close(): Promise<void> }> {
  const { createTerminalTasks } = await import('../src/main/engine/task/run/in-process-tasks.ts')
  const { PATH = '', HOME = '' } = process.env
  const tasks = createTerminalTasks({ outputDir: join(home, 'tasks'), home, env: () => ({ PATH, HOME }) })
  return {
    async time(policy) {
      const started = performance.now()
      const { task } = await tasks.run(
        {
          command: 'true',
          cwd: project,
          timeoutMs: 60_000,
          canAnswer: false,
          signal: new AbortController().signal,
          onOutput: () => undefined,
          ...(policy && { sandbox: policy }),
        },
        1_000,
      )
      if (task.status !== 'completed') throw new Error(`true ended so: ${task.status}`)
      return performance.now() - started
    },
    close: () => tasks.close(),
  }
}

if (process.argv[2] === 'first') await first()
else await runAlone(import.meta.main, sandbox)
