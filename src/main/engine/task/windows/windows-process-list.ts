import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Socket } from 'node:net'
import { win32 } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { startedChild } from '../started-child'
import type { ProcessEntry } from '../watch/process-entry'

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
  return startedChild(spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true }))
}
