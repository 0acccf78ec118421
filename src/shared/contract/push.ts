import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { AppPush, SessionPush, TaskPush, UsagePush } from '../model/push'

export const pushContract = {
  /** Everything of one session after `since` (0: from its beginning), without gap or repeat. */
  session: oc.input(z.strictObject({ sessionId: z.string(), since: z.int().min(0) })).output(eventIterator(type<SessionPush>())),
  /** One task's terminal: its newest output, then what it prints. Ends after the task has. */
  task: oc.input(z.strictObject({ taskId: z.string() })).output(eventIterator(type<TaskPush>())),
  /** CPU, memory, processes and ports of running tasks, once a second while anybody watches. */
  usage: oc.output(eventIterator(type<UsagePush>())),
  /** Session list, tasks, inbox, settings and models as they change; the first pushes are the whole lists. */
  app: oc.output(eventIterator(type<AppPush>())),
}
