import type { Tool } from '../tool'
import type { SessionSchedules } from './schedule-calls'
import { createInput, listInput, one, updateInput } from './schedule-inputs'

/** Results of assistant tools are short. */
const MAX_RESULT_CHARS = 8_000
const CHANGES = {
  brief: true,
  maxResultChars: MAX_RESULT_CHARS,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
} as const

/** The schema sent to the model: it refers to the fields of ScheduleCreate, to keep requests short. */
const UPDATE_SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, paused: { type: 'boolean' } },
  required: ['id'],
}

/** The tools that run prompts at set times, for one session. Their implementation is loaded with the first call. */
export function scheduleTools(session: SessionSchedules): readonly Tool[] {
  const calls = async () => (await import('./schedule-calls')).scheduleCalls(session)
  return [
    {
      name: 'ScheduleCreate',
      description:
        'Runs a prompt at set times, each in its own session. ' +
        'time: cron, 2026-12-01T09:00, "every 2 h", "weekdays at 9:00" or "new mail" (that fits mail). ' +
        'heartbeat: reports only what needs attention, nothing in quiet hours ("22:00-07:00").',
      input: createInput,
      ...CHANGES,
      prepare: async (given) => (await calls()).create(createInput().parse(given)),
    },
    {
      name: 'ScheduleList',
      description: 'Lists the schedules with their ids; with id, shows one with its prompt and latest runs.',
      input: listInput,
      ...CHANGES,
      annotations: { ...CHANGES.annotations, readOnly: true, idempotent: true },
      prepare: async (given) => (await calls()).list(listInput().parse(given).id),
    },
    {
      name: 'ScheduleUpdate',
      description:
        'Changes the fields of ScheduleCreate that are given beside id, pauses or resumes. ' +
        'An empty text restores a default.',
      input: updateInput,
      schema: UPDATE_SCHEMA,
      ...CHANGES,
      prepare: async (given) => (await calls()).update(updateInput().parse(given)),
    },
    {
      name: 'ScheduleDelete',
      description: 'Deletes a schedule; its sessions stay.',
      input: one,
      ...CHANGES,
      prepare: async (given) => (await calls()).remove(one().parse(given).id),
    },
    {
      name: 'ScheduleRunNow',
      description: 'Starts a run of a schedule now.',
      input: one,
      ...CHANGES,
      prepare: async (given) => (await calls()).runNow(one().parse(given).id),
    },
  ]
}
