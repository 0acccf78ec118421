import { setTimeout as sleep } from 'node:timers/promises'
import { MarkedProcesses, type ProcessesByTask } from './marked-processes'
import { isAliveState, processTable, type ProcessEntry, type ProcessTable } from './process-table'
import { signalGroupOf, signalProcess } from './signal-process'

/** What to end, as it is found at each look; whoever is added meanwhile is ended too. */
export interface Ending {
  /** Everything that is to be gone at the end. */
  find(found: { table: ProcessTable; byTask: ProcessesByTask }): readonly ProcessEntry[]
  /** Process groups that were sent SIGTERM already. */
  asked?: readonly number[]
  /** Who of `left` is not asked to end yet, only killed with the others after the grace. */
  spare?(left: readonly ProcessEntry[]): ProcessEntry | undefined
}

interface Running {
  ending: Ending
  killAt: number
  asked: Set<string>
  looks: number
  /** Looks in a row that found nothing. */
  empty: number
  /** Looks since the killing began. */
  kills: number
  done: (left: ProcessEntry[]) => void
}

/** Between two looks: at first often, because most programs end at once, then less so. */
const FIRST_POLL_MS = 30
const SLOWEST_POLL_MS = 150
/** After SIGKILL only a process stuck in the kernel is left; it is not waited for longer than this. */
const KILL_WAIT_MS = 1_900
/** Something may be born between the moment the numbers are listed and the moment its parent's is looked at. */
const EMPTY_LOOKS = 2
/** Killing alone was not enough by then: some start others faster. They are stopped in their tracks first. */
const FREEZE_AFTER = 3

const marks = new MarkedProcesses()
const running = new Set<Running>()
let isLooking = false

/**
 * Tells everything that carries the mark of these tasks to end: SIGTERM now, SIGKILL after `graceMs`, also to what appears meanwhile. Resolves
 * when nothing is left, or with what even SIGKILL does not end. However many are under way, one search of the system's processes serves them all.
 */
export function endMarked(taskIds: readonly string[], graceMs: number): Promise<ProcessEntry[]> {
  return endProcesses({ find: ({ byTask }) => taskIds.flatMap((taskId) => (byTask.get(taskId) ?? []).map(({ entry }) => entry)) }, graceMs)
}

/** The same for whatever `ending` finds. */
export function endProcesses(ending: Ending, graceMs: number): Promise<ProcessEntry[]> {
  return new Promise((done) => {
    running.add({ ending, killAt: performance.now() + graceMs, asked: new Set(), looks: 0, empty: 0, kills: 0, done })
    if (!isLooking) void lookUntilDone()
  })
}

async function lookUntilDone(): Promise<void> {
  isLooking = true
  let pollMs = FIRST_POLL_MS
  let most = 0
  try {
    while (running.size > 0) {
      // Somebody new: at first often again.
      if (running.size > most) pollMs = FIRST_POLL_MS
      most = running.size
      const begun = [...running]
      const table = await processTable()
      const found = { table, byTask: marks.find(table) }
      for (const each of begun) act(each, found)
      const nextKill = Math.min(...[...running].map(({ killAt }) => killAt)) - performance.now()
      if (running.size > 0) await sleep(nextKill <= 0 || begun.some(({ empty }) => empty > 0) ? 10 : Math.min(pollMs, nextKill))
      pollMs = Math.min(pollMs * 1.3, SLOWEST_POLL_MS)
    }
  } finally {
    isLooking = false
  }
}

function act(each: Running, found: { table: ProcessTable; byTask: ProcessesByTask }): void {
  const left = each.ending.find(found)
  each.empty = left.length === 0 ? each.empty + 1 : 0
  const kill = performance.now() >= each.killAt
  if (each.empty >= EMPTY_LOOKS || performance.now() >= each.killAt + KILL_WAIT_MS) {
    running.delete(each)
    if (left.length > 0) signalAll(left, found, 'SIGKILL')
    each.done([...left])
    return
  }
  if (!kill) ask(each, left, found)
  else if (++each.kills > FREEZE_AFTER && left.some((entry) => !isAsked(each, entry, 'SIGSTOP'))) {
    for (const entry of left) if (note(each, entry, 'SIGSTOP')) signalProcess(entry, 'SIGSTOP')
    // Those that are caught can go; what is born meanwhile is caught the next time.
    if (each.kills % 4 === 0) signalAll(left, found, 'SIGKILL')
  } else signalAll(left, found, 'SIGKILL')
}

function ask(each: Running, left: readonly ProcessEntry[], found: { table: ProcessTable }): void {
  const spared = each.ending.spare?.(left)
  if (each.looks++ === 0) for (const entry of left) if (each.ending.asked?.includes(entry.group)) note(each, entry, 'SIGTERM')
  const isNew = left.filter((entry) => entry !== spared && note(each, entry, 'SIGTERM'))
  signalAll(isNew, found, 'SIGTERM')
  // What is stopped (Ctrl-Z, SIGSTOP) hears of it only when it goes on.
  for (const entry of isNew) if (entry.state === 'T') signalProcess(entry, 'SIGCONT')
}

/** By whole process groups where nobody else is in them. */
function signalAll(entries: readonly ProcessEntry[], { table }: { table: ProcessTable }, signal: NodeJS.Signals): void {
  const wanted = new Set(entries.map(({ pid }) => pid))
  const shared = new Set<number>()
  const groups = new Set(entries.map(({ group }) => group))
  for (const { pid, group, state } of table.values()) if (groups.has(group) && !wanted.has(pid) && isAliveState(state)) shared.add(group)
  const reached = new Set<number>()
  for (const entry of entries) {
    if (reached.has(entry.group)) continue
    if (!shared.has(entry.group) && signalGroupOf(entry, signal)) reached.add(entry.group)
    else signalProcess(entry, signal)
  }
}

/** True the first time. */
function note(each: Running, entry: ProcessEntry, signal: string): boolean {
  if (isAsked(each, entry, signal)) return false
  each.asked.add(keyOf(entry, signal))
  return true
}

function isAsked(each: Running, entry: ProcessEntry, signal: string): boolean {
  return each.asked.has(keyOf(entry, signal))
}

function keyOf({ pid, started }: ProcessEntry, signal: string): string {
  return `${signal} ${pid} ${started}`
}
