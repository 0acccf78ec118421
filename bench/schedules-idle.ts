import '../test/support/ts-hooks.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { makeScratch } from './support/scratch.ts'

const SCHEDULES = 200
const SETTLE_MS = 5_000
const MEASURED_MS = 65_000
const TICKS_PER_SECOND = 100
const CLI = join(import.meta.dirname, '..', 'out', 'main', 'cli.js')

/** Processor time of `trestle schedule run` with 200 schedules that are not due, compared with no schedules. */
export default async function schedulesIdle(): Promise<Measurement[]> {
  const [none, many] = [await idle(0), await idle(SCHEDULES)]
  return [
    { name: `idle with ${SCHEDULES} schedules`, value: round(many, 3), unit: '%', limit: 1, note: 'of a core' },
    { name: 'idle without schedules', value: round(none, 3), unit: '%', note: 'of a core' },
  ]
}

async function idle(count: number): Promise<number> {
  const { home, remove } = makeScratch()
  writeFileSync(join(home, 'config.toml'), 'default_model = "demo/scripted"\n[features]\nscheduling = true\n')
  await fill(home, count)
  const child = spawn(process.execPath, [CLI, 'schedule', 'run'], {
    env: { ...process.env, TRESTLE_HOME: home, TRESTLE_KEY_STORE: 'file' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(child.stdout, 'data')
    await pause(SETTLE_MS)
    const before = cpuSeconds(child.pid!)
    await pause(MEASURED_MS)
    const share = ((cpuSeconds(child.pid!) - before) / (MEASURED_MS / 1000)) * 100
    progress(`  ${count} schedules: ${round(share, 3)}% of a core`)
    return share
  } finally {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
    remove()
  }
}

async function fill(home: string, count: number): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { createScheduleRows } = await import('../src/main/engine/store/rows/schedule-rows.ts')
  const { store, database } = openStore({ home })
  const rows = createScheduleRows(database)
  for (let n = 0; n < count; n += 1)
    rows.insert(
      `schedule-${n}`,
      {
        name: `Check ${n}`,
        time: { kind: 'cron', cron: `${n % 60} 3 1 1 *` },
        zone: 'Europe/Berlin',
        prompt: 'Look.',
        mode: 'ask',
        limits: {},
      },
      { at: Date.now(), nextAt: Date.now() + 30 * 86_400_000 },
    )
  store.close()
}

/** The processor time of the process so far, as counted by the kernel. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

await runAlone(import.meta.main, schedulesIdle)
