import { existsSync, realpathSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { packagedRuntime, programRoot } from './plain-node'
import { SUPERVISOR_VARIABLE, homeKey, parseSupervisorTag, TASK_VARIABLE, heartbeatFile } from '../process/process-tag'
import { readLink, readBytes, readStat, type ProcessEntry } from '../process/proc-files'
import { processTable, type ProcessTable } from '../process/process-table'

/** Facts about a process that are not in the process table. */
export interface ProcessFacts {
  /** `NAME=value` pairs; undefined if not readable. */
  environment?: readonly string[]
  /** Its program and arguments, with paths resolved where possible. */
  words: readonly string[]
  /** Undefined if the system does not report it. */
  user?: number
}

export interface AgentTraceOptions {
  /** Real path of TRESTLE_HOME. Commands of another home's agent do not count. */
  home: string
  /** Whether processes count whose ancestors have ended. Default: true. */
  orphans?: boolean
  /** Default: this process. */
  pid?: number
  table?: ProcessTable
  facts?: (entry: ProcessEntry) => ProcessFacts
}

/** Processes by pid; `values` is only used if orphans count. */
interface Processes {
  get(pid: number): ProcessEntry | undefined
  values(): Iterable<ProcessEntry>
}

/** Processes that become the parent of a process whose own parent has ended. */
const ADOPTERS = /^(?:systemd|init|tini|dumb-init|docker-init|catatonit|conmon|containerd-shim.*|launchd)$/

/**
 * Why a process is assumed to have been started by an agent's command, as part of a sentence; undefined if nothing
 * suggests so. Judged by its ancestors and its session leader, never by its own environment alone: a command can change
 * that, and open a terminal for itself. A process belongs to an agent if it descends from a tagged command or from a
 * Trestle that runs commands, or if it was orphaned while a Trestle older than it is running. Not detected: what an
 * agent types into a terminal that the user has open, and processes left over after every Trestle has ended.
 */
export async function agentTrace(options: AgentTraceOptions): Promise<string | undefined> {
  const { home, orphans = true, pid = process.pid, facts = factsOf } = options
  // Its few ancestors are quick to look up; only orphans need a full scan.
  const table: Processes =
    options.table ??
    (orphans || process.platform !== 'linux' ? await processTable() : { get: readStat, values: () => [] })
  const self = table.get(pid)
  if (!self) {
    if (pid !== process.pid) return undefined
    // Windows may not list processes at all; then its own environment is the only evidence.
    if (isTagged(ownEnvironment(), home)) return 'it is a command of an agent'
    return process.platform === 'win32' ? undefined : 'its parent processes could not be determined'
  }
  const chain = chainOf(self, table)
  const leader = table.get(self.session)
  for (const entry of new Set([...chain, ...(leader ? chainOf(leader, table) : [])])) {
    const known = facts(entry)
    if (isTagged(known.environment, home)) return `process ${entry.pid} (${entry.name}) is a command of an agent`
    if (entry.pid !== pid && isTrestle(entry, known, home)) return `Trestle itself (process ${entry.pid}) started it`
  }
  if (orphans) return orphanTrace(chain, table, facts, home)
  return undefined
}

/** The process and its ancestors, up to the first process of the system. */
function chainOf(entry: ProcessEntry, table: Processes): ProcessEntry[] {
  const chain: ProcessEntry[] = []
  // A table read while processes come and go may contain cycles.
  for (
    let at: ProcessEntry | undefined = entry;
    at && chain.every(({ pid }) => pid !== at!.pid);
    at = table.get(at.parent)
  )
    chain.push(at)
  return chain
}

/** Detects adopted processes: a command that left its session and parent is younger than the Trestle that ran it. */
function orphanTrace(
  chain: readonly ProcessEntry[],
  table: Processes,
  facts: (entry: ProcessEntry) => ProcessFacts,
  home: string,
): string | undefined {
  const [self] = chain
  const adopted = chain.findIndex((entry, index) => {
    const parent = chain[index + 1]
    return (
      entry.pid !== 1 && (parent === undefined ? entry.parent === 1 : parent.pid === 1 || ADOPTERS.test(parent.name))
    )
  })
  const top = chain[adopted]
  if (!top || !self) return undefined
  const [ownUser, topUser] = [facts(self).user, facts(top).user]
  // A system login, which the user's commands cannot start.
  if (topUser === 0 && ownUser !== undefined && ownUser !== 0) return undefined
  for (const other of table.values()) {
    if (other.started > top.started || chain.some(({ pid }) => pid === other.pid)) continue
    if (isTrestle(other, facts(other), home))
      return `its process ${top.pid} (${top.name}) has left the one that started it while Trestle was running`
  }
  return undefined
}

function isTagged(environment: readonly string[] | undefined, home: string): boolean {
  const tag = environment?.find((pair) => pair.startsWith(`${SUPERVISOR_VARIABLE}=`))
  const owner = tag === undefined ? undefined : parseSupervisorTag(tag.slice(SUPERVISOR_VARIABLE.length + 1))
  if (owner) return owner.home === homeKey(home)
  return (
    tag !== undefined ||
    (environment?.some((pair) => pair.startsWith(`${TASK_VARIABLE}=`) && pair.length > TASK_VARIABLE.length + 1) ??
      false)
  )
}

/** Whether a process is a Trestle, or the task host, of this home. */
function isTrestle({ pid }: ProcessEntry, { words, environment }: ProcessFacts, home: string): boolean {
  if (existsSync(heartbeatFile(home, { host: hostname(), pid }))) return true
  // Processes that outlive the app run from a copy.
  const copies = join(home, 'runtime') + sep
  if (!words.some((word) => isOurProgram(word) || word.startsWith(copies)) || isLauncher(words[0])) return false
  return environment === undefined || homeOf(environment) === home || words.includes(home)
}

/**
 * Programs that start the one named in their arguments: `timeout 60 trestle chat` belongs to the user if its parents
 * do.
 */
const LAUNCHERS =
  /^(?:timeout|g?env|nice|ionice|chrt|taskset|nohup|setsid|stdbuf|unbuffer|time|sudo|doas|su|runuser|setpriv|strace|ltrace|perf|gdb|script|tmux|screen|xargs|watch|flock|bwrap|unshare|nsenter|systemd-run|coreutils|busybox|(?:ba|da|z|fi|k)?sh)$/

/** Judged by the executable, which a process cannot fake, unlike its arguments. */
function isLauncher(executable: string | undefined): boolean {
  return executable !== undefined && LAUNCHERS.test(basename(executable))
}

function isOurProgram(word: string): boolean {
  const { places, starter, electron } = (own ??= ownProgram())
  return (
    places.some((place) => word.startsWith(place)) || word === starter || (electron !== undefined && word === electron)
  )
}

/**
 * The locations of our program: its folders (in a package, with its Node and Electron's binary), the program that `npm
 * start` runs, and Electron if this process is one.
 */
interface OwnProgram {
  places: readonly string[]
  starter: string
  electron?: string
}

let own: OwnProgram | undefined

function ownProgram(): OwnProgram {
  const root = programRoot()
  const executable = process.execPath
  const starter = join(root, 'scripts', 'start.mjs')
  const packaged = packagedRuntime()
  const places = [join(root, 'out') + sep, ...(packaged ? [dirname(dirname(dirname(packaged.node))) + sep] : [])]
  return { places, starter, ...(!/^node(?:\.exe)?$/.test(basename(executable)) && { electron: executable }) }
}

function homeOf(environment: readonly string[]): string {
  const value = (name: string): string | undefined =>
    environment.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const userHome = value('HOME') ?? homedir()
  const chosen = value('TRESTLE_HOME') || join(userHome, '.trestle')
  return realOf(resolve(/^~(?:[/\\]|$)/.test(chosen) ? join(userHome, chosen.slice(1)) : chosen))
}

function factsOf({ pid, environment, command }: ProcessEntry): ProcessFacts {
  if (process.platform !== 'linux') {
    return {
      words: command?.split(' ') ?? [],
      ...(environment !== undefined && { environment: environment.split(' ') }),
    }
  }
  const cwd = readLink(`/proc/${pid}/cwd`)
  const text = readBytes(`/proc/${pid}/cmdline`)?.toString('utf8') ?? ''
  const words = text
    .split('\0')
    .slice(0, 8)
    .filter((word) => word !== '')
  const pairs = readBytes(`/proc/${pid}/environ`)?.toString('utf8').split('\0')
  const status = readBytes(`/proc/${pid}/status`)?.toString('latin1') ?? ''
  const user = /^Uid:\s+(\d+)/m.exec(status)?.[1]
  return {
    // `trestle` on the PATH is a link to the program.
    words: [
      readLink(`/proc/${pid}/exe`),
      ...words.map((word) => (word.startsWith('-') ? word : realOf(resolve(cwd || '/', word)))),
    ],
    ...(pairs && { environment: pairs }),
    ...(user !== undefined && { user: Number(user) }),
  }
}

function ownEnvironment(): string[] {
  return Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
