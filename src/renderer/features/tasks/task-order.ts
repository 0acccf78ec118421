import { create } from 'zustand'
import { projectFolder } from '../../../shared/model/project/scratch-folder'
import type { Task, TaskUsage } from '../../../shared/model/task/task'
import { isListed } from '../../state/tasks/tasks-state'
import { isWaitingForInput } from './task-text'

export const SHOWN = ['running', 'ended', 'all'] as const
export type TaskStateFilter = (typeof SHOWN)[number]

export const SORTS = ['newest', 'oldest', 'cpu', 'memory', 'command'] as const
export type Sort = (typeof SORTS)[number]

export interface TaskFilter {
  show: TaskStateFilter
  /** Real path of a project; empty: all projects. */
  folder: string
  /** Empty: all sessions. */
  sessionId: string
  search: string
  sort: Sort
}

export interface OrderInput {
  tasks: ReadonlyMap<string, Task>
  usage: ReadonlyMap<string, TaskUsage>
  titles: (sessionId: string) => string
}

/** IDs of the tasks to show: waiting for input first, then running, then ended; each in the chosen order. Pure. */
export function taskOrder({ tasks, usage, titles }: OrderInput, filter: TaskFilter): string[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = [...tasks.values()].filter((task) => {
    if (!isListed(task)) return false
    const runs = task.status === 'running'
    if (filter.show === 'running' ? !runs : filter.show === 'ended' && runs) return false
    if (filter.folder !== '' && projectFolder(task.folder ?? '') !== filter.folder) return false
    if (filter.sessionId !== '' && task.sessionId !== filter.sessionId) return false
    if (words.length === 0) return true
    const { command, description = '', cwd, taskId, sessionId = '' } = task
    const text = `${command} ${description} ${cwd} ${taskId} ${titles(sessionId)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const compare = comparison(filter.sort, usage)
  return shown
    .sort((a, b) => rank(a) - rank(b) || compare(a, b) || b.startedAt - a.startedAt)
    .map(({ taskId }) => taskId)
}

function rank(task: Task): number {
  if (isWaitingForInput(task)) return 0
  return task.status === 'running' ? 1 : 2
}

function comparison(sort: Sort, usage: ReadonlyMap<string, TaskUsage>): (a: Task, b: Task) => number {
  switch (sort) {
    case 'newest':
      return (a, b) => b.startedAt - a.startedAt
    case 'oldest':
      return (a, b) => a.startedAt - b.startedAt
    case 'cpu':
      return (a, b) => (usage.get(b.taskId)?.cpu ?? 0) - (usage.get(a.taskId)?.cpu ?? 0)
    case 'memory':
      return (a, b) => (usage.get(b.taskId)?.memoryBytes ?? 0) - (usage.get(a.taskId)?.memoryBytes ?? 0)
    default:
      return (a, b) => a.command.localeCompare(b.command)
  }
}

/** The filters of the task page, until the window is closed. */
export const useTaskFilter = create<TaskFilter>()(() => ({
  show: 'all',
  folder: '',
  sessionId: '',
  search: '',
  sort: 'newest',
}))
