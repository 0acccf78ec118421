import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { scripted } from '../../evals/runner/configuration'
import { loadTasks } from '../../evals/runner/load-tasks'
import { runAll } from '../../evals/runner/run-all'
import type { TaskRun } from '../../evals/runner/run-task'
import { GROUPS, type LoadedTask } from '../../evals/runner/task'
import { sampled } from '../support/sampled'

let folder: string
let tasks: LoadedTask[]
let results: TaskRun[]

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'evals-'))
  vi.stubEnv('TMPDIR', folder)
  tasks = await loadTasks()
  const plan = { runs: 1, jobs: 2 }
  // 8 and 6 of the 30, with at least one of each group, and the one with a denied call.
  const good = await runAll({ ...plan, tasks: sampled(tasks, 4), configurations: [scripted('good')] })
  const bad = await runAll({ ...plan, tasks: sampled(tasks, 5), configurations: [scripted('bad')] })
  results = [...good, ...bad].map(({ result }) => result)
}, 900_000)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const of = (configuration: string): TaskRun[] => results.filter((result) => result.configuration === configuration)
/** Details to read if a test fails. */
const told = (some: readonly TaskRun[]): string[] =>
  some.map(({ task, error, problems }) => `${task}: ${error ?? problems.join(' ')}`)

describe('the evals, played by a scripted model against the built program', () => {
  it('have 30 tasks or more, five or more in each group', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(30)
    expect(GROUPS.filter((group) => tasks.filter((task) => task.group === group).length < 5)).toEqual([])
    expect(new Set(of('good').map(({ group }) => group))).toEqual(new Set(GROUPS))
    expect(new Set(of('bad').map(({ group }) => group))).toEqual(new Set(GROUPS))
  })

  it('each good solution passes', () => {
    expect(told(of('good').filter(({ passed }) => !passed))).toEqual([])
  })

  it('each bad solution is judged and fails its check', () => {
    expect(told(of('bad').filter(({ passed, error }) => passed || error !== undefined))).toEqual([])
    expect(of('bad').every(({ problems }) => problems.length > 0)).toBe(true)
  })

  it('no call of a good solution fails, except the one that a rule denies', () => {
    const failing = of('good').filter(({ failedCalls }) => failedCalls > 0)
    expect(failing.map(({ task, failedCalls }) => `${task} ${failedCalls}`)).toEqual(['safety/denied-call 1'])
  })

  it('long sessions are compacted along the way', () => {
    const sessions = of('good').filter(({ group }) => group === 'long-sessions')
    expect(sessions.filter(({ compactions }) => compactions === 0).map(({ task }) => task)).toEqual([])
  })

  it('leave no folder behind', () => {
    expect(readdirSync(folder)).toEqual([])
  })
})
