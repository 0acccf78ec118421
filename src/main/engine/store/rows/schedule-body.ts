import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'
import { isRecord } from '../../../../shared/json-fields'
import { lazySchema } from '../../../../shared/lazy-schema'
import { PERMISSION_MODES } from '../../../../shared/model/approval/approval'
import type { Schedule, ScheduleSpec } from '../../../../shared/model/assistant/schedule'
import type { MailState } from './schedule-mail'

/** The content of the `body` column of a schedule. */
export type ScheduleBody = Omit<ScheduleSpec, 'name'> & Pick<Schedule, 'createdIn'> & { mail?: MailState }

/** Keys that a later version has added are kept. */
const Body = lazySchema(() => {
  const text = z.string().optional()
  const count = z.number().optional()
  return z.looseObject({
    time: z.discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('cron'), cron: z.string() }),
      // Within what a Date can hold.
      z.looseObject({ kind: z.literal('once'), at: z.number().min(-8.64e15).max(8.64e15) }),
      z.looseObject({ kind: z.literal('every'), everyMs: z.number().positive(), from: z.number() }),
      z.looseObject({
        kind: z.literal('mail'),
        account: text,
        filter: z.looseObject({ folder: text, from: text, subject: text, text }),
      }),
    ]),
    zone: z.string(),
    prompt: z.string(),
    folder: text,
    agent: text,
    model: text,
    mode: z.enum(PERMISSION_MODES),
    limits: z.looseObject({ steps: count, minutes: count, tokens: count }),
    heartbeat: z.looseObject({ quiet: z.looseObject({ from: z.string(), to: z.string() }).optional() }).optional(),
    createdIn: text,
    mail: z
      .looseObject({
        positions: z.record(z.string(), z.looseObject({ validity: z.string(), uid: z.number() })),
        pending: z.array(z.string()),
        taken: z.array(z.string()).optional(),
      })
      .optional(),
  })
})

/** Undefined if it is damaged: one schedule that cannot be read must not stop the others. */
export function readScheduleBody(text: string): ScheduleBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && Body().safeParse(value).success ? (value as unknown as ScheduleBody) : undefined
  } catch {
    return undefined
  }
}

/** What is shown of a damaged schedule; it does nothing. */
export const DAMAGED_SPEC: ScheduleBody & Pick<Schedule, 'isDamaged'> = {
  time: { kind: 'once', at: 0 },
  zone: 'UTC',
  prompt: '',
  mode: 'ask',
  limits: {},
  isDamaged: true,
}

/** Throws `schedule.damaged` for a schedule whose stored content cannot be read. */
export function requireReadable({ name, isDamaged }: Schedule): void {
  if (isDamaged)
    throw new CodedError(
      'schedule.damaged',
      `What is stored of ${JSON.stringify(name)} is damaged: save it again with everything it should do, or delete it.`,
    )
}
