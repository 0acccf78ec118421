import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import { gitFolder } from '../../workspace/system-paths'
import { CUSTODY_MARK, TASK_MARK } from '../custody-mark'
import type { ProcessEntry } from '../watch/process-entry'
import { WindowsProcessList } from './windows-process-list'

/** One process of Git Bash: the number that bash knows it by, and the one of Windows. */
export interface MsysProcess {
  pid: number
  parent: number
  group: number
  windowsPid: number
}

/** What `ps -e` of Git Bash prints: PID PPID PGID WINPID TTY UID STIME COMMAND; a letter in front says what a process does. */
export function msysProcesses(listing: string): MsysProcess[] {
  return listing.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, group, windowsPid] = /^[ A-Z]?\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(line) ?? []
    return windowsPid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), windowsPid: Number(windowsPid) }]
  })
}

/**
 * Adds to the processes of Windows what only Git Bash knows: it starts programs through stubs that end at once, so that Windows has lost the parent of almost every one. Each gets its
 * parent in bash, and as its group the process that leads its group in bash.
 */
export function withMsysFamilies(
  entries: readonly ProcessEntry[],
  msys: readonly MsysProcess[],
  leaders: Map<number, number> = new Map(),
): ProcessEntry[] {
  const byMsys = new Map(msys.map((each) => [each.pid, each]))
  const byWindows = new Map(msys.map((each) => [each.windowsPid, each]))
  for (const each of msys) if (each.pid === each.group) leaders.set(each.group, each.windowsPid)
  // Numbers are used again: who leads no group that is there is forgotten.
  const groups = new Set(msys.map(({ group }) => group))
  for (const group of leaders.keys()) if (!groups.has(group)) leaders.delete(group)
  return entries.map((entry) => {
    const known = byWindows.get(entry.pid)
    if (!known) return entry
    const parent = known.parent > 1 ? byMsys.get(known.parent)?.windowsPid : undefined
    return { ...entry, parent: parent ?? entry.parent, group: leaders.get(known.group) ?? entry.group }
  })
}

/** A process whose descendants belong to a task. Windows shows no environment of others, where marks stand elsewhere. */
interface MarkedRoot {
  taskId: string
  custody: string | undefined
  /** When it was started, in seconds since the epoch. */
  startedAt: number
}

/** The clock of a process's creation may differ from ours by so much, in seconds. */
const CLOCK_SKEW = 2

const roots = new Map<number, MarkedRoot>()
const msysLeaders = new Map<number, number>()
let list: WindowsProcessList | undefined

/** Remembers that a process and all it starts belong to a task, so that searches by marks find them. */
export function markRoot(pid: number | undefined, taskId: string, env: Readonly<Record<string, string | undefined>>): void {
  if (pid !== undefined) roots.set(pid, { taskId, custody: env[CUSTODY_MARK], startedAt: Date.now() / 1000 })
}

/** The same entries, those that a task began with with its mark. A later process with one of their numbers is told apart by when it began. */
export function withMarks(entries: readonly ProcessEntry[], marked: ReadonlyMap<number, MarkedRoot> = roots): ProcessEntry[] {
  return entries.map((entry) => {
    const root = marked.get(entry.pid)
    if (!root || Math.abs(entry.started - root.startedAt) > CLOCK_SKEW) return entry
    const custody = root.custody === undefined ? '' : ` ${CUSTODY_MARK}=${root.custody}`
    return { ...entry, environment: `${TASK_MARK}=${root.taskId}${custody}` }
  })
}

/** One look at all processes of Windows. */
export async function windowsProcessTable(): Promise<Map<number, ProcessEntry>> {
  list ??= new WindowsProcessList()
  const [entries, msys] = await Promise.all([list.list(), listMsys()])
  return new Map(withMarks(withMsysFamilies(entries, msys, msysLeaders)).map((entry) => [entry.pid, entry]))
}

function listMsys(): Promise<MsysProcess[]> {
  const git = gitFolder()
  if (git === undefined) return Promise.resolve([])
  return new Promise((resolve) => {
    execFile(win32.join(git, 'usr', 'bin', 'ps.exe'), ['-e'], { windowsHide: true, timeout: 5_000 }, (_error, stdout) =>
      resolve(msysProcesses(stdout)),
    )
  })
}
