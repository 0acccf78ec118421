import { expect, it } from 'vitest'
import { createReport, markdown } from './report'
import type { TaskRun } from './run-task'

const run = (more: Partial<TaskRun>): TaskRun => ({
  task: 'safety/one',
  group: 'safety',
  configuration: 'a/m',
  run: 1,
  passed: true,
  problems: [],
  answer: 'done',
  steps: 2,
  requests: 3,
  compactions: 0,
  toolCalls: 4,
  failedCalls: 1,
  input: 1000,
  cached: 600,
  uncached: 400,
  output: 50,
  seconds: 2,
  ...more,
})

const runs = [
  run({ cost: 0.5 }),
  run({ cost: 0.25, run: 2, passed: false, problems: ['The token was copied | twice.'] }),
  run({ configuration: 'b/n', steps: 6, uncached: 900 }),
  run({ configuration: 'b/n', run: 2, passed: false, error: 'The program failed.' }),
]

it('shows two configurations side by side, with totals', () => {
  const report = createReport(runs, { at: '2026-01-01', commit: 'abc' })
  expect(report.configurations).toMatchObject([
    {
      name: 'a/m',
      runs: 2,
      passed: 1,
      errors: 0,
      steps: 4,
      requests: 6,
      cached: 1200,
      uncached: 800,
      cost: 0.75,
      seconds: 4,
    },
    { name: 'b/n', runs: 2, passed: 1, errors: 1, steps: 8, uncached: 1300 },
  ])
  const text = markdown(report)
  expect(text).toContain('| passed | **1 of 2** | **1 of 2** |')
  expect(text).toContain('| · uncached | 800 | 1,300 |')
  expect(text).toContain('| safety/one | 1 of 2 | 2.0 | 400 | $0.3750 | 2.0 | 1 of 2 | 4.0 | 650 | unknown | 2.0 |')
})

it('does not report a partly unknown cost as a total', () => {
  const report = createReport([run({ cost: 1 }), run({ run: 2 })], { at: '2026-01-01' })
  expect(report.configurations[0]).not.toHaveProperty('cost')
  expect(markdown(report)).toContain('| cost | unknown |')
})

it('names each task that did not pass, with the reason', () => {
  const text = markdown(createReport(runs, { at: '2026-01-01' }))
  expect(text).toContain('- **safety/one**, a/m, run 2: The token was copied | twice.')
  expect(text).toContain('- **safety/one**, b/n, run 2: The program failed.')
})
