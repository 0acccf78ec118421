import '../test/support/ts-hooks.mjs'
import { realpathSync } from 'node:fs'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { makeScratch } from './support/scratch.ts'

const RUNS = 5
const USUAL = [
  'ls -la',
  'git status && git log --oneline -5',
  'npm test',
  'cat package.json | head -20',
  'grep -rn foo src | wc -l',
  'cp a b && rm a',
]

/** The time to judge a command: everyday ones, and adversarial lines of ten thousand characters. */
export default async function permissionEvaluation(): Promise<Measurement[]> {
  const { checkCommand } = await import('../src/main/engine/approval/check-command.ts')
  const { longCommands } = await import('../test/support/long-commands.ts')
  const scratch = makeScratch()
  try {
    const around = { cwd: realpathSync(scratch.project), home: scratch.home, mode: 'auto', rules: [] } as const
    const timeOf = async (command: string): Promise<{ clock: number; processor: number }> => {
      const [started, used] = [performance.now(), process.threadCpuUsage()]
      await checkCommand(command, around)
      const { user, system } = process.threadCpuUsage(used)
      return { clock: performance.now() - started, processor: (user + system) / 1000 }
    }
    for (const command of [...USUAL, 'cat $x']) await timeOf(command)
    const usual: number[] = []
    for (let run = 0; run < RUNS * 10; run += 1) for (const command of USUAL) usual.push((await timeOf(command)).clock)
    let [worst, name, processor] = [0, '', 0]
    for (const [each, command] of Object.entries(longCommands())) {
      const times: Awaited<ReturnType<typeof timeOf>>[] = []
      for (let run = 0; run < RUNS; run += 1) times.push(await timeOf(command))
      const clock = median(times.map((time) => time.clock))
      processor = Math.max(processor, median(times.map((time) => time.processor)))
      if (clock > worst) [worst, name] = [clock, each]
    }
    progress(`  the slowest: ${name}`)
    return [
      { name: 'permission evaluation, everyday commands: median', value: round(median(usual)), unit: 'ms' },
      {
        name: 'permission evaluation, the slowest of the hard lines of 10 kB',
        value: round(worst),
        unit: 'ms',
        limit: 50,
        note: name,
      },
      {
        name: 'permission evaluation, the same, processor time',
        value: round(processor),
        unit: 'ms',
        limit: 50,
        note: 'says something on a busy machine too',
      },
    ]
  } finally {
    scratch.remove()
  }
}

await runAlone(import.meta.main, permissionEvaluation)
