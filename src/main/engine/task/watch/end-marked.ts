import { setTimeout as sleep } from 'node:timers/promises'
import { chase } from './chase'
import type { Mark } from './mark'
import { MarkedProcesses, type ProcessesByTask } from './marked-processes'
import type { ProcessEntry } from './process-entry'
import { isAliveState, processTable, type ProcessTable } from './process-table'
import { signalGroupOf, signalProcess } from './signal-process'

/** What to end, as it is found at each look; whatever is added meanwhile is ended too. */
export interface Ending {
  /** Everything that is to be gone at the end. */
  find(found: Look): readonly ProcessEntry[]
  /** Whether what carries this mark is among it. */
  isMine(mark: Mark): boolean
  /** Process groups that were sent SIGTERM already. */
  asked?: readonly number[]
  /** Who of `left` is not asked to end yet, only killed with the others after the grace. */
  spare?(left: readonly ProcessEntry[]): ProcessEntry | undefined
}

export interface Look {
  table: ProcessTable
  byTask: ProcessesByTask
}

interface Running {
  ending: Ending
  killAt: number
  /** Who was told what. */
  told: Set<string>
  looks: number
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

const marks = new MarkedProcesses()
const running = new Set<Running>()
let isLooking = false
let lastTable: ProcessTable = new Map()

/**
 * Tells everything that carries the mark of these tasks to end: SIGTERM now, SIGKILL after `graceMs`, also to what appears meanwhile. Resolves
 * when nothing is left, or with what even SIGKILL does not end. However many are under way, one search of the system's processes serves them all.
 */
export function endMarked(taskIds: readonly string[], graceMs: number): Promise<ProcessEntry[]> {
  const find = ({ byTask }: Look): ProcessEntry[] => taskIds.flatMap((taskId) => (byTask.get(taskId) ?? []).map(({ entry }) => entry))
  return endProcesses({ find, isMine: ({ taskId }) => taskIds.includes(taskId) }, graceMs)
}

/** The same for whatever `ending` finds. */
export function endProcesses(ending: Ending, graceMs: number): Promise<ProcessEntry[]> {
  return new Promise((done) => {
    running.add({ ending, killAt: performance.now() + graceMs, told: new Set(), looks: 0, left: [], kills: 0, grows: false, done })
    if (!isLooking) void lookUntilDone()
  })
}

async function lookUntilDone(): Promise<void> {
  isLooking = true
  let pollMs = FIRST_POLL_MS
  let most = 0
  while (running.size > 0) {
    // Somebody new: at first often again.
    if (running.size > most) pollMs = FIRST_POLL_MS
    most = running.size
    await look([...running])
    const nextKill = Math.min(...[...running].map(({ killAt }) => killAt)) - performance.now()
    if (running.size > 0) await sleep(nextKill <= 0 ? KILL_POLL_MS : Math.min(pollMs, nextKill))
    pollMs = Math.min(pollMs * 1.3, SLOWEST_POLL_MS)
  }
  isLooking = false
  lastTable = new Map()
}

async function look(endings: readonly Running[]): Promise<void> {
  // Their time is over: who is known to be left need not wait for the next look.
  for (const each of endings) if (each.kills === 0 && performance.now() >= each.killAt) signalAll(each.left, lastTable, 'SIGKILL')
  const table = await processTable()
  lastTable = table
  const found = { table, byTask: marks.find(table) }
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
  const isMine = (mark: Mark): boolean => over.some(({ ending }) => ending.isMine(mark))
  const caught = await chase(
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
  if (each.looks++ === 0) {
    for (const entry of left) if (each.ending.asked?.includes(entry.group)) tell(each, entry, 'SIGTERM')
  }
  if (performance.now() < each.killAt) ask(each, left, table)
  else if (++each.kills <= FREEZE_AFTER) signalAll(left, table, 'SIGKILL')
  else freezeAndKill(each, left, table)
}

function ask(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  const spared = each.ending.spare?.(left)
  const isNew = left.filter((entry) => entry !== spared && tell(each, entry, 'SIGTERM'))
  if (each.looks > 1 && isNew.length > 0) each.grows = true
  signalAll(isNew, table, 'SIGTERM')
  // What is stopped (Ctrl-Z, SIGSTOP) hears of it only when it goes on.
  for (const entry of isNew) if (entry.state === 'T') signalProcess(entry, 'SIGCONT')
}

/** Those that are caught can go once nobody is left who could start them anew, and now and then anyway. */
function freezeAndKill(each: Running, left: readonly ProcessEntry[], table: ProcessTable): void {
  each.grows = true
  const isNew = left.filter((entry) => tell(each, entry, 'SIGSTOP'))
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
function tell({ told }: Running, { pid, started }: ProcessEntry, signal: string): boolean {
  const key = `${signal} ${pid} ${started}`
  if (told.has(key)) return false
  told.add(key)
  return true
}
