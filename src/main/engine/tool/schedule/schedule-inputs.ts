import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { PERMISSION_MODES } from '../../../../shared/model/approval/approval'
import { SCHEDULE_LIMITS } from '../../../../shared/model/assistant/schedule'

const id = lazySchema(() => z.string().trim().min(1).max(100).describe('The id or the name of a schedule'))
const limits = lazySchema(() =>
  z.strictObject({
    steps: z.int().min(1).max(1000).optional(),
    minutes: z.int().min(1).max(10_080).optional(),
    tokens: z.int().min(1000).max(1_000_000_000).optional(),
  }),
)
const fields = lazySchema(() => ({
  name: z.string().trim().min(1).max(SCHEDULE_LIMITS.nameChars),
  time: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Cron, 2026-12-01T09:00, "every 2 h", "weekdays at 9:00" or "new mail"'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(SCHEDULE_LIMITS.promptChars)
    .describe('What the agent of a run is told; it knows nothing else'),
  mail: z
    .strictObject({
      account: z.string().trim().max(100).optional(),
      folder: z.string().trim().max(500).optional(),
      from: z.string().trim().max(200).optional(),
      subject: z.string().trim().max(200).optional(),
      text: z.string().trim().max(200).optional(),
    })
    .optional()
    .describe('For "new mail": parts of the sender, subject or text, the folder, the account; default: all mail'),
  zone: z.string().trim().max(100).optional().describe('IANA time zone; default: that of this machine'),
  folder: z.string().max(4096).optional().describe('Absolute path; default: the project of this session'),
  agent: z.string().trim().max(100).optional(),
  model: z.string().trim().max(200).optional(),
  mode: z.enum(PERMISSION_MODES).optional().describe('Default: ask'),
  limits: limits().optional(),
  heartbeat: z.boolean().optional().describe('It only reports what needs attention'),
  quiet: z.string().trim().max(20).optional().describe('Quiet hours of a heartbeat, e.g. 22:00-07:00'),
}))
export const createInput = lazySchema(() => z.strictObject(fields()))
export const updateInput = lazySchema(() =>
  z.strictObject({
    id: id(),
    ...z.strictObject(fields()).partial().shape,
    paused: z.boolean().optional(),
  }),
)
export const one = lazySchema(() => z.strictObject({ id: id() }))
export const listInput = lazySchema(() => z.strictObject({ id: id().optional() }))
export type CreateInput = SchemaOutput<typeof createInput>
export type UpdateInput = SchemaOutput<typeof updateInput>
