import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises'
import type { ProcessTag } from './process-tag'
import { TaggedProcesses, type ProcessesByTask, ownTag } from './tagged-processes'
import { type ProcessEntry, runningPids, readStat } from './proc-files'
import { isAliveState, processTable, type ProcessTable, isStillThere } from './process-table'

/** What to end, as it is found at each look; whatever is added meanwhile is ended too. */
export interface KillRequest {
  /** Everything that is to be gone at the end. */
  find(found: ProcessSnapshot): readonly ProcessEntry[]
  /** Whether what carries this mark is among it. */
  isMine(mark: ProcessTag): boolean
  /** Process groups that were sent SIGTERM already. */
  asked?: readonly number[]
  /** Who of `left` is not asked to end yet, only killed with the others after the grace. */
  spare?(left: readonly ProcessEntry[]): ProcessEntry | undefined
}

export interface ProcessSnapshot {
  table: ProcessTable
  byTask: ProcessesByTask
}

interface Running {
  ending: KillRequest
  killAt: number
  /** Who was told what. */
  sent: Set<string>
  polls: number
  /** Who was left at the last look. */
  left: readonly ProcessEntry[]
  /** Looks since the killing began. */
  kills: number
  /** Somebody appeared who was not there at first. */
  grows: boolean
  done: (left: ProcessEntry[]) => void
}

/** Between two looks: at first often, because most programs end at once, then less so. */
const FIRST_POLL_MS = 30
const SLOWEST_POLL_MS = 250
const KILL_POLL_MS = 10
/** After SIGKILL only a process stuck in the kernel is left; it is not waited for longer than this. */
const KILL_WAIT_MS = 1_900
const LEAST_KILLS = 8
/** Killing alone was not enough by then: some start others faster. They are stopped in their tracks first. */
const FREEZE_AFTER = 3

const tagged = new TaggedProcesses()
const running = new Set<Running>()
let isPolling = false
let lastTable: ProcessTable = new Map()

/**
 * Tells everything that carries the mark of these tasks to end: SIGTERM now, SIGKILL after `graceMs`, also to what appears meanwhile. Resolves
 * when nothing is left, or with what even SIGKILL does not end. However many are under way, one search of the system's processes serves them all.
 */
export function killTagged(taskIds: readonly string[], graceMs: number): Promise<ProcessEntry[]> {
  const find = ({ byTask }: ProcessSnapshot): ProcessEntry[] =>
    taskIds.flatMap((taskId) => (byTask.get(taskId) ?? []).map(({ entry }) => entry))
  return killProcesses({ find, isMine: ({ taskId }) => taskIds.includes(taskId) }, graceMs)
}

/** The same for whatever `ending` finds. */
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
  let most = 0
  while (running.size > 0) {
    // Somebody new: at first often again.
    if (running.size > most) pollMs = FIRST_POLL_MS
    most = running.size
    await poll([...running])
    const nextKill = Math.min(...[...running].map(({ killAt }) => killAt)) - performance.now()
    if (running.size > 0) await sleep(nextKill <= 0 ? KILL_POLL_MS : Math.min(pollMs, nextKill))
    pollMs = Math.min(pollMs * 1.3, SLOWEST_POLL_MS)
  }
  isPolling = false
  lastTable = new Map()
}

async function poll(endings: readonly Running[]): Promise<void> {
  // Their time is over: who is known to be left need not wait for the next look.
  for (const each of endings)
    if (each.kills === 0 && performance.now() >= each.killAt) signalAll(each.left, lastTable, 'SIGKILL')
  const table = await processTable()
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
  // Who is over can wait a moment for the certainty that nobody is missed; who is being killed cannot.
  const certain = new Set(over)
  if (endings.some((each) => each.kills > 0 && !certain.has(each))) return
  const isMine = (mark: ProcessTag): boolean => over.some(({ ending }) => ending.isMine(mark))
  const caught = await reapRespawning(
    isMine,
    table.keys(),
    over.some(({ grows }) => grows),
  )
  for (const each of over) {
    const left = each.ending.find(found)
    // Whoever was caught may have left others: one more look.
    if (caught.length > 0 && left.length === 0 && !isGivenUp(each)) {
      each.grows = true
      continue
    }
    running.delete(each)
    each.done([...left])
  }
}

/** On a machine that is too busy to give us our turn, it is still tried a few times. */
function isGivenUp({ killAt, kills }: Running): boolean {
  return performance.now() >= killAt + KILL_WAIT_MS && kills >= LEAST_KILLS
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
  // What is stopped (Ctrl-Z, SIGSTOP) hears of it only when it goes on.
  for (const entry of isNew) if (entry.state === 'T') signalProcess(entry, 'SIGCONT')
}

/** Those that are caught can go once nobody is left who could start them anew, and now and then anyway. */
function freezeAndKill(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  each.grows = true
  const isNew = left.filter((entry) => isFirstSignal(each, entry, 'SIGSTOP'))
  for (const entry of isNew) signalProcess(entry, 'SIGSTOP')
  if (isNew.length === 0 || each.kills % 4 === 0) signalAll(left, table, 'SIGKILL')
}

/** By whole process groups where nobody else is in them. */
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

/** How many live processes each group of the system has; counted once for all endings of a look. */
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

/** True the first time. */
function isFirstSignal({ sent: told }: Running, { pid, started }: ProcessEntry, signal: string): boolean {
  const key = `${signal} ${pid} ${started}`
  if (told.has(key)) return false
  told.add(key)
  return true
}

/** Looks without a find after which there is nothing. */
const IDLE_PASSES = 3
const MAX_MS = 400

/**
 * Catches what is gone whenever somebody comes to look: a program that starts itself anew and ends, a few hundred times a second. It looks only
 * at processes that are not in `known`, one after the other as fast as they come, and stops each of them in its tracks at once. Ends after a few looks in vain;
 * with `isSuspicious`, when some were seen doing this, only when one is caught or after a while.
 */
async function reapRespawning(
  isWanted: (mark: ProcessTag) => boolean,
  known: Iterable<number>,
  isSuspicious: boolean,
): Promise<ProcessEntry[]> {
  if (process.platform !== 'linux') return []
  const judged = new Set(known)
  const caught: ProcessEntry[] = []
  const end = performance.now() + MAX_MS
  let inVain = 0
  const isEnough = (): boolean => inVain >= IDLE_PASSES && (caught.length > 0 || !isSuspicious)
  while (!isEnough() && performance.now() < end) {
    inVain++
    for (const pid of runningPids()) {
      if (judged.has(pid)) continue
      const mark = ownTag({ pid })
      const entry = mark && isWanted(mark) ? readStat(pid) : undefined
      if (mark === undefined && readStat(pid) === undefined) continue
      judged.add(pid)
      if (!entry || !signalProcess(entry, 'SIGSTOP')) continue
      caught.push(entry)
      inVain = 0
    }
    await nextTurn()
  }
  for (const entry of caught) signalProcess(entry, 'SIGKILL')
  return caught
}

/** Signals that very process, never a later one of the same number, nor ourselves. False: it is gone, or not ours to signal. */
export function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(entry.pid) && isStillThere(entry) && send(entry.pid, signal)
}

/**
 * Signals the whole process group that `member` is in: all at once, so that none of them can start another meanwhile. The number cannot be
 * somebody else's while a member lives.
 */
export function signalGroupOf(member: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(member.group) && isStillThere(member) && send(-member.group, signal)
}

function isOther(id: number): boolean {
  // 0 and 1 would reach our own group and everybody.
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
