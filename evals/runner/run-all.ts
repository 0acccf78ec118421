import type { Configuration } from './configuration'
import { runTask, type RunWithLog } from './run-task.ts'
import type { LoadedTask } from './task'

export interface RunPlan {
  tasks: readonly LoadedTask[]
  configurations: readonly Configuration[]
  /** How often each task is run with each configuration. */
  runs: number
  /** How many run at the same time. */
  jobs: number
  /** Called as each run ends. */
  ended?(done: RunWithLog, count: number, of: number): void
}

/** Runs all requested combinations; results are in the order of tasks, configurations and runs. */
export async function runAll({ tasks, configurations, runs, jobs, ended }: RunPlan): Promise<RunWithLog[]> {
  const asked = tasks.flatMap((task) =>
    Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
      configurations.map((configuration) => ({ task, configuration, run })),
    ),
  )
  const results: RunWithLog[] = []
  let next = 0
  let count = 0
  const worker = async (): Promise<void> => {
    while (next < asked.length) {
      const at = next++
      const { task, configuration, run } = asked[at]!
      const done = await runTask(task, configuration, run)
      results[at] = done
      count += 1
      ended?.(done, count, asked.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, asked.length) }, worker))
  return results
}
