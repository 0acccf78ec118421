import { existsSync, realpathSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { packagedRuntime } from './plain-node'
import { SUPERVISOR_VARIABLE, homeKey, parseSupervisorTag, TASK_VARIABLE, heartbeatFile } from '../process/process-tag'
import { readLink, readBytes, readStat, type ProcessEntry } from '../process/proc-files'
import { processTable, type ProcessTable } from '../process/process-table'

/** What is known of a process beside its place among the others. */
export interface ProcessFacts {
  /** `NAME=value` pairs; undefined when it is not ours to read. */
  environment?: readonly string[]
  /** Its program and arguments, with paths as far as they can be resolved. */
  words: readonly string[]
  /** Undefined where the system does not tell. */
  user?: number
}

export interface AgentTraceOptions {
  /** Real path of TRESTLE_HOME. Commands of another home's agent decide nothing about this one. */
  home: string
  /** Whether a process that left the processes it came from counts, too. Default true. */
  orphans?: boolean
  /** Default: this process. */
  pid?: number
  table?: ProcessTable
  facts?: (entry: ProcessEntry) => ProcessFacts
}

/** Processes by their number; `values` is only used where orphans count. */
interface Processes {
  get(pid: number): ProcessEntry | undefined
  values(): Iterable<ProcessEntry>
}

/** Those that become the parent of a process whose own parent has ended. */
const ADOPTERS = /^(?:systemd|init|tini|dumb-init|docker-init|catatonit|conmon|containerd-shim.*|launchd)$/

/**
 * Why a process must be taken for one that an agent's command started, as part of a sentence; undefined when nothing says so. It goes by the processes it comes
 * from and by the leader of its session, never by its own environment alone: a command can change that, and give itself a terminal. Taken for an agent's is
 * what comes from a marked command or from a Trestle that runs commands, and what was left to the system by a parent that has ended, while a Trestle older than it
 * is running. It does not see what an agent types into a terminal that the user has open, nor what stayed behind when every Trestle had ended.
 */
export async function agentTrace(options: AgentTraceOptions): Promise<string | undefined> {
  const { home, orphans = true, pid = process.pid, facts = factsOf } = options
  // The few it comes from are quickly asked for; only orphans take a look at all.
  const table: Processes =
    options.table ??
    (orphans || process.platform !== 'linux' ? await processTable() : { get: readStat, values: () => [] })
  const self = table.get(pid)
  // Where processes cannot be looked at (Windows), its own environment is all there is.
  if (!self) return pid === process.pid && isMarked(ownEnvironment(), home) ? 'it is a command of an agent' : undefined
  const chain = chainOf(self, table)
  const leader = table.get(self.session)
  for (const entry of new Set([...chain, ...(leader ? chainOf(leader, table) : [])])) {
    const known = facts(entry)
    if (isMarked(known.environment, home)) return `process ${entry.pid} (${entry.name}) is a command of an agent`
    if (entry.pid !== pid && isTrestle(entry, known, home)) return `Trestle itself (process ${entry.pid}) started it`
  }
  if (orphans) return orphanTrace(chain, table, facts, home)
  return undefined
}

/** The process and those it comes from, up to the first of the system. */
function chainOf(entry: ProcessEntry, table: Processes): ProcessEntry[] {
  const chain: ProcessEntry[] = []
  // A table taken while processes come and go may have rings in it.
  for (
    let at: ProcessEntry | undefined = entry;
    at && chain.every(({ pid }) => pid !== at!.pid);
    at = table.get(at.parent)
  )
    chain.push(at)
  return chain
}

/** A command that leaves its session and its parent goes to an adopter: then it is younger than the Trestle that ran it. */
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
  // A login of the system, which no command of the user can start.
  if (topUser === 0 && ownUser !== undefined && ownUser !== 0) return undefined
  for (const other of table.values()) {
    if (other.started > top.started || chain.some(({ pid }) => pid === other.pid)) continue
    if (isTrestle(other, facts(other), home))
      return `its process ${top.pid} (${top.name}) has left the one that started it while Trestle was running`
  }
  return undefined
}

function isMarked(environment: readonly string[] | undefined, home: string): boolean {
  const custody = environment?.find((pair) => pair.startsWith(`${SUPERVISOR_VARIABLE}=`))
  const owner = custody === undefined ? undefined : parseSupervisorTag(custody.slice(SUPERVISOR_VARIABLE.length + 1))
  if (owner) return owner.home === homeKey(home)
  return (
    custody !== undefined ||
    (environment?.some((pair) => pair.startsWith(`${TASK_VARIABLE}=`) && pair.length > TASK_VARIABLE.length + 1) ??
      false)
  )
}

/** Whether a process is a Trestle, or the task host, of this home. */
function isTrestle({ pid }: ProcessEntry, { words, environment }: ProcessFacts, home: string): boolean {
  if (existsSync(heartbeatFile(home, { host: hostname(), pid }))) return true
  // What outlives the app runs from a copy.
  const copies = join(home, 'runtime') + sep
  if (!words.some((word) => isOurProgram(word) || word.startsWith(copies)) || isLauncher(words[0])) return false
  return environment === undefined || homeOf(environment) === home || words.includes(home)
}

/** Programs that start the one which their arguments name: `timeout 60 trestle chat` is a person's, if its own parents are. */
const LAUNCHERS =
  /^(?:timeout|g?env|nice|ionice|chrt|taskset|nohup|setsid|stdbuf|unbuffer|time|sudo|doas|su|runuser|setpriv|strace|ltrace|perf|gdb|script|tmux|screen|xargs|watch|flock|bwrap|unshare|nsenter|systemd-run|coreutils|busybox|(?:ba|da|z|fi|k)?sh)$/

/** By the program that runs, which no process can choose for itself as it can its arguments. */
function isLauncher(executable: string | undefined): boolean {
  return executable !== undefined && LAUNCHERS.test(basename(executable))
}

function isOurProgram(word: string): boolean {
  const { places, starter, electron } = (own ??= ownProgram())
  return (
    places.some((place) => word.startsWith(place)) || word === starter || (electron !== undefined && word === electron)
  )
}

/** The folders where the program lies, in a package with its Node and Electron's binary; what `npm start` runs, and Electron where this is one. */
interface OwnProgram {
  places: readonly string[]
  starter: string
  electron?: string
}

let own: OwnProgram | undefined

function ownProgram(): OwnProgram {
  let root = import.meta.dirname
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
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
