import { CodedError } from '../../shared/model/errors'
import type { TaskCustody } from './task/task-custody'
import type { TerminalTasks } from './task/terminal-tasks'
import type { Inbox, Tasks } from './engine-api'

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

export function provisionalCustody(terminals: TerminalTasks): TaskCustody {
  return {
    ...provisionalTasks,
    terminals,
    start: async () => gone(),
    wait: async () => gone(),
    onChange: () => () => undefined,
    onRemoved: () => () => undefined,
    onNotice: () => () => undefined,
    close: () => terminals.close(),
  }
}

export const provisionalInbox: Inbox = { list: () => [], get: () => gone(), choices: async () => [] }
