import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { AppPush, SessionPush } from '../model/push'

export const pushContract = {
  /** Everything of one session after `since` (0: from its beginning), without gap or repeat. */
  session: oc.input(z.strictObject({ sessionId: z.string(), since: z.int().min(0) })).output(eventIterator(type<SessionPush>())),
  /** Session list, settings and models as they change; the first push is the whole list. */
  app: oc.output(eventIterator(type<AppPush>())),
}
