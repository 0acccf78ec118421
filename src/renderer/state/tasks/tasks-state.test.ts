import { describe, expect, it } from 'vitest'
import type { Task } from '../../../shared/model/task/task'
import { callKey, NO_TASKS, withTaskList, withTasks } from './tasks-state'

const task = (taskId: string, more: Partial<Task> = {}): Task => ({
  taskId,
  command: `run ${taskId}`,
  cwd: '/p',
  status: 'running',
  startedAt: 1,
  outputPath: `/o/${taskId}`,
  outputBytes: 0,
  ...more,
})

describe('tasks of the window', () => {
  it('prefers changes received while the list was loading over the older list', () => {
    const changed = withTasks(NO_TASKS, [task('a', { status: 'completed' }), task('new')], ['gone'])
    const state = withTaskList(changed, [task('a'), task('b'), task('gone')], new Set(['a', 'new', 'gone']))
    expect([...state.tasks.values()].map(({ taskId, status }) => `${taskId} ${status}`)).toEqual([
      'a completed',
      'new running',
      'b running',
    ])
    expect(state.loaded).toBe(true)
  })

  it('removes tasks that a new list does not contain', () => {
    const before = withTasks(NO_TASKS, [task('old', { sessionId: 's', callId: 'c' })], [])
    const state = withTaskList(before, [task('b')], new Set())
    expect([...state.tasks.keys()]).toEqual(['b'])
    expect(state.byCall.size).toBe(0)
  })

  it('finds the task of a call, even if the call was named only later', () => {
    const state = withTasks(withTasks(NO_TASKS, [task('a')], []), [task('a', { sessionId: 's', callId: 'c' })], [])
    expect(state.byCall.get(callKey('s', 'c'))).toBe('a')
  })

  it('keeps the list of waiting tasks when another task prints', () => {
    const asks = task('asks', { prompt: { text: 'Password:', since: 5 } })
    const first = withTasks(NO_TASKS, [asks, task('b')], [])
    const second = withTasks(first, [task('b', { lastLine: 'more' }), { ...asks, outputBytes: 9 }], [])
    expect(second.waiting).toBe(first.waiting)
    expect(withTasks(second, [{ ...asks, status: 'completed' }], []).waiting).toEqual([])
    expect(second.running).toBe(2)
  })

  it('is bounded, and never drops a running task', () => {
    const many = Array.from({ length: 4000 }, (_, n) =>
      task(`t${n}`, { startedAt: n, status: n < 10 ? 'running' : 'completed' }),
    )
    const { tasks, running } = withTasks(NO_TASKS, many, [])
    expect(tasks.size).toBe(3000)
    expect(running).toBe(10)
    expect(tasks.has('t10')).toBe(false)
    expect(tasks.has('t3999')).toBe(true)
  })
})
