import type { Task, TaskStatus } from '../../../shared/model/task/task'
import type { DotStatus } from '../../ui/badge'

const TASK_STATUS_LABELS: Record<TaskStatus, string> = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  timed_out: 'timed out',
  lost: 'lost',
}
const DOTS: Record<TaskStatus, DotStatus> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  stopped: 'idle',
  timed_out: 'failed',
  lost: 'interrupted',
}

/** The number of processes of a task. */
export function processCountText(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`
}

/** Whether it waits for input at its terminal. */
export function isWaitingForInput(task: Task): boolean {
  return task.status === 'running' && task.prompt !== undefined
}

/** A subagent that waits for others to finish. */
function isQueued(task: Task): boolean {
  return task.status === 'running' && task.agent?.isQueued === true
}

/** Whether the model described the command: the description then serves as the title. */
export function isNamed({
  description = '',
  command,
  agent,
}: Pick<Task, 'description' | 'command' | 'agent'>): boolean {
  return !agent && description.trim() !== '' && description !== command
}

/** The title of a task, in one line. */
export function taskTitle(task: Pick<Task, 'description' | 'command' | 'agent'>): string {
  return isNamed(task) ? `${task.description?.trim()}: ${task.command}` : task.command
}

export function statusLabel(task: Task): string {
  return isWaitingForInput(task) ? 'needs input' : isQueued(task) ? 'queued' : TASK_STATUS_LABELS[task.status]
}

export function statusDot(task: Task): DotStatus {
  return isWaitingForInput(task) ? 'waiting' : isQueued(task) ? 'idle' : DOTS[task.status]
}

/** How it ended, in a few words; empty while it runs and after success. */
export function endText(task: Task): string {
  if (task.status === 'running') return ''
  if (task.exitCode !== undefined) return `exit ${task.exitCode}`
  return task.signal ?? ''
}

/** A duration in clock format: `0:08`, `14:02`, `3:14:02`, `2 d 3 h`. */
export function formatRuntime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  const clock = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${clock}` : clock.replace(/^0/, '')
}

function two(n: number): string {
  return String(n).padStart(2, '0')
}

/** A memory size: `84 MB`, `1.2 GB`. */
export function formatMemory(bytes: number): string {
  const megabytes = bytes / 1_000_000
  if (megabytes < 1) return `${Math.max(1, Math.round(bytes / 1000))} KB`
  return megabytes < 1000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1000).toFixed(1)} GB`
}

/** Percent of one core: `0%`, `2%`, `340%`. */
export function formatPercent(cpu: number): string {
  return `${cpu > 0 && cpu < 1 ? '< 1' : Math.round(cpu)}%`
}
