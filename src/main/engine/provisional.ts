import { CodedError } from '../../shared/model/errors'
import type { Inbox, Tasks, Trust } from './engine-api'

const gone = (): never => {
  throw new CodedError('task.not_found', 'Not built yet.')
}

/** Stands in until the real ones are there. */
export const provisionalTasks: Tasks = {
  list: async () => [],
  get: async () => gone(),
  output: async () => gone(),
  stop: async () => gone(),
  stopAll: async () => ({ stopped: 0 }),
  restart: async () => gone(),
  input: async () => gone(),
  moveToBackground: async () => gone(),
  sendToSession: async () => gone(),
  orphans: async () => [],
  killOrphans: async () => ({ stopped: 0 }),
  watch: () => gone(),
  watchUsage: () => () => undefined,
}

export const provisionalInbox: Inbox = { list: () => [], get: () => gone(), choices: async () => [] }

export const provisionalTrust: Trust = {
  view: async (folder) => ({ folder, state: 'nothing', parts: [], hash: '' }),
  accept: async (folder) => ({ folder, state: 'nothing', parts: [], hash: '' }),
  refuse: async (folder) => ({ folder, state: 'nothing', parts: [], hash: '' }),
  list: async () => [],
  forget: async () => undefined,
}
