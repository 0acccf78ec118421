import { z } from 'zod'
import { PERMISSION_MODES } from '../../../../shared/model/approval'
import { SCHEDULE_LIMITS } from '../../../../shared/model/schedule'
import type { Tool } from '../tool'
import type { SessionSchedules } from './schedule-calls'

/** Results of assistant tools are short. */
const MAX_RESULT_CHARS = 8_000
const CHANGES = {
  brief: true,
  maxResultChars: MAX_RESULT_CHARS,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
} as const

const id = z.string().trim().min(1).max(100).describe('The id or the name of a schedule')
const limits = z.strictObject({
  steps: z.int().min(1).max(1000).optional(),
  minutes: z.int().min(1).max(10_080).optional(),
  tokens: z.int().min(1000).max(1_000_000_000).optional(),
})
const fields = {
  name: z.string().trim().min(1).max(SCHEDULE_LIMITS.nameChars),
  time: z.string().trim().min(1).max(200).describe('Cron, 2026-12-01T09:00, "every 2 h" or "weekdays at 9:00"'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(SCHEDULE_LIMITS.promptChars)
    .describe('What the agent of a run is told; it knows nothing else'),
  zone: z.string().trim().max(100).optional().describe('IANA time zone; default: that of this machine'),
  folder: z.string().max(4096).optional().describe('Absolute path; default: the project of this session'),
  agent: z.string().trim().max(100).optional(),
  model: z.string().trim().max(200).optional(),
  mode: z.enum(PERMISSION_MODES).optional().describe('Default: ask'),
  limits: limits.optional(),
  heartbeat: z.boolean().optional().describe('It only reports what needs attention'),
  quiet: z.string().trim().max(20).optional().describe('Quiet hours of a heartbeat, e.g. 22:00-07:00'),
}
const createInput = z.strictObject(fields)
const updateInput = z.strictObject({
  id,
  ...z.strictObject(fields).partial().shape,
  paused: z.boolean().optional(),
})
const one = z.strictObject({ id })
const listInput = z.strictObject({ id: id.optional() })
export type CreateInput = z.infer<typeof createInput>
export type UpdateInput = z.infer<typeof updateInput>

/** What the model is told: the other fields are those of ScheduleCreate, which takes less of each request. */
const UPDATE_SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, paused: { type: 'boolean' } },
  required: ['id'],
}

/** The tools that run prompts at set times, for one session. What their calls do is loaded with the first call. */
export function scheduleTools(session: SessionSchedules): readonly Tool[] {
  const calls = async () => (await import('./schedule-calls')).scheduleCalls(session)
  return [
    {
      name: 'ScheduleCreate',
      description:
        'Runs a prompt at set times, each in a session of its own. time: cron, 2026-12-01T09:00, "every 2 h" or "weekdays at 9:00". heartbeat: reports only what needs attention, nothing in quiet hours ("22:00-07:00").',
      input: createInput,
      ...CHANGES,
      prepare: async (given) => (await calls()).create(createInput.parse(given)),
    },
    {
      name: 'ScheduleList',
      description: 'Lists the schedules with their ids; with id, shows one with its prompt and latest runs.',
      input: listInput,
      ...CHANGES,
      annotations: { ...CHANGES.annotations, readOnly: true, idempotent: true },
      prepare: async (given) => (await calls()).list(listInput.parse(given).id),
    },
    {
      name: 'ScheduleUpdate',
      description:
        'Changes the fields of ScheduleCreate that are given beside id, pauses or resumes. An empty text restores a default.',
      input: updateInput,
      schema: UPDATE_SCHEMA,
      ...CHANGES,
      prepare: async (given) => (await calls()).update(updateInput.parse(given)),
    },
    {
      name: 'ScheduleDelete',
      description: 'Deletes a schedule; its sessions stay.',
      input: one,
      ...CHANGES,
      prepare: async (given) => (await calls()).remove(one.parse(given).id),
    },
    {
      name: 'ScheduleRunNow',
      description: 'Starts a run of a schedule now.',
      input: one,
      ...CHANGES,
      prepare: async (given) => (await calls()).runNow(one.parse(given).id),
    },
  ]
}
