import { z } from 'zod'
import type { InboxEntry } from '../../../../shared/model/approval/approval'
import { placeFolder, splitPlaceFolder } from '../../../../shared/model/place/place-folder'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { Task, TaskUsage } from '../../../../shared/model/task/task'
import { plainLine } from './plain-text'

/** Maximum number of sessions, requests and tasks that one place can add to the lists. */
export const LIST_LIMITS = { sessions: 10_000, inbox: 500, tasks: 2000 } as const

const id = z.string().regex(/^[\w.:-]{1,100}$/)
const line = (max: number) => z.string().transform((text) => plainLine(text, max))
const path = z
  .string()
  .max(4096)
  .transform((text) => plainLine(text, 4096))
const time = z.number().min(0).max(8.64e15)

const summary = z.object({
  sessionId: id,
  folder: path,
  title: line(300),
  status: z.enum(['idle', 'running', 'waiting', 'failed', 'done', 'interrupted']),
  waiting: z.int().min(0).max(1_000_000),
  updatedAt: time,
  archived: z.boolean(),
  model: line(300).optional(),
})

const inboxEntry = z.object({
  sessionId: id,
  sessionTitle: line(300),
  folder: path,
  approvalId: id,
  tool: line(200),
  summary: line(2000),
  reason: line(2000),
  options: z
    .array(
      z.object({
        optionId: z.string().max(200),
        kind: z.enum(['allow_once', 'allow_always', 'reject_once']),
        name: line(500),
        sandbox: z.string().max(50).optional(),
        network: z.string().max(50).optional(),
      }),
    )
    .max(50),
  asks: z.enum(['plan', 'questions', 'form', 'link', 'sampling', 'sandbox', 'budget']).optional(),
  dangerous: z.literal(true).optional(),
  requestedAt: time,
  group: z.string().max(2000),
  agent: z.object({ type: line(200), description: line(500), rootId: id }).optional(),
})

const task = z.looseObject({
  taskId: id,
  command: line(10_000),
  description: line(1000).optional(),
  cwd: path,
  status: z.enum(['running', 'completed', 'failed', 'stopped', 'timed_out', 'lost']),
  sessionId: id.optional(),
  folder: path.optional(),
  outputPath: z.string().max(4096),
  newestPath: z.string().max(4096).optional(),
  outputBytes: z.number().min(0),
  lastLine: line(300).optional(),
  startedAt: time,
})

const usage = z.object({
  taskId: id,
  cpu: z.number().min(0).max(1e6),
  memoryBytes: z.number().min(0),
  processes: z
    .array(
      z.object({
        pid: z.int().min(0),
        parentPid: z.int().min(0),
        command: line(1000),
        cpu: z.number().min(0).max(1e6),
        memoryBytes: z.number().min(0),
      }),
    )
    .max(500),
  ports: z.array(z.object({ port: z.int().min(1).max(65_535), address: line(100), pid: z.int().min(0) })).max(200),
})

/** A list of a place as data that is safe to show: invalid items are omitted, text is one plain line. */
function listOf<T>(value: unknown, one: z.ZodType, max: number): T[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, max).flatMap((item) => {
    const parsed = one.safeParse(item)
    return parsed.success ? [parsed.data as T] : []
  })
}

/** Excludes what a place shows of its own places, which are reached from there. */
function isOfTheMachine({ folder }: { folder?: string }): boolean {
  return folder === undefined || splitPlaceFolder(folder) === undefined
}

/** Rows of the session list, in folders of the place. */
export function sessionsOf(placeId: string, value: unknown): SessionSummary[] {
  return listOf<SessionSummary>(value, summary, LIST_LIMITS.sessions)
    .filter(isOfTheMachine)
    .map((row) => ({ ...row, folder: placeFolder({ placeId, path: row.folder }), place: placeId }))
}

export function inboxOf(placeId: string, value: unknown): InboxEntry[] {
  return listOf<InboxEntry>(value, inboxEntry, LIST_LIMITS.inbox)
    .filter(isOfTheMachine)
    .map((entry) => ({ ...entry, folder: placeFolder({ placeId, path: entry.folder }), place: placeId }))
}

export function tasksOf(placeId: string, value: unknown): Task[] {
  return listOf<Task>(value, task, LIST_LIMITS.tasks)
    .filter(isOfTheMachine)
    .map((one) => ({
      ...one,
      place: placeId,
      ...(one.folder !== undefined && { folder: placeFolder({ placeId, path: one.folder }) }),
    }))
}

/** The resource usage of tasks; `tasks`: the place's own tasks. */
export function usageOf(tasks: { has(taskId: string): boolean }, value: unknown): TaskUsage[] {
  return listOf<TaskUsage>(value, usage, LIST_LIMITS.tasks).filter(({ taskId }) => tasks.has(taskId))
}

export function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, 20_000).filter((one): one is string => id.safeParse(one).success) : []
}
