import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { withoutPtyMasters } from '../../process/spawn'
import { subreaperProgram, UNKNOWN_TASK } from './subreaper'
import { readStat } from '../../process/proc-files'
import {
  askPaused,
  DISMISSAL,
  SHELL_SCRIPT,
  shellOrder,
  shellQuote,
  readReports,
  startProblem,
  type ShellProcess,
  type ShellCommand,
  type ShellEvents,
  type ShellLauncher,
  type OpenTerminal,
  type Subreaper,
} from '../../process/shell-process'

/**
 * The first input of a pool shell without a subreaper (subreaper.ts): `lead TERMINAL` starts a session shell, waits for
 * it and reports its exit. In the foreground, because a shell makes its background commands ignore SIGINT. Both shells
 * read their orders from the same pipe; `run` catches an order that came too late for the session shell.
 */
function poolScript(setsid: string): string {
  return `trestle_l=${shellQuote(SHELL_SCRIPT)}
lead() {
  ( exec ${shellQuote(setsid)} /bin/sh -c "$trestle_l" trestle "$1" ) >/dev/null 2>&1
  echo "exit $?" >&3
}
run() { :; }
go() { :; }
gone() { :; }
`
}

/** Shells kept for later commands. */
const MAX_IDLE = 4

interface PoolShell {
  /** The environment it was started with, as JSON. */
  env: string
  /** Set if it adopts what its session shells leave behind. */
  subreaper: Subreaper | undefined
  orders: Socket
  reports: Socket
  /** The session shell it waits for. */
  job: Job | undefined
}

interface Job {
  terminal: string
  env: Record<string, string>
  events: ShellEvents
  pid: PromiseWithResolvers<number | undefined>
  /** It waits for its order. */
  isReady: boolean
  command: ShellCommand | undefined
  isDismissed: boolean
  shell: PoolShell | undefined
  /** Set until it is known that nothing is left. */
  subreaper: Subreaper | undefined
  tries: number
}

/**
 * Starts session shells through small pool shells that wait for orders. To start a process, the system copies the page
 * tables of the parent: about 1 ms for each 30 MB of ours, next to nothing for a shell's. Each pool shell has one
 * session shell at a time; one is added when none is idle. They read their orders from a pipe, so they end with our
 * process. With Perl they are subreapers: whatever a command leaves behind stays below its pool shell, which then
 * serves no other command and guards what is left.
 */
export class ShellPool implements ShellLauncher {
  private readonly script: string
  private idle: PoolShell[] = []
  private isClosed = false

  private readonly findSubreaper: typeof subreaperProgram

  /** `findSubreaper`: how to start a subreaper, if there is one. */
  constructor(setsid: string, findSubreaper = subreaperProgram) {
    this.findSubreaper = findSubreaper
    this.script = poolScript(setsid)
  }

  start({ path: terminal }: OpenTerminal, env: Record<string, string>, events: ShellEvents): ShellProcess {
    const pid = Promise.withResolvers<number | undefined>()
    const job: Job = {
      terminal,
      env,
      events,
      pid,
      isReady: false,
      command: undefined,
      isDismissed: false,
      shell: undefined,
      subreaper: undefined,
      tries: 0,
    }
    this.give(job)
    return {
      pid: pid.promise,
      subreaper: () => job.subreaper,
      run: (command) => {
        job.command = command
        // Keeps our process alive, as a child of our own would.
        job.shell?.reports.ref()
        this.order(job)
      },
      dismiss: () => {
        job.isDismissed = true
        this.order(job)
      },
    }
  }

  close(): void {
    this.isClosed = true
    for (const { orders } of this.idle.splice(0)) orders.end()
  }

  private give(job: Job): void {
    job.tries++
    try {
      const shell = this.idleFor(job.env)
      shell.job = job
      job.shell = shell
      job.subreaper = shell.subreaper
      if (job.command) shell.reports.ref()
      shell.orders.write(`lead ${shell.subreaper ? job.terminal : shellQuote(job.terminal)}\n`)
    } catch (error) {
      queueMicrotask(() => fail(job, error instanceof Error ? error : new Error(String(error))))
    }
  }

  /** Sends the order only to a session shell that is ready: the pool shell would read an order sent earlier. */
  private order(job: Job): void {
    if (!job.isReady || !job.shell) return
    if (job.isDismissed) job.shell.orders.write(DISMISSAL)
    else if (job.command) job.shell.orders.write(shellOrder(job.command))
  }

  /** Takes an idle shell, or adds one. */
  private idleFor(env: Record<string, string>): PoolShell {
    const wanted = JSON.stringify(env)
    // Changed settings can change what commands may see.
    for (const old of this.idle.filter((shell) => shell.env !== wanted)) old.orders.end()
    this.idle = this.idle.filter((shell) => shell.env === wanted)
    return this.idle.pop() ?? this.addShell(env, wanted)
  }

  private keep(shell: PoolShell): void {
    if (this.isClosed || shell.orders.destroyed || this.idle.length >= MAX_IDLE) shell.orders.end()
    else this.idle.push(shell)
  }

  private addShell(env: Record<string, string>, key: string): PoolShell {
    const subreaper = this.findSubreaper({ ...env, PWD: '/' })
    const program = subreaper ?? { command: '/bin/sh', args: ['-s'], env: { ...env, PWD: '/' } }
    const child = withoutPtyMasters(
      (stdio) => spawn(program.command, program.args, { env: program.env, cwd: '/', stdio, detached: true }),
      ['pipe', 'ignore', 'ignore', 'pipe'],
    )
    const entry = subreaper && child.pid !== undefined ? readStat(child.pid) : undefined
    // Pipes to a child are sockets on our side.
    const [orders, reports] = [child.stdin as Socket, child.stdio[3] as Socket]
    const shell: PoolShell = {
      env: key,
      subreaper: entry && { pid: entry.pid, started: entry.started },
      orders,
      reports,
      job: undefined,
    }
    // An idle shell does not keep our process alive.
    child.unref()
    shell.orders.unref()
    shell.reports.unref()
    child.once('error', (error) => this.onLost(shell, error))
    shell.orders.on('error', () => {})
    shell.reports.on('error', () => {})
    // Both shells have the pipe open: when it closes without a report, both are gone.
    shell.reports.once('close', () => this.onLost(shell))
    readReports(shell.reports, (line) => this.onReport(shell, line))
    if (!subreaper) shell.orders.write(this.script)
    return shell
  }

  /**
   * Handles `pid N` (the session shell is ready), `failed` (its command cannot be started), and always at the end `exit
   * CODE`, or `exit CODE left` if processes are left.
   */
  private onReport(shell: PoolShell, line: string): void {
    const { job } = shell
    const [what, number, left] = line.split(' ')
    if (!job) return
    if (what === 'pid') {
      job.isReady = true
      job.pid.resolve(Number(number))
      this.order(job)
    } else if (what === 'paused') askPaused(job.events, (answer) => job.shell?.orders.write(answer))
    else if (what === 'failed') fail(job, startProblem(job.command?.cwd))
    else if (what === 'exit') {
      shell.job = undefined
      job.shell = undefined
      shell.reports.unref()
      if (left === undefined) {
        job.subreaper = undefined
        this.keep(shell)
      } else shell.orders.end(`guard ${job.command?.taskId ?? UNKNOWN_TASK}\n`)
      if (job.isReady) job.events.exit({ exitCode: Number(number) })
      else fail(job, startProblem(job.command?.cwd))
    }
  }

  private onLost(shell: PoolShell, error?: Error): void {
    this.idle = this.idle.filter((other) => other !== shell)
    const { job } = shell
    shell.job = undefined
    if (!job) return
    job.shell = undefined
    job.subreaper = undefined
    if (error) fail(job, error)
    // The shell was killed while idle, and we had not noticed yet.
    else if (!job.isReady && job.tries < 3) this.give(job)
    else {
      job.pid.resolve(undefined)
      job.events.exit({ signal: 'SIGKILL' })
    }
  }
}

function fail(job: Job, error: Error): void {
  job.pid.resolve(undefined)
  job.events.error(error)
}
