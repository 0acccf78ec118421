import { parseTag, parseListedTag, type ProcessTag } from '../process-tag'
import { readBytes, type ProcessEntry } from '../proc-files'
import { isAliveState, type ProcessTable } from '../process-table'

export interface TaggedProcess {
  entry: ProcessEntry
  /** Its own tag, or that of the task it was found to belong to. */
  tag: ProcessTag
}

/** Live processes by task. */
export type ProcessesByTask = ReadonlyMap<string, readonly TaggedProcess[]>

interface Known {
  started: number
  program: number
  tag: ProcessTag | undefined
}

/** How long a session or group without a leader is remembered; later its id may be reused. */
const REMEMBER_MS = 10_000

/**
 * Finds the task each process belongs to. The task is named in its environment, which is read once for each program it
 * executes. A process that cleared its environment, or that we may not inspect (`sudo`), belongs to the task of its
 * parent, session or process group, and stays with that task until it ends. A process that cleared its environment,
 * left its session and lost its parent before the first scan is not found.
 */
export class TaggedProcesses {
  #known = new Map<number, Known>()
  /** Sessions and groups of tasks, by the pid of their leader. */
  #sessions = new Map<number, ProcessTag>()
  #groups = new Map<number, ProcessTag>()
  #at = Number.NEGATIVE_INFINITY

  find(table: ProcessTable): ProcessesByTask {
    if (performance.now() - this.#at > REMEMBER_MS) [this.#sessions, this.#groups] = [new Map(), new Map()]
    this.#at = performance.now()
    this.#look(table)
    this.#rememberOwn(table)
    const followed = new Set<number>()
    for (const entry of table.values()) this.#follow(entry, table, followed)
    return this.#byTask(table)
  }

  /** Reads new processes and forgets ended ones. */
  #look(table: ProcessTable): void {
    const known = new Map<number, Known>()
    for (const entry of table.values()) {
      const { pid, started, program } = entry
      const before = this.#known.get(pid)
      const isSame = before?.started === started
      if (isSame && before.program === program && program !== 0) known.set(pid, before)
      else known.set(pid, { started, program, tag: ownTag(entry) ?? (isSame ? before.tag : undefined) })
    }
    this.#known = known
  }

  /**
   * If the leader of a session is alive, it alone decides. Otherwise the oldest member does: a process that started
   * before the first tagged one, such as the user's shell, does not belong to the task.
   */
  #rememberOwn(table: ProcessTable): void {
    const [sessions, groups] = [new Map<number, ProcessEntry>(), new Map<number, ProcessEntry>()]
    for (const entry of table.values()) {
      if (!table.has(entry.session)) keepOlder(sessions, entry.session, entry)
      if (!table.has(entry.group)) keepOlder(groups, entry.group, entry)
      const tag = this.#known.get(entry.pid)?.tag
      if (tag && entry.session === entry.pid) this.#sessions.set(entry.pid, tag)
      if (tag && entry.group === entry.pid) this.#groups.set(entry.pid, tag)
    }
    for (const [remembered, oldest] of [
      [this.#sessions, sessions],
      [this.#groups, groups],
    ] as const) {
      for (const [leader, { pid }] of oldest) {
        const tag = this.#known.get(pid)?.tag
        if (tag) remembered.set(leader, tag)
      }
    }
  }

  #follow(entry: ProcessEntry, table: ProcessTable, followed: Set<number>): ProcessTag | undefined {
    const known = this.#known.get(entry.pid)
    // A table read while processes come and go may contain cycles.
    if (!known || known.tag || followed.has(entry.pid)) return known?.tag
    followed.add(entry.pid)
    const parent = entry.parent > 1 ? table.get(entry.parent) : undefined
    known.tag =
      (parent && this.#follow(parent, table, followed)) ??
      this.#ofLeader(entry.session, this.#sessions, table, followed) ??
      this.#ofLeader(entry.group, this.#groups, table, followed)
    return known.tag
  }

  #ofLeader(
    leader: number,
    remembered: Map<number, ProcessTag>,
    table: ProcessTable,
    followed: Set<number>,
  ): ProcessTag | undefined {
    if (leader <= 1) return undefined
    const entry = table.get(leader)
    return entry ? this.#follow(entry, table, followed) : remembered.get(leader)
  }

  #byTask(table: ProcessTable): ProcessesByTask {
    const byTask = new Map<string, TaggedProcess[]>()
    const [sessions, groups] = [new Map<number, ProcessTag>(), new Map<number, ProcessTag>()]
    for (const entry of table.values()) {
      const tag = this.#known.get(entry.pid)?.tag
      if (!tag) continue
      if (this.#sessions.has(entry.session) || entry.session === entry.pid) sessions.set(entry.session, tag)
      if (this.#groups.has(entry.group) || entry.group === entry.pid) groups.set(entry.group, tag)
      if (!isAliveState(entry.state)) continue
      const found = byTask.get(tag.taskId)
      if (found) found.push({ entry, tag })
      else byTask.set(tag.taskId, [{ entry, tag }])
    }
    ;[this.#sessions, this.#groups] = [sessions, groups]
    return byTask
  }
}

function keepOlder(oldest: Map<number, ProcessEntry>, leader: number, entry: ProcessEntry): void {
  const known = oldest.get(leader)
  if (!known || entry.started < known.started) oldest.set(leader, entry)
}

/** The tag in its environment, if we may read that. */
export function ownTag({ pid, environment }: Pick<ProcessEntry, 'pid' | 'environment'>): ProcessTag | undefined {
  if (environment !== undefined) return parseListedTag(environment)
  const bytes = process.platform === 'linux' ? readBytes(`/proc/${pid}/environ`) : undefined
  return bytes && parseTag(bytes)
}
