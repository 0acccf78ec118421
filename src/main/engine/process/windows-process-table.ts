import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process'
import { win32 } from 'node:path'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { SUPERVISOR_VARIABLE, TASK_VARIABLE } from './process-tag'
import type { ProcessEntry } from './proc-files'
import { spawnedOrThrow } from './spawn'
import { gitFolder } from './find-shell'

/** One process of Git Bash: the number that bash knows it by, and the one of Windows. */
export interface MsysProcess {
  pid: number
  parent: number
  group: number
  windowsPid: number
}

/** What `ps -e` of Git Bash prints: PID PPID PGID WINPID TTY UID STIME COMMAND; a letter in front says what a process does. */
export function msysProcesses(listing: string): MsysProcess[] {
  return listing.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, group, windowsPid] = /^[ A-Z]?\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(line) ?? []
    return windowsPid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), windowsPid: Number(windowsPid) }]
  })
}

/**
 * Adds to the processes of Windows what only Git Bash knows: it starts programs through stubs that end at once, so that Windows has lost the parent of almost every one. Each gets its
 * parent in bash, and as its group the process that leads its group in bash.
 */
export function withMsysFamilies(
  entries: readonly ProcessEntry[],
  msys: readonly MsysProcess[],
  leaders: Map<number, number> = new Map(),
): ProcessEntry[] {
  const byMsys = new Map(msys.map((each) => [each.pid, each]))
  const byWindows = new Map(msys.map((each) => [each.windowsPid, each]))
  for (const each of msys) if (each.pid === each.group) leaders.set(each.group, each.windowsPid)
  // Numbers are used again: who leads no group that is there is forgotten.
  const groups = new Set(msys.map(({ group }) => group))
  for (const group of leaders.keys()) if (!groups.has(group)) leaders.delete(group)
  return entries.map((entry) => {
    const known = byWindows.get(entry.pid)
    if (!known) return entry
    const parent = known.parent > 1 ? byMsys.get(known.parent)?.windowsPid : undefined
    return { ...entry, parent: parent ?? entry.parent, group: leaders.get(known.group) ?? entry.group }
  })
}

/** A process whose descendants belong to a task. Windows shows no environment of others, where marks stand elsewhere. */
interface MarkedRoot {
  taskId: string
  custody: string | undefined
  /** When it was started, in seconds since the epoch. */
  startedAt: number
}

/** The clock of a process's creation may differ from ours by so much, in seconds. */
const CLOCK_SKEW = 2

const roots = new Map<number, MarkedRoot>()
const msysLeaders = new Map<number, number>()
let list: WindowsProcessList | undefined

/** Remembers that a process and all it starts belong to a task, so that searches by marks find them. */
export function tagRoot(
  pid: number | undefined,
  taskId: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (pid !== undefined) roots.set(pid, { taskId, custody: env[SUPERVISOR_VARIABLE], startedAt: Date.now() / 1000 })
}

/** The same entries, those that a task began with with its mark. A later process with one of their numbers is told apart by when it began. */
export function withTags(
  entries: readonly ProcessEntry[],
  marked: ReadonlyMap<number, MarkedRoot> = roots,
): ProcessEntry[] {
  return entries.map((entry) => {
    const root = marked.get(entry.pid)
    if (!root || Math.abs(entry.started - root.startedAt) > CLOCK_SKEW) return entry
    const custody = root.custody === undefined ? '' : ` ${SUPERVISOR_VARIABLE}=${root.custody}`
    return { ...entry, environment: `${TASK_VARIABLE}=${root.taskId}${custody}` }
  })
}

/** One look at all processes of Windows. */
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

/** For each line it reads, one line per process with tabs between the fields, and a line with a dot. */
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

/** Windows counts 100 ns steps from 1601. */
const EPOCH_STEPS = 116_444_736_000_000_000
const STEPS_PER_SECOND = 10_000_000

/** The processes that PowerShell lists; lines that cannot be read are left out. `started` is in seconds since the epoch. */
export function windowsEntries(listing: string): ProcessEntry[] {
  const entries = listing.split(/\r?\n/).flatMap((line): ProcessEntry[] => {
    const [pid, parent, created, cpu, memory, name, ...command] = line.split('\t')
    if (name === undefined || !/^\d+$/.test(pid ?? '')) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        // There are no process groups; those of Git Bash are added later.
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
  // Windows never changes the parent, and gives its number to others: an older child is somebody else's.
  for (const entry of entries) if ((byPid.get(entry.parent)?.started ?? 0) > entry.started) entry.parent = 0
  return entries
}

export interface WindowsProcessListOptions {
  /** Starts the program that lists; default: PowerShell, which every Windows has. */
  start?: () => Lister
  /** The program is ended when it was not asked for so long. */
  idleMs?: number
  /** A listing that takes longer is given up. */
  limitMs?: number
}

/**
 * Lists the processes of Windows. Only programs can tell, and PowerShell takes half a second to start, so one is kept as long as it is needed. Answers an empty list
 * when it cannot be asked.
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

  /** Who asks while a listing is under way gets the next one: theirs may have begun too early. */
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
    // It does not keep our process alive, and ends with its input.
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
