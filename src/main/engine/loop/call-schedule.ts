import { sep } from 'node:path'
import type { Access } from '../tool/tool'
import { maxConcurrent } from '../process/file-descriptors'

/** Whether two calls must not overlap: they touch the same resource and one of them may change it. */
export function conflicts(a: readonly Access[], b: readonly Access[]): boolean {
  return a.some((left) => b.some((right) => overlaps(left, right)))
}

function overlaps(a: Access, b: Access): boolean {
  if (a.kind === 'all' || b.kind === 'all') return true
  if (a.kind === 'network' || b.kind === 'network') return false
  if (a.kind === 'server' && b.kind === 'server') return (a.write || b.write) && a.server === b.server
  // A server on another machine cannot touch local files.
  if ((a.kind === 'server' && !a.local) || (b.kind === 'server' && !b.local)) return false
  if (!mayWrite(a) && !mayWrite(b)) return false
  // A command, like a local server, can touch any file, so it conflicts with everything that reads or writes files.
  if (a.kind === 'command' || b.kind === 'command' || a.kind === 'server' || b.kind === 'server') return true
  if (a.kind === 'file' && b.kind === 'file') return fold(a.path) === fold(b.path)
  return (a.kind === 'tree' && within(b.path, a.path)) || (b.kind === 'tree' && within(a.path, b.path))
}

/** Whether the access may change something. */
export function mayWrite(access: Exclude<Access, { kind: 'all' | 'network' }>): boolean {
  return access.kind === 'command' ? !onlyReads(access.command) : access.write
}

function within(path: string, tree: string): boolean {
  const [inner, outer] = [fold(path), fold(tree)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

/**
 * On a case-insensitive file system, two spellings can be the same file. Treating them as one costs at most some
 * parallelism.
 */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

const READERS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'ls',
  'pwd',
  'cat',
  'wc',
  'head',
  'stat',
  'file',
  'date',
  'whoami',
  'uname',
  'which',
  'du',
  'df',
  'echo',
  'id',
  'hostname',
  'basename',
  'dirname',
])

/**
 * A deliberately small list: one plain command without shell syntax, from programs that cannot write. It only lets
 * calls run in parallel; it does not allow any call.
 */
function onlyReads(command: string): boolean {
  const words = /^[\w./=@:, -]+$/.test(command) ? command.trim().split(/ +/) : []
  return words[0] !== undefined && READERS.has(words[0])
}

/**
 * Runs jobs in the order of the list, each as soon as all earlier jobs that conflict with it have finished. `run` must
 * not reject.
 */
export async function runScheduled<Job extends { accesses: readonly Access[] }>(
  jobs: readonly Job[],
  run: (job: Job, waited: boolean) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  for (const [index, job] of jobs.entries()) {
    const before = running.filter((_, earlier) => conflicts(jobs[earlier]!.accesses, job.accesses))
    running[index] = before.length === 0 ? run(job, false) : Promise.all(before).then(() => run(job, true))
  }
  await Promise.all(running)
}

interface Entry {
  accesses: readonly Access[]
  over: Promise<void>
}

/**
 * Schedules the calls of all agents of a family, which work in the same folders in parallel: each runs when all earlier
 * calls that conflict with it have finished, whichever agent made them. (Within a step, `runScheduled` does the same,
 * and the waiting call is prepared again.)
 */
export class AgentCallSchedule {
  readonly #families = new Map<string, Set<Entry>>()

  /** Rejects when `signal` aborts while the call waits. */
  async run<Result>(
    family: string,
    accesses: readonly Access[],
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (accesses.length === 0) return work()
    const entries = this.#families.get(family) ?? new Set<Entry>()
    this.#families.set(family, entries)
    const before = [...entries].filter((earlier) => conflicts(earlier.accesses, accesses)).map(({ over }) => over)
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const entry: Entry = { accesses, over }
    entries.add(entry)
    try {
      if (before.length > 0) await unlessAborted(Promise.all(before), signal)
      return await work()
    } finally {
      entries.delete(entry)
      if (entries.size === 0) this.#families.delete(family)
      resolve()
    }
  }
}

async function unlessAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([wait, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Maximum file descriptors of a command: its terminal (twice), its log, the streams of its shell, and its sandbox.
 */
const FILES_PER_CALL = 14

/** Limits how many calls run at once, so that file descriptors suffice; the others wait in order. */
export class CallLimiter {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(max: number) {
    this.free = max
  }

  /**
   * Runs `work` as soon as a slot is free, or immediately when `signal` aborts, because `work` then only reports the
   * stop.
   */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1
    else if (!(await this.turn(signal))) return work()
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free += 1
    }
  }

  /** Resolves with false when `signal` aborted first. */
  private turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        resolve(false)
      }
      this.waiting.push(start)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}

/** File descriptors belong to the process, so all its turns share one limiter. */
const limiter = new CallLimiter(maxConcurrent(FILES_PER_CALL, Number.POSITIVE_INFINITY))

/**
 * Runs a call when descriptors are free for the files it opens. Calls that open no files (waiting for the user or a
 * subagent) are not limited.
 */
export function withinFileLimit<Result>(
  accesses: readonly Access[],
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const opensFiles = accesses.some(({ kind }) => kind === 'command' || kind === 'file' || kind === 'tree')
  return opensFiles ? limiter.run(signal, work) : work()
}
