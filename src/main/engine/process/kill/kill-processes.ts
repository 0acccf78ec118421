import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises'
import type { ProcessTag } from '../process-tag'
import { TaggedProcesses, type ProcessesByTask, ownTag } from './tagged-processes'
import { type ProcessEntry, runningPids, readStat } from '../proc-files'
import { isAliveState, processTable, type ProcessTable, isStillThere } from '../process-table'

/** What to end. `find` runs at each poll, so new processes are killed too. */
export interface KillRequest {
  /** Everything to kill. */
  find(found: ProcessSnapshot): readonly ProcessEntry[]
  /** Whether processes with this tag are included. */
  isMine(tag: ProcessTag): boolean
  /** Process groups that have already been sent SIGTERM. */
  asked?: readonly number[]
  /** A process in `left` that is not sent SIGTERM yet, only SIGKILL with the others after the grace period. */
  spare?(left: readonly ProcessEntry[]): ProcessEntry | undefined
}

export interface ProcessSnapshot {
  table: ProcessTable
  byTask: ProcessesByTask
}

interface Running {
  ending: KillRequest
  killAt: number
  /** Signals already sent: `SIGNAL PID STARTED`. */
  sent: Set<string>
  polls: number
  /** What was left at the last poll. */
  left: readonly ProcessEntry[]
  /** Polls since SIGKILL was first sent. */
  kills: number
  /** Whether new processes have appeared since the first poll. */
  grows: boolean
  done: (left: ProcessEntry[]) => void
}

/** Poll interval: short at first, because most programs end immediately, then growing. */
const FIRST_POLL_MS = 30
const SLOWEST_POLL_MS = 250
const KILL_POLL_MS = 10
/** After SIGKILL, only processes stuck in the kernel survive; give up after this long. */
const KILL_WAIT_MS = 1_900
const MIN_KILLS = 8
/** After this many SIGKILL rounds, SIGSTOP everything first: some programs start others faster than they are killed. */
const FREEZE_AFTER = 3

const tagged = new TaggedProcesses()
const running = new Set<Running>()
let isPolling = false
let lastTable: ProcessTable = new Map()

/**
 * Kills everything with the tags of these tasks, including processes started in the meantime: SIGTERM now, SIGKILL
 * after `graceMs`. Resolves when nothing is left, or with the processes that survived SIGKILL. Concurrent calls share
 * one scan of the system's processes.
 */
export function killTagged(taskIds: readonly string[], graceMs: number): Promise<ProcessEntry[]> {
  const find = ({ byTask }: ProcessSnapshot): ProcessEntry[] =>
    taskIds.flatMap((taskId) => (byTask.get(taskId) ?? []).map(({ entry }) => entry))
  return killProcesses({ find, isMine: ({ taskId }) => taskIds.includes(taskId) }, graceMs)
}

/** Like `killTagged`, for the processes that `ending` finds. */
export function killProcesses(ending: KillRequest, graceMs: number): Promise<ProcessEntry[]> {
  return new Promise((done) => {
    running.add({
      ending,
      killAt: performance.now() + graceMs,
      sent: new Set(),
      polls: 0,
      left: [],
      kills: 0,
      grows: false,
      done,
    })
    if (!isPolling) void pollUntilDone()
  })
}

async function pollUntilDone(): Promise<void> {
  isPolling = true
  let pollMs = FIRST_POLL_MS
  let lastSize = 0
  while (running.size > 0) {
    // A new request: poll often again.
    if (running.size > lastSize) pollMs = FIRST_POLL_MS
    lastSize = running.size
    try {
      await poll([...running])
    } catch {
      // The processes could not be listed, because too many files are open or `ps` did not start: the next poll tries
      // again, up to the same limit.
      for (const each of running) {
        if (performance.now() >= each.killAt) each.kills += 1
        if (isGivenUp(each)) end(each)
      }
    }
    const nextKill = Math.min(...[...running].map(({ killAt }) => killAt)) - performance.now()
    if (running.size > 0) await sleep(nextKill <= 0 ? KILL_POLL_MS : Math.min(pollMs, nextKill))
    pollMs = Math.min(pollMs * 1.3, SLOWEST_POLL_MS)
  }
  isPolling = false
  lastTable = new Map()
}

async function poll(endings: readonly Running[]): Promise<void> {
  // The grace period is over: kill known processes without waiting for the scan.
  for (const each of endings)
    if (each.kills === 0 && performance.now() >= each.killAt) signalAll(each.left, lastTable, 'SIGKILL')
  const table = await processTable()
  // At least this process exists. On Windows, where the list may be unavailable, another way of killing follows.
  if (table.size === 0 && process.platform !== 'win32') throw new Error('The processes could not be listed.')
  lastTable = table
  const found = { table, byTask: tagged.find(table) }
  const over = endings.filter((each) => {
    const left = each.ending.find(found)
    const isOver = left.length === 0 || isGivenUp(each)
    each.left = left
    if (!isOver) act(each, left, table)
    return isOver
  })
  if (over.length === 0) return
  // Requests with nothing left can wait for a final check; those in their SIGKILL phase cannot wait.
  const certain = new Set(over)
  if (endings.some((each) => each.kills > 0 && !certain.has(each))) return
  const isMine = (tag: ProcessTag): boolean => over.some(({ ending }) => ending.isMine(tag))
  const caught = await reapRespawning(
    isMine,
    table.keys(),
    over.some(({ grows }) => grows),
  )
  for (const each of over) {
    const left = each.ending.find(found)
    // Caught processes may have left others behind: poll once more.
    if (caught.length > 0 && left.length === 0 && !isGivenUp(each)) {
      each.grows = true
      continue
    }
    each.left = left
    end(each)
  }
}

function end(each: Running): void {
  running.delete(each)
  each.done([...each.left])
}

/** On a busy machine, still tries a minimum number of times. */
function isGivenUp({ killAt, kills }: Running): boolean {
  return performance.now() >= killAt + KILL_WAIT_MS && kills >= MIN_KILLS
}

function act(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  if (each.polls++ === 0) {
    for (const entry of left) if (each.ending.asked?.includes(entry.group)) isFirstSignal(each, entry, 'SIGTERM')
  }
  if (performance.now() < each.killAt) ask(each, left, table)
  else if (++each.kills <= FREEZE_AFTER) signalAll(left, table, 'SIGKILL')
  else freezeAndKill(each, left, table)
}

function ask(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  const spared = each.ending.spare?.(left)
  const isNew = left.filter((entry) => entry !== spared && isFirstSignal(each, entry, 'SIGTERM'))
  if (each.polls > 1 && isNew.length > 0) each.grows = true
  signalAll(isNew, table, 'SIGTERM')
  // A stopped process (Ctrl-Z, SIGSTOP) handles SIGTERM only once it is resumed.
  for (const entry of isNew) if (entry.state === 'T') signalProcess(entry, 'SIGCONT')
}

/**
 * Stops processes before killing them. They are killed once nothing is left running that could respawn them, and every
 * fourth round anyway.
 */
function freezeAndKill(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  each.grows = true
  const isNew = left.filter((entry) => isFirstSignal(each, entry, 'SIGSTOP'))
  for (const entry of isNew) signalProcess(entry, 'SIGSTOP')
  if (isNew.length === 0 || each.kills % 4 === 0) signalAll(left, table, 'SIGKILL')
}

/** Signals whole process groups where every member is included. */
function signalAll(entries: readonly ProcessEntry[], table: ProcessTable, signal: NodeJS.Signals): void {
  if (entries.length === 0) return
  const all = groupSizes(table)
  const wanted = sizesOf(entries)
  const reached = new Set<number>()
  for (const entry of entries) {
    const { group } = entry
    if (reached.has(group)) continue
    if (wanted.get(group) === all.get(group) && signalGroupOf(entry, signal)) reached.add(group)
    else signalProcess(entry, signal)
  }
}

/** How many live processes each group of the system has; counted once per table. */
const sizes = new WeakMap<ProcessTable, ReadonlyMap<number, number>>()

function groupSizes(table: ProcessTable): ReadonlyMap<number, number> {
  const known = sizes.get(table) ?? sizesOf(table.values())
  sizes.set(table, known)
  return known
}

function sizesOf(entries: Iterable<ProcessEntry>): Map<number, number> {
  const counted = new Map<number, number>()
  for (const { group, state } of entries) if (isAliveState(state)) counted.set(group, (counted.get(group) ?? 0) + 1)
  return counted
}

/** Records the signal; true if it was not sent before. */
function isFirstSignal({ sent }: Running, { pid, started }: ProcessEntry, signal: string): boolean {
  const key = `${signal} ${pid} ${started}`
  if (sent.has(key)) return false
  sent.add(key)
  return true
}

/** Passes without a find after which the search ends. */
const IDLE_PASSES = 3
const MAX_MS = 400

/**
 * Catches programs that respawn and exit hundreds of times a second, so that a scan always misses them. Checks only
 * processes that are not in `known`, newest first, as fast as they appear, and sends each SIGSTOP immediately. Ends
 * after a few passes without a find; with `isSuspicious` (respawning was seen), only when one is caught or after
 * `MAX_MS`.
 */
async function reapRespawning(
  isWanted: (tag: ProcessTag) => boolean,
  known: Iterable<number>,
  isSuspicious: boolean,
): Promise<ProcessEntry[]> {
  if (process.platform !== 'linux') return []
  const judged = new Set(known)
  const caught: ProcessEntry[] = []
  const end = performance.now() + MAX_MS
  let emptyPasses = 0
  const isEnough = (): boolean => emptyPasses >= IDLE_PASSES && (caught.length > 0 || !isSuspicious)
  while (!isEnough() && performance.now() < end) {
    emptyPasses++
    for (const pid of runningPids()) {
      if (judged.has(pid)) continue
      const tag = ownTag({ pid })
      const entry = tag && isWanted(tag) ? readStat(pid) : undefined
      if (tag === undefined && readStat(pid) === undefined) continue
      judged.add(pid)
      if (!entry || !signalProcess(entry, 'SIGSTOP')) continue
      caught.push(entry)
      emptyPasses = 0
    }
    await nextTurn()
  }
  for (const entry of caught) signalProcess(entry, 'SIGKILL')
  return caught
}

/**
 * Signals exactly this process, never a later one with the same pid, nor ourselves. Returns false if it has exited or
 * we may not signal it.
 */
export function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(entry.pid) && isStillThere(entry) && send(entry.pid, signal)
}

/**
 * Signals the whole process group of `member` in one call, so that no member can start another in between. The group id
 * cannot be reused while a member lives.
 */
export function signalGroupOf(member: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(member.group) && isStillThere(member) && send(-member.group, signal)
}

function isOther(id: number): boolean {
  // 0 and 1 would signal our own group and all processes.
  return id > 1 && id !== process.pid
}

function send(id: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(id, signal)
    return true
  } catch {
    return false
  }
}
