import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { Orphan, Task, TaskOutputPage } from '../../model/task/task'

const taskId = z.string().min(1).max(100)
/** Maximum bytes of output in one page. */
const MAX_BYTES = 1024 * 1024

/** Tasks of all sessions and projects. Failures: `task.not_found`, `task.host_unavailable`. */
export const taskContract = {
  /** Running ones first, then newest first. */
  list: oc
    .input(z.strictObject({ activeOnly: z.boolean().default(false), limit: z.int().min(1).max(10_000).default(500) }))
    .output(type<Task[]>()),
  /** A piece of the raw output that ends before `before` (default: the end). */
  output: oc
    .input(
      z.strictObject({
        taskId,
        before: z.int().min(0).optional(),
        bytes: z
          .int()
          .min(1)
          .max(MAX_BYTES)
          .default(256 * 1024),
      }),
    )
    .output(type<TaskOutputPage>()),
  /**
   * Sends SIGTERM to everything the task started, and SIGKILL after the grace period; returns the ended task. Harmless
   * when it has ended.
   */
  stop: oc.input(z.strictObject({ taskId, reason: z.string().max(1000).optional() })).output(type<Task>()),
  /** Stops every running background task, or those of one session. Returns how many were stopped. */
  stopAll: oc.input(z.strictObject({ sessionId: z.string().optional() })).output(type<{ stopped: number }>()),
  /** Starts the same command again in the same folder, as a background task of the same session. */
  restart: oc.input(z.strictObject({ taskId })).output(type<Task>()),
  /** Input that the user types into the terminal: passed to the program, never logged, never shown to the model. */
  input: oc.input(z.strictObject({ taskId, data: z.string().min(1).max(100_000) })).output(type<void>()),
  /** Moves a command that a call waits for to the background; the call returns. */
  moveToBackground: oc.input(z.strictObject({ taskId })).output(type<Task>()),
  /** Sends the task's status and the end of its output to its session as a message. */
  sendToSession: oc.input(z.strictObject({ taskId })).output(type<{ sessionId: string }>()),
  /** Processes that a crashed run left behind. */
  orphans: oc.output(type<Orphan[]>()),
  /** Stops those with these process ids (each is checked again first), or all. */
  killOrphans: oc
    .input(z.strictObject({ pids: z.array(z.int().min(1)).optional() }))
    .output(type<{ stopped: number }>()),
}
