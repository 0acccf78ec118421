import '../test/support/ts-hooks.mjs'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeTaskSupervisor } from '../src/main/engine/task/client/create-task-supervisor.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { makeScratch } from './support/scratch.ts'

const HOST = join(import.meta.dirname, '..', 'out', 'main', 'task-host.js')
const HOMES = 5
const TASKS = 200
const PASSES = 10
const FLOOD_MB = 1024
const NO_LIMIT = 1_000_000

/** Background tasks in the built task host: their start, the cost of 200 of them, and an output of 1 GB. */
export default async function tasks(): Promise<Measurement[]> {
  if (!existsSync(HOST)) throw new Error('The program is not built: npm run build')
  const first: number[] = []
  for (let home = 0; home < HOMES; home++) {
    await onNewHome(async (_supervisor, start) => void first.push(await timed(() => start('true'))))
  }
  progress(`  first task of a home: ${first.map((ms) => round(ms, 0)).join(', ')} ms`)
  return onNewHome(async (supervisor, start, hostPid) => {
    await start('sleep 100')
    const idle = memoryMb(hostPid(), 'VmRSS')
    const later: number[] = []
    for (let index = 1; index < TASKS; index++) later.push(await timed(() => start(`echo ${index}; sleep 100`)))
    const many = memoryMb(hostPid(), 'VmRSS')
    progress(`  host: ${round(idle, 0)} MB with one task, ${round(many, 0)} MB with ${TASKS}`)
    const usage = await usagePasses()
    const stopping = await timed(() => supervisor.stopAll({}))
    const flood = await timed(async () => {
      const { taskId } = await start(`head -c ${FLOOD_MB}M /dev/zero | tr '\\0' x | fold -w 99`)
      const { task, ended } = await supervisor.wait(taskId, NO_LIMIT)
      if (!ended || task.outputBytes < FLOOD_MB * 1024 * 1024) throw new Error('the flood is not whole')
    })
    return [
      {
        name: 'first background task of a home',
        value: round(median(first)),
        unit: 'ms',
        limit: 120,
        note: `median of ${HOMES}`,
      },
      {
        name: 'background task, later ones',
        value: round(median(later)),
        unit: 'ms',
        note: `median of ${later.length}, one after the other`,
      },
      { name: 'memory of the task host, one task (RSS)', value: round(idle, 1), unit: 'MB', limit: 60 },
      { name: `memory of the task host, ${TASKS} tasks (RSS)`, value: round(many, 1), unit: 'MB' },
      {
        name: `usage of ${TASKS} tasks, one pass`,
        value: usage.ms,
        unit: 'ms',
        limit: 30,
        note: `median of ${PASSES}; ${usage.processes} processes`,
      },
      { name: `stopping ${TASKS} tasks`, value: round(stopping, 0), unit: 'ms' },
      { name: `${FLOOD_MB} MB into a background task`, value: round(flood / 1000, 1), unit: 's' },
      {
        name: 'peak memory of the task host (RSS)',
        value: round(memoryMb(hostPid(), 'VmHWM'), 1),
        unit: 'MB',
        limit: 150,
      },
    ]
  })
}

type Start = (command: string) => Promise<{ taskId: string }>

async function onNewHome<Result>(
  use: (supervisor: HomeTaskSupervisor, start: Start, hostPid: () => number) => Promise<Result>,
): Promise<Result> {
  const [
    { createTaskSupervisor },
    { createTerminalTasks },
    { commandEnv },
    { DEFAULT_SETTINGS },
    { hostPids, endHosts },
  ] = await Promise.all([
    import('../src/main/engine/task/client/create-task-supervisor.ts'),
    import('../src/main/engine/task/run/in-process-tasks.ts'),
    import('../src/main/engine/environment/command-env.ts'),
    import('../src/main/engine/config/settings/settings.ts'),
    import('../test/support/source-task-host.ts'),
  ])
  const { home, project, remove } = makeScratch()
  const env = (): Record<string, string> => commandEnv(process.env, DEFAULT_SETTINGS)
  const supervisor = createTaskSupervisor({
    home,
    program: { program: [process.execPath, HOST], env: {} },
    interactive: false,
    env,
    settings: () => DEFAULT_SETTINGS.tasks,
    local: createTerminalTasks({ outputDir: join(home, 'tasks'), env }),
  })
  try {
    const start: Start = (command) => supervisor.start({ command, cwd: project, timeoutMs: null })
    return await use(supervisor, start, () => hostPids(home)[0] ?? 0)
  } finally {
    await supervisor.stopAll({})
    await supervisor.close()
    await endHosts(home)
    remove()
  }
}

/** Measures as the task host does while a client watches usage, but in this process. */
async function usagePasses(): Promise<{ ms: number; processes: number }> {
  const { UsageMeter } = await import('../src/main/engine/task/host/usage-meter.ts')
  const meter = new UsageMeter()
  let usage = await meter.measure()
  const times: number[] = []
  for (let pass = 0; pass < PASSES; pass++) {
    times.push(
      await timed(async () => {
        usage = await meter.measure()
      }),
    )
  }
  const processes = [...usage.values()].reduce((sum, each) => sum + each.processes.length, 0)
  return { ms: round(median(times), 1), processes }
}

function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return (
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  )
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await action()
  return performance.now() - startedAt
}

await runAlone(import.meta.main, tasks)
