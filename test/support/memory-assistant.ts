/** The assistant parts of an engine double, without any history. */
import { CodedError } from '../../src/shared/errors'
import type { Engine } from '../../src/main/engine/engine-api'

export const NO_MEMORY: Engine['memory'] = {
  list: async () => ({ entries: [], total: 0 }),
  overview: async () => ({ entries: 0, deleted: 0, everywhere: 0, projects: [], categories: [], budgetBytes: 2048 }),
  details: async (id) => notRemembered(id),
  add: async () => notRemembered(0),
  change: async (id) => notRemembered(id),
  remove: async () => 0,
  restore: async () => 0,
  purge: async () => 0,
}

export const NO_ALARMS: Engine['alarms'] = {
  list: () => [],
  set: () => noAlarm(''),
  snooze: (id) => noAlarm(id),
  stop: (id) => noAlarm(id),
  cancel: (id) => noAlarm(id),
  restore: (id) => noAlarm(id),
}

function noAlarm(id: string): never {
  throw new CodedError('alarm.not_found', `There is no alarm ${id}.`)
}

/** An engine without schedules. */
export const NO_SCHEDULES: Engine['schedule'] = {
  overview: async () => ({ schedules: [], service: { runs: 'off' } }),
  get: async (id) => noSchedule(id),
  history: async () => ({ runs: [], total: 0 }),
  planned: async () => [],
  check: async ({ zone = 'UTC' }) => ({ time: { kind: 'cron', cron: '0 9 * * *' }, zone, next: [] }),
  create: async ({ name }) => noSchedule(name),
  change: async (id) => noSchedule(id),
  setPaused: async (id) => noSchedule(id),
  remove: async (id) => noSchedule(id),
  restore: async (id) => noSchedule(id),
  runNow: async (id) => noSchedule(id),
  settled: async () => undefined,
}

function noSchedule(id: string): never {
  throw new CodedError('schedule.not_found', `There is no schedule ${id}.`)
}
function notRemembered(id: number): never {
  throw new CodedError('memory.not_found', `There is no memory with the number ${id}.`)
}
