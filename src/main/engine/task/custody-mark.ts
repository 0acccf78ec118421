import { createHash } from 'node:crypto'
import { identityOf, isAlive, type ProcessIdentity } from '../session/sqlite/process-identity'

/** Names the task in the environment of everything it starts. */
export const TASK_MARK = 'TRESTLE_TASK'
/** Begins the name of what is no task but a server of the Model Context Protocol. */
export const SERVER_MARK = 'mcp-'
/** Names the home and the process that has custody of the task, beside it. */
export const CUSTODY_MARK = 'TRESTLE_CUSTODY'

/** What `TRESTLE_CUSTODY` says. */
export interface Custody {
  /** See `homeKey`. */
  home: string
  pid: number
  /** Start time of the process, as in its `ProcessIdentity`. */
  started: string
}

/** A short name of a home, by its real path. */
export function homeKey(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16)
}

/** The mark of what this process has in custody: `HOME:PID:STARTED`. */
export function custodyMark(home: string): string {
  const { pid, started } = identityOf(process.pid)
  return `${homeKey(home)}:${pid}:${started}`
}

/** Undefined for what is no such mark. */
export function readCustodyMark(text: string): Custody | undefined {
  const match = /^([0-9a-f]{16}):([1-9]\d*):(\d*)$/.exec(text)
  return match ? { home: match[1]!, pid: Number(match[2]), started: match[3]! } : undefined
}

/** Whether the process that has custody lives; only meaningful for a mark found on a process of this machine. */
export function isCustodianAlive({ pid, started }: Custody): boolean {
  const self: ProcessIdentity = identityOf(process.pid)
  return isAlive({ ...self, pid, started }, 0, self)
}
