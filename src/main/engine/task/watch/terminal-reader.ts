import { execFile } from 'node:child_process'
import { linkOf, namesIn, readProc, statOf } from './proc-files'
import { processTable, type ProcessEntry } from './process-table'

/**
 * Whether somebody in the foreground of a terminal waits for what is typed there. `reads`: is asleep in a read of it. `watches`: waits for it
 * among other things. `unseen`: may do so, but cannot be looked into. `no`: nobody does.
 */
export type Reading = 'no' | 'unseen' | 'watches' | 'reads'

export interface ForegroundState {
  reading: Reading
  /** Processor time the foreground has used so far. */
  cpuMs: number
}

const ORDER: readonly Reading[] = ['no', 'unseen', 'watches', 'reads']
/** Numbers of system calls by architecture: read and readv; poll, select and their kin. */
const CALLS: Partial<Record<NodeJS.Architecture, { read: number[]; wait: number[] }>> = {
  x64: { read: [0, 19], wait: [7, 23, 270, 271] },
  arm64: { read: [63, 65], wait: [72, 73] },
}
const MOST_PROCESSES = 64
const MOST_THREADS = 64
const NOBODY: ForegroundState = { reading: 'no', cpuMs: 0 }

/** `root`: a process in the terminal's session, such that everything of interest is below it. */
export async function foregroundState(root: number): Promise<ForegroundState> {
  // Windows tells nothing of who waits for what.
  if (process.platform === 'win32') return { reading: 'unseen', cpuMs: 0 }
  if (process.platform !== 'linux') return byPs(root)
  const stat = statOf(root)
  if (!stat || stat.foreground <= 0) return NOBODY
  const members = (await descendants(stat)).filter(({ group }) => group === stat.foreground)
  let reading: Reading = 'no'
  for (const member of members) {
    const its = member.state === 'S' ? readingOf(member.pid) : 'no'
    if (ORDER.indexOf(its) > ORDER.indexOf(reading)) reading = its
    if (reading === 'reads') break
  }
  return { reading, cpuMs: members.reduce((sum, { cpuMs }) => sum + cpuMs, 0) }
}

/** A process and everything below it, up to a limit. */
async function descendants(root: ProcessEntry): Promise<ProcessEntry[]> {
  const found = [root]
  if (namesIn(`/proc/${root.pid}/task/${root.pid}`).includes('children')) {
    for (const { pid } of found) {
      for (const thread of threadsOf(pid)) {
        const children = readProc(`/proc/${pid}/task/${thread}/children`).trim()
        for (const child of children === '' ? [] : children.split(' ')) {
          const entry = found.length < MOST_PROCESSES ? statOf(Number(child)) : undefined
          if (entry) found.push(entry)
        }
      }
    }
    return found
  }
  // A kernel without lists of children.
  const table = await processTable()
  return [...table.values()].filter(({ session }) => session === root.session).slice(0, MOST_PROCESSES)
}

function readingOf(pid: number): Reading {
  const open = terminalsOf(pid)
  if (open === undefined) return 'unseen'
  if (open.size === 0) return 'no'
  let reading: Reading = 'no'
  for (const thread of threadsOf(pid)) {
    const its = threadReading(pid, thread, open)
    if (ORDER.indexOf(its) > ORDER.indexOf(reading)) reading = its
  }
  return reading
}

/** Its open files that are terminals, with the paths they were opened by; undefined when we may not look. */
function terminalsOf(pid: number): Map<number, string> | undefined {
  const names = namesIn(`/proc/${pid}/fd`)
  // A living process that shows none does so to others than us.
  if (names.length === 0) return statOf(pid) ? undefined : new Map()
  const terminals = new Map<number, string>()
  for (const name of names) {
    const target = linkOf(`/proc/${pid}/fd/${name}`)
    if (target === '/dev/tty' || target.startsWith('/dev/pts/')) terminals.set(Number(name), target)
    else if (target === 'anon_inode:[eventpoll]') for (const file of watchedBy(pid, name)) terminals.set(-1 - file, 'watched')
  }
  // What an event loop waits for counts only if it is a terminal.
  for (const [file, target] of terminals) if (target === 'watched' && !terminals.has(-1 - file)) terminals.delete(file)
  return terminals
}

/** Files that an epoll file waits to read from. */
function watchedBy(pid: number, epoll: string): number[] {
  const info = readProc(`/proc/${pid}/fdinfo/${epoll}`)
  return [...info.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)].flatMap(([, file, events]) =>
    Number.parseInt(events!, 16) & 1 ? Number(file) : [],
  )
}

function threadReading(pid: number, thread: string, terminals: ReadonlyMap<number, string>): Reading {
  // An event loop is always about to wait again.
  const isWatched = [...terminals.keys()].some((file) => file < 0)
  // Files 1 and 2 are there to print to, and so are copies of them; these are for reading.
  const hasInput = [...terminals].some(([file, target]) => file === 0 || target === '/dev/tty')
  const calls = CALLS[process.arch]
  const [name, ...args] = readProc(`/proc/${pid}/task/${thread}/syscall`).trim().split(' ')
  if (isWatched) return 'watches'
  if (!calls || name === '') return byWaitChannel(pid, thread, hasInput)
  const call = Number(name)
  if (calls.read.includes(call)) return terminals.has(Number(args[0])) ? 'reads' : 'no'
  return hasInput && calls.wait.includes(call) ? 'watches' : 'no'
}

/** Where the system does not show calls: the place in the kernel where it sleeps, if it shows that. */
function byWaitChannel(pid: number, thread: string, hasInput: boolean): Reading {
  if (!hasInput) return 'no'
  const place = readProc(`/proc/${pid}/task/${thread}/wchan`)
  if (place === 'n_tty_read' || place === 'wait_woken') return 'reads'
  return place === '' || place === '0' || /poll|select/.test(place) ? 'unseen' : 'no'
}

function threadsOf(pid: number): string[] {
  return namesIn(`/proc/${pid}/task`).slice(0, MOST_THREADS)
}

/** macOS: whether everybody in the foreground of that terminal sleeps. */
function byPs(root: number): Promise<ForegroundState> {
  const args = ['-A', '-o', 'pid=,pgid=,tpgid=,stat=,time=']
  return new Promise((resolve) => {
    execFile('ps', args, { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
      const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
      const foreground = all.find(([pid]) => Number(pid) === root)?.[2]
      const members = all.filter(([, group]) => group !== undefined && group === foreground)
      const asleep = members.length > 0 && members.every(([, , , state]) => /^[SI]/.test(state ?? ''))
      // Only compared with itself: any number that changes with the times will do.
      const cpuMs = members.reduce((sum, [, , , , time = '']) => sum + Number(time.replaceAll(/[^\d]/g, '')) * 10, 0)
      resolve({ reading: asleep ? 'unseen' : 'no', cpuMs })
    })
  })
}
