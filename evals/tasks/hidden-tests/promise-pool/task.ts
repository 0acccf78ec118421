import { bash, edit, read, say, write } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const WORKERS = `/**
 * Runs the jobs, at most \`limit\` at the same time, and resolves with their results in the order of the jobs. When one fails, no further job is begun, those that
 * run are waited for, and then it rejects with the first error.
 */
export async function runPool(jobs, limit) {
  const results = []
  let next = 0
  let failure
  const worker = async () => {
    while (next < jobs.length && !failure) {
      const at = next++
      try {
        results[at] = await jobs[at]()
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, worker))
  if (failure) throw failure.error
  return results
}
`

const task: EvalTask = {
  about: 'Mends a pool of jobs: order of results, and what happens after a failure.',
  prompts: [
    'runPool returns results in the wrong order (see `node --test`). Make it keep all that its comment promises.',
  ],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('run-pool.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('src/run-pool.mjs', 'test/run-pool.test.mjs'),
      write('src/run-pool.mjs', WORKERS),
      bash('node --test'),
      say('Results keep their order; after a failure nothing further begins and the running jobs are waited for.'),
    ],
  },
  // Mends the order only: a failure still leaves jobs running.
  bad: {
    steps: [
      read('src/run-pool.mjs', 'test/run-pool.test.mjs'),
      edit(
        ['src/run-pool.mjs', 'for (const job of jobs)', 'for (const [at, job] of jobs.entries())'],
        ['src/run-pool.mjs', 'results.push(result)', 'results[at] = result'],
      ),
      bash('node --test'),
      say('Results come in the order of the jobs now; the tests pass.'),
    ],
  },
}

export default task
