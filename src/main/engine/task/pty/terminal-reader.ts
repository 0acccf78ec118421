import { execFile } from 'node:child_process'
import { readLink, namesIn, readProc, readStat, type ProcessEntry } from '../../process/proc-files'
import { processTable } from '../../process/process-table'

/**
 * Whether a process in the foreground of a terminal waits for input there. `reads`: asleep in a read of it. `watches`:
 * waits for it among other things. `unseen`: may be waiting, but cannot be inspected. `no`: none is waiting.
 */
export type TerminalReadState = 'no' | 'unseen' | 'watches' | 'reads'

export interface ForegroundState {
  readState: TerminalReadState
  /** Processor time the foreground has used so far. */
  cpuMs: number
}

const ORDER: readonly TerminalReadState[] = ['no', 'unseen', 'watches', 'reads']
type CallKind = 'read' | 'poll' | 'loop'

/** Numbers of system calls by architecture: read and readv; poll and select; epoll_wait. */
const CALLS: Partial<Record<NodeJS.Architecture, Record<CallKind, number[]>>> = {
  x64: { read: [0, 19], poll: [7, 23, 270, 271], loop: [232, 281, 441] },
  arm64: { read: [63, 65], poll: [72, 73], loop: [22, 441] },
}
const CALL_KINDS: readonly CallKind[] = ['read', 'poll', 'loop']
const EPOLLIN = 1
const MAX_PROCESSES = 64
const MAX_THREADS = 64
const NO_READER: ForegroundState = { readState: 'no', cpuMs: 0 }

/** `root`: a process in the terminal's session whose descendants include everything relevant. */
export async function foregroundState(root: number): Promise<ForegroundState> {
  // Windows doesn't expose what a process waits for.
  if (process.platform === 'win32') return { readState: 'unseen', cpuMs: 0 }
  if (process.platform !== 'linux') return byPs(root)
  const stat = readStat(root)
  if (!stat || stat.foreground <= 0) return NO_READER
  const members = (await descendants(stat)).filter(({ group }) => group === stat.foreground)
  const readState = strongestState(members.map(({ pid, state }) => (state === 'S' ? readStateOf(pid) : 'no')))
  return { readState, cpuMs: members.reduce((sum, { cpuMs }) => sum + cpuMs, 0) }
}

function strongestState(readings: readonly TerminalReadState[]): TerminalReadState {
  return ORDER.findLast((reading) => readings.includes(reading)) ?? 'no'
}

/** A process and its descendants, up to a limit. */
async function descendants(root: ProcessEntry): Promise<ProcessEntry[]> {
  const found = [root]
  if (namesIn(`/proc/${root.pid}/task/${root.pid}`).includes('children')) {
    for (const { pid } of found) {
      for (const thread of threadsOf(pid)) {
        const children = readProc(`/proc/${pid}/task/${thread}/children`).trim()
        for (const child of children === '' ? [] : children.split(' ')) {
          const entry = found.length < MAX_PROCESSES ? readStat(Number(child)) : undefined
          if (entry) found.push(entry)
        }
      }
    }
    return found
  }
  // A kernel without lists of children.
  const table = await processTable()
  return [...table.values()].filter(({ session }) => session === root.session).slice(0, MAX_PROCESSES)
}

function readStateOf(pid: number): TerminalReadState {
  const threads = threadsOf(pid)
  const calls = threads.map((thread) => callOf(pid, thread))
  // Most programs sleep in a call that has nothing to do with input, so their open files need not be read.
  if (calls.every((call) => call && call.kind === undefined)) return 'no'
  const terminals = terminalsOf(pid)
  if (terminals === undefined) return 'unseen'
  // An event loop is always about to wait again.
  if (terminals.isWatched) return 'watches'
  if (terminals.files.size === 0) return 'no'
  return strongestState(
    calls.map((call, index) => {
      if (!call) return terminals.isInput ? byWaitChannel(pid, threads[index]!) : 'no'
      if (call.kind === 'read') return terminals.files.has(call.file) ? 'reads' : 'no'
      return call.kind === 'poll' && terminals.isInput ? 'watches' : 'no'
    }),
  )
}

/** The system call that a thread is in, if it can wait for input; undefined if we aren't allowed to see it. */
function callOf(pid: number, thread: string): { kind: CallKind | undefined; file: number } | undefined {
  const calls = CALLS[process.arch]
  const [number, firstArgument] = readProc(`/proc/${pid}/task/${thread}/syscall`).trim().split(' ')
  if (!calls || number === '') return undefined
  return { kind: CALL_KINDS.find((kind) => calls[kind].includes(Number(number))), file: Number(firstArgument) }
}

interface OpenTerminals {
  files: Set<number>
  /** One of them is for input: standard input, or opened by name. Files 1 and 2, and copies of them, are for output. */
  isInput: boolean
  /** One of them is watched by an event loop. */
  isWatched: boolean
}

/** The open files of a process that are terminals; undefined if we may not inspect it. */
function terminalsOf(pid: number): OpenTerminals | undefined {
  const names = namesIn(`/proc/${pid}/fd`)
  // If a live process shows no open files, we aren't allowed to see them.
  if (names.length === 0 && readStat(pid)) return undefined
  const files = new Set<number>()
  const watched: number[] = []
  let isInput = false
  for (const name of names) {
    const target = readLink(`/proc/${pid}/fd/${name}`)
    if (target === 'anon_inode:[eventpoll]') watched.push(...watchedBy(pid, name))
    if (target !== '/dev/tty' && !target.startsWith('/dev/pts/')) continue
    files.add(Number(name))
    isInput ||= name === '0' || target === '/dev/tty'
  }
  return { files, isInput, isWatched: watched.some((file) => files.has(file)) }
}

/** Files that an epoll file waits to read from. */
function watchedBy(pid: number, epoll: string): number[] {
  const info = readProc(`/proc/${pid}/fdinfo/${epoll}`)
  return [...info.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)].flatMap(([, file, events]) =>
    Number.parseInt(events!, 16) & EPOLLIN ? Number(file) : [],
  )
}

/** If the system does not show calls: the kernel function in which the thread sleeps, if shown. */
function byWaitChannel(pid: number, thread: string): TerminalReadState {
  const place = readProc(`/proc/${pid}/task/${thread}/wchan`)
  if (place === 'n_tty_read' || place === 'wait_woken') return 'reads'
  return place === '' || place === '0' || /poll|select/.test(place) ? 'unseen' : 'no'
}

function threadsOf(pid: number): string[] {
  return namesIn(`/proc/${pid}/task`).slice(0, MAX_THREADS)
}

/** macOS: whether every process in the foreground of that terminal sleeps. */
function byPs(root: number): Promise<ForegroundState> {
  const args = ['-A', '-o', 'pid=,pgid=,tpgid=,stat=,time=']
  return new Promise((resolve) => {
    execFile('ps', args, { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
      const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
      const foreground = all.find(([pid]) => Number(pid) === root)?.[2]
      const members = all.filter(([, group]) => group !== undefined && group === foreground)
      const asleep = members.length > 0 && members.every(([, , , state]) => /^[SI]/.test(state ?? ''))
      // Only compared with earlier values, so any number that changes with the times will do.
      const cpuMs = members.reduce((sum, [, , , , time = '']) => sum + Number(time.replaceAll(/[^\d]/g, '')) * 10, 0)
      resolve({ readState: asleep ? 'unseen' : 'no', cpuMs })
    })
  })
}
