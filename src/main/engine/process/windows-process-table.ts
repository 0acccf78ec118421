import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process'
import { win32 } from 'node:path'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { SUPERVISOR_VARIABLE, TASK_VARIABLE } from './process-tag'
import type { ProcessEntry } from './proc-files'
import { spawnedOrThrow } from './spawn'
import { gitFolder } from './find-shell'

/** One process of Git Bash, with its pid in bash and in Windows. */
export interface MsysProcess {
  pid: number
  parent: number
  group: number
  windowsPid: number
}

/** Parses `ps -e` of Git Bash: PID PPID PGID WINPID TTY UID STIME COMMAND; an optional leading letter is the state. */
export function msysProcesses(listing: string): MsysProcess[] {
  return listing.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, group, windowsPid] = /^[ A-Z]?\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(line) ?? []
    return windowsPid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), windowsPid: Number(windowsPid) }]
  })
}

/**
 * Adds what only Git Bash knows: it starts programs through stubs that exit immediately, so Windows has lost the parent
 * of almost every one. Each entry gets its parent in bash, and the leader of its bash process group as its group.
 */
export function withMsysFamilies(
  entries: readonly ProcessEntry[],
  msys: readonly MsysProcess[],
  leaders: Map<number, number> = new Map(),
): ProcessEntry[] {
  const byMsys = new Map(msys.map((each) => [each.pid, each]))
  const byWindows = new Map(msys.map((each) => [each.windowsPid, each]))
  for (const each of msys) if (each.pid === each.group) leaders.set(each.group, each.windowsPid)
  // Pids are reused: forget leaders of groups that no longer exist.
  const groups = new Set(msys.map(({ group }) => group))
  for (const group of leaders.keys()) if (!groups.has(group)) leaders.delete(group)
  return entries.map((entry) => {
    const known = byWindows.get(entry.pid)
    if (!known) return entry
    const parent = known.parent > 1 ? byMsys.get(known.parent)?.windowsPid : undefined
    return { ...entry, parent: parent ?? entry.parent, group: leaders.get(known.group) ?? entry.group }
  })
}

/**
 * A process whose descendants belong to a task. Other systems read the tag from the environment, which Windows does not
 * expose for other processes.
 */
interface MarkedRoot {
  taskId: string
  supervisor: string | undefined
  /** When it was started, in seconds since the epoch. */
  startedAt: number
}

/** A process's creation time may differ from ours by this many seconds. */
const CLOCK_SKEW = 2

const roots = new Map<number, MarkedRoot>()
const msysLeaders = new Map<number, number>()
let list: WindowsProcessList | undefined

/** Records that a process and everything it starts belong to a task, so that scans by tag find them. */
export function tagRoot(
  pid: number | undefined,
  taskId: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (pid !== undefined) roots.set(pid, { taskId, supervisor: env[SUPERVISOR_VARIABLE], startedAt: Date.now() / 1000 })
}

/** Adds the tags of recorded roots to their entries. Start times distinguish a later process with the same pid. */
export function withTags(
  entries: readonly ProcessEntry[],
  marked: ReadonlyMap<number, MarkedRoot> = roots,
): ProcessEntry[] {
  return entries.map((entry) => {
    const root = marked.get(entry.pid)
    if (!root || Math.abs(entry.started - root.startedAt) > CLOCK_SKEW) return entry
    const supervisor = root.supervisor === undefined ? '' : ` ${SUPERVISOR_VARIABLE}=${root.supervisor}`
    return { ...entry, environment: `${TASK_VARIABLE}=${root.taskId}${supervisor}` }
  })
}

/** One scan of all processes on Windows. */
export async function windowsProcessTable(): Promise<Map<number, ProcessEntry>> {
  list ??= new WindowsProcessList()
  const [entries, msys] = await Promise.all([list.list(), listMsys()])
  return new Map(withTags(withMsysFamilies(entries, msys, msysLeaders)).map((entry) => [entry.pid, entry]))
}

function listMsys(): Promise<MsysProcess[]> {
  const git = gitFolder()
  if (git === undefined) return Promise.resolve([])
  return new Promise((resolve) => {
    execFile(win32.join(git, 'usr', 'bin', 'ps.exe'), ['-e'], { windowsHide: true, timeout: 5_000 }, (_error, stdout) =>
      resolve(msysProcesses(stdout)),
    )
  })
}

type Lister = ChildProcessByStdio<Writable, Readable, null>

/** For each line of input, prints one line per process with tab-separated fields, then a line with a dot. */
const SCRIPT = `$ErrorActionPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
while ($null -ne [Console]::In.ReadLine()) {
  foreach ($p in Get-CimInstance -ClassName Win32_Process -Property ProcessId, ParentProcessId, CreationDate, KernelModeTime, UserModeTime, WorkingSetSize, Name, CommandLine) {
    $created = if ($p.CreationDate) { $p.CreationDate.ToFileTimeUtc() } else { 0 }
    $command = "$($p.CommandLine)" -replace '[\\t\\r\\n]', ' '
    [Console]::Out.WriteLine(($p.ProcessId, $p.ParentProcessId, $created, ($p.KernelModeTime + $p.UserModeTime), $p.WorkingSetSize, $p.Name, $command) -join [char]9)
  }
  [Console]::Out.WriteLine('.')
}`

/** Windows counts steps of 100 ns since 1601. */
const EPOCH_STEPS = 116_444_736_000_000_000
const STEPS_PER_SECOND = 10_000_000

/** Parses the PowerShell listing; malformed lines are skipped. `started` is in seconds since the epoch. */
export function windowsEntries(listing: string): ProcessEntry[] {
  const entries = listing.split(/\r?\n/).flatMap((line): ProcessEntry[] => {
    const [pid, parent, created, cpu, memory, name, ...command] = line.split('\t')
    if (name === undefined || !/^\d+$/.test(pid ?? '')) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        // Windows has no process groups; those of Git Bash are added later.
        group: Number(pid),
        session: 0,
        foreground: -1,
        started: created === '0' ? 0 : (Number(created) - EPOCH_STEPS) / STEPS_PER_SECOND,
        program: 0,
        state: 'R',
        cpuMs: Number(cpu) / 10_000,
        memoryBytes: Number(memory),
        name: name.replace(/\.exe$/i, ''),
        command: command.join(' ').trim() || name,
      },
    ]
  })
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]))
  // Windows never updates the parent, and reuses its pid: a child older than its parent belongs to another process.
  for (const entry of entries) if ((byPid.get(entry.parent)?.started ?? 0) > entry.started) entry.parent = 0
  return entries
}

export interface WindowsProcessListOptions {
  /** Starts the program that lists processes; default: PowerShell, which every Windows has. */
  start?: () => Lister
  /** The program is stopped after this long without a request. */
  idleMs?: number
  /** The timeout of a listing. */
  limitMs?: number
}

/**
 * Lists the processes of Windows. This takes a program, and PowerShell needs half a second to start, so one instance is
 * kept running between requests. Returns an empty list on failure.
 */
export class WindowsProcessList {
  readonly #options: Required<WindowsProcessListOptions>
  #lister: Lister | undefined
  #printed = ''
  #waiting: ((listing: string) => void) | undefined
  #asking: Promise<ProcessEntry[]> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor({ start = startPowerShell, idleMs = 60_000, limitMs = 10_000 }: WindowsProcessListOptions = {}) {
    this.#options = { start, idleMs, limitMs }
  }

  /** A call during a listing gets the next one: the current one may have started too early. */
  async list(): Promise<ProcessEntry[]> {
    while (this.#asking) await this.#asking
    this.#asking = this.#ask().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#lister?.kill()
    this.#forget()
  }

  async #ask(): Promise<ProcessEntry[]> {
    clearTimeout(this.#idle)
    try {
      this.#lister ??= this.#begin()
    } catch {
      return []
    }
    const lister = this.#lister
    this.#printed = ''
    const listing = new Promise<string>((resolve) => (this.#waiting = resolve))
    lister.stdin.write('\n')
    const limit = setTimeout(() => this.close(), this.#options.limitMs)
    const text = await listing
    clearTimeout(limit)
    if (this.#lister) this.#idle = setTimeout(() => this.close(), this.#options.idleMs).unref()
    return windowsEntries(text)
  }

  #begin(): Lister {
    const lister = this.#options.start()
    lister.stdout.setEncoding('utf8')
    lister.stdout.on('data', (text: string) => {
      this.#printed += text
      if (/(?:^|\n)\.\r?\n$/.test(this.#printed)) this.#answer(this.#printed)
    })
    lister.stdin.on('error', () => {})
    for (const event of ['error', 'exit']) lister.once(event, () => lister === this.#lister && this.#forget())
    // Does not keep our process alive, and ends with its input.
    lister.unref()
    for (const stream of [lister.stdin, lister.stdout]) (stream as unknown as Socket).unref?.()
    return lister
  }

  #forget(): void {
    this.#lister = undefined
    this.#answer('')
  }

  #answer(listing: string): void {
    this.#waiting?.(listing)
    this.#waiting = undefined
  }
}

function startPowerShell(): Lister {
  const root = process.env['SystemRoot'] ?? 'C:\\Windows'
  const program = win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
  const encoded = Buffer.from(SCRIPT, 'utf16le').toString('base64')
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded]
  return spawnedOrThrow(spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true }))
}
