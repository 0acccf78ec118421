import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { identityOf, isAlive, type ProcessIdentity } from './process-identity'

/** Names the task in the environment of everything it starts. */
export const TASK_VARIABLE = 'TRESTLE_TASK'
/** Prefix of the "task" id of an MCP server. */
export const SERVER_TASK_PREFIX = 'mcp-'
/** Names the home and the supervisor of the task, next to `TASK_VARIABLE`. */
export const SUPERVISOR_VARIABLE = 'TRESTLE_CUSTODY'

/** The content of `TRESTLE_CUSTODY`. */
interface SupervisorTag {
  /** See `homeKey`. */
  home: string
  pid: number
  /** Start time of the process, as in its `ProcessIdentity`. */
  started: string
}

/** A short key of a home, from its real path. */
export function homeKey(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16)
}

/** The tag of what this process supervises: `HOME:PID:STARTED`. */
export function supervisorTag(home: string): string {
  const { pid, started } = identityOf(process.pid)
  return `${homeKey(home)}:${pid}:${started}`
}

/** Undefined if `text` is not such a tag. */
export function parseSupervisorTag(text: string): SupervisorTag | undefined {
  const match = /^([0-9a-f]{16}):([1-9]\d*):(\d*)$/.exec(text)
  return match ? { home: match[1]!, pid: Number(match[2]), started: match[3]! } : undefined
}

/** Whether the supervisor is alive; only meaningful for a tag found on a process of this machine. */
export function isSupervisorAlive({ pid, started }: SupervisorTag): boolean {
  const self: ProcessIdentity = identityOf(process.pid)
  return isAlive({ ...self, pid, started }, 0, self)
}

/** The task that the environment of a process names; inherited by everything it starts. */
export interface ProcessTag {
  taskId: string
  supervisor?: SupervisorTag
}

/** The tag in an environment block of the system: `NAME=value`, each ended by NUL. */
export function parseTag(environment: Buffer): ProcessTag | undefined {
  return tagFrom((name) => {
    const wanted = `${name}=`
    for (
      let at = environment.indexOf(wanted, 0, 'latin1');
      at >= 0;
      at = environment.indexOf(wanted, at + 1, 'latin1')
    ) {
      if (at > 0 && environment[at - 1] !== 0) continue
      const end = environment.indexOf(0, at)
      return environment.toString('utf8', at + wanted.length, end < 0 ? environment.length : end)
    }
    return undefined
  })
}

/** The tag in an environment as `ps` prints it: `NAME=value`, separated by spaces. */
export function parseListedTag(environment: string): ProcessTag | undefined {
  return tagFrom((name) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(environment)?.[1])
}

function tagFrom(valueOf: (name: string) => string | undefined): ProcessTag | undefined {
  const taskId = valueOf(TASK_VARIABLE)
  if (taskId === undefined || taskId === '') return undefined
  const supervisor = parseSupervisorTag(valueOf(SUPERVISOR_VARIABLE) ?? '')
  return { taskId, ...(supervisor && { supervisor }) }
}

/** A file that a task host touches regularly. */
export function heartbeatFile(home: string, { host, pid }: Pick<ProcessIdentity, 'host' | 'pid'>): string {
  return join(home, 'run', `task-host.${host.replaceAll(/[^\w.-]/g, '_')}.${pid}.alive`)
}
