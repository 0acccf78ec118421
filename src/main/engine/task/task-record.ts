import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Task } from '../../../shared/model/task/task'
import { identityOf, isAlive, type ProcessIdentity } from '../process/process-identity'
import { newestPathOf, outputSize } from './output/log-files'
import { renameOverSync } from '../workspace/file/atomic-write'
import { heartbeatFile } from '../process/process-tag'

/** A background task on disk: `tasks/<taskId>/task.json`, next to its output. Readable without the host. */
export interface TaskRecord {
  version: 1
  task: Task
  /** The process that supervises it. */
  host: ProcessIdentity
}

/** Maximum number of logs of foreground commands. */
const MAX_LOGS = 2_000
const FILE = 'task.json'
const TASK_ID = /^[a-z]+-[0-9a-z]{8}$/

export function taskFolder(home: string, taskId: string): string {
  return join(home, 'tasks', taskId)
}

/** The output of a command that started in the foreground. */
export function foregroundLog(home: string, taskId: string): string {
  return join(home, 'tasks', `${taskId}.log`)
}

/** Replaces the file atomically: a reader sees the old record or the new one. */
export function writeRecord(home: string, record: TaskRecord): void {
  const folder = taskFolder(home, record.task.taskId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeFileSync(temporary, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 })
    renameOverSync(temporary, join(folder, FILE))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Undefined if the record is missing or invalid. */
export async function readRecord(home: string, taskId: string): Promise<TaskRecord | undefined> {
  if (!TASK_ID.test(taskId)) return undefined
  try {
    const found: unknown = JSON.parse(await readFile(join(taskFolder(home, taskId), FILE), 'utf8'))
    return isRecord(found) && found.task.taskId === taskId ? found : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is TaskRecord {
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return false
  if (!('task' in value) || !('host' in value) || typeof value.host !== 'object' || typeof value.task !== 'object')
    return false
  return value.task !== null && 'taskId' in value.task && 'status' in value.task && 'startedAt' in value.task
}

/** The ids of all tasks below `tasks/`, with a record or not. */
export async function taskIds(home: string): Promise<string[]> {
  return (await readdir(join(home, 'tasks')).catch(() => [])).filter((name) => TASK_ID.test(name))
}

/**
 * Whether its host lives. A host on another machine that shares the home counts as alive while it touches its heartbeat
 * file.
 */
export async function isHostAlive(home: string, { host }: TaskRecord): Promise<boolean> {
  const heartbeat = await stat(heartbeatFile(home, host)).catch(() => undefined)
  return isAlive(host, Date.now() - (heartbeat?.mtimeMs ?? 0), identityOf(process.pid))
}

/** Marks a task as lost because its host died; its output stays unchanged. */
export async function markLost(home: string, record: TaskRecord): Promise<Task> {
  const task: Task = {
    ...record.task,
    status: 'lost',
    endedAt: Date.now(),
    outputBytes: await outputSize(record.task.outputPath),
    stopReason: 'The task host that ran it has exited.',
  }
  delete task.prompt
  try {
    writeRecord(home, { ...record, task })
  } catch {
    // The disk is full: the next reader marks it again.
  }
  return task
}

/**
 * Removes ended tasks and logs of commands that are older than `keepDays`, and the oldest beyond `keepTasks`. Returns
 * the removed task ids.
 */
export async function removeOld(
  home: string,
  keep: { keepDays: number; keepTasks: number },
  now = Date.now(),
): Promise<string[]> {
  const oldest = now - keep.keepDays * 24 * 3_600_000
  const ended: { taskId: string; endedAt: number }[] = []
  for (const taskId of await taskIds(home)) {
    const record = await readRecord(home, taskId)
    if (record?.task.status === 'running') continue
    const touched = (await stat(join(taskFolder(home, taskId))).catch(() => undefined))?.mtimeMs ?? now
    ended.push({ taskId, endedAt: record?.task.endedAt ?? touched })
  }
  ended.sort((a, b) => b.endedAt - a.endedAt)
  const removed = ended
    .filter(({ endedAt }, index) => endedAt < oldest || index >= keep.keepTasks)
    .map(({ taskId }) => taskId)
  for (const taskId of removed) {
    await rm(taskFolder(home, taskId), { recursive: true, force: true })
    for (const path of [foregroundLog(home, taskId), newestPathOf(foregroundLog(home, taskId))])
      await rm(path, { force: true })
  }
  await removeOldLogs(home, oldest)
  return removed
}

/** Removes logs of foreground commands, by age and number. */
async function removeOldLogs(home: string, oldest: number): Promise<void> {
  const folder = join(home, 'tasks')
  const logs: { path: string; touched: number }[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const touched = name.endsWith('.log') ? (await stat(path).catch(() => undefined))?.mtimeMs : undefined
    if (touched !== undefined) logs.push({ path, touched })
  }
  logs.sort((a, b) => b.touched - a.touched)
  for (const { path } of logs.filter(({ touched }, index) => touched < oldest || index >= MAX_LOGS))
    await rm(path, { force: true })
}
