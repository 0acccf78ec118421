import { describe, expect, it } from 'vitest'
import type { Task } from '../../../shared/model/task/task'
import { taskOrder, type TaskFilter } from './task-order'

const ALL: TaskFilter = { show: 'all', folder: '', sessionId: '', search: '', sort: 'newest' }
const list: Task[] = [
  { taskId: 'build', command: 'npm run build', status: 'completed', startedAt: 4, folder: '/a', sessionId: 's1' },
  { taskId: 'dev', command: 'npm run dev', status: 'running', startedAt: 1, folder: '/a', sessionId: 's1' },
  {
    taskId: 'sudo',
    command: 'sudo ls',
    status: 'running',
    startedAt: 0,
    folder: '/b',
    sessionId: 's2',
    prompt: { text: 'Password:', since: 1 },
  },
  { taskId: 'watch', command: 'tsc -w', status: 'running', startedAt: 2, folder: '/b', sessionId: 's2' },
  {
    taskId: 'call',
    command: 'ls',
    status: 'completed',
    startedAt: 9,
    folder: '/b',
    sessionId: 's2',
    background: false,
  },
].map((task) => ({ cwd: '/', outputPath: '/o', outputBytes: 0, ...task }) as Task)
const tasks = new Map(list.map((task) => [task.taskId, task]))
const usage = new Map([['dev', { taskId: 'dev', cpu: 80, memoryBytes: 5, processes: [], ports: [] }]])
const order = (filter: Partial<TaskFilter>) =>
  taskOrder({ tasks, usage, titles: (id) => (id === 's2' ? 'Deploy it' : '') }, { ...ALL, ...filter })

describe('the order of tasks', () => {
  it('lists waiting tasks first, then running ones, and omits ended foreground commands', () => {
    expect(order({})).toEqual(['sudo', 'watch', 'dev', 'build'])
  })

  it('filters by status, project and session', () => {
    expect(order({ show: 'ended' })).toEqual(['build'])
    expect(order({ show: 'running', folder: '/b' })).toEqual(['sudo', 'watch'])
    expect(order({ sessionId: 's1' })).toEqual(['dev', 'build'])
  })

  it('finds words of the command and of the session, in any order', () => {
    expect(order({ search: 'RUN npm' })).toEqual(['dev', 'build'])
    expect(order({ search: 'deploy tsc' })).toEqual(['watch'])
    expect(order({ search: 'nothing' })).toEqual([])
  })

  it('sorts running tasks by their resource usage', () => {
    expect(order({ sort: 'cpu' })).toEqual(['sudo', 'dev', 'watch', 'build'])
  })
})
