import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { withoutMasters } from './leader-by-spawn'
import { LEADER_SCRIPT, type Leader, type LeaderEvents, type Leaders, type LeaderStart } from './session-leader'

/**
 * What a shell is told first: `go ID TERMINAL CWD SHELL COMMAND` starts a leader, waits for it and reports its exit. In the foreground,
 * because a shell makes its background commands ignore SIGINT. A failing `exec` ends the subshell, which the trap then tells.
 */
function poolScript(setsid: string): string {
  return `L=${quote(LEADER_SCRIPT)}
go() {
  ( trap 'echo "$1 failed" >&3' EXIT
    cd -P -- "$3" || exit 1
    unset OLDPWD
    export TRESTLE_TASK="$1"
    exec ${quote(setsid)} /bin/sh -c "$L" trestle "$4" "$5" "$2" "$1" ) </dev/null >/dev/null 2>&1
  echo "$1 exit $?" >&3
}
`
}

/** Shells kept for later commands. */
const MOST_IDLE = 4

interface PoolShell {
  /** What it was started with. */
  env: string
  orders: Socket
  reports: Socket
  /** The command it waits for. */
  job: Job | undefined
}

interface Job {
  start: LeaderStart
  events: LeaderEvents
  pid: PromiseWithResolvers<number | undefined>
  hasBegun: boolean
  tries: number
}

/**
 * Starts leaders through small shells that wait for orders. To start a process the system copies the page tables of the one that starts it:
 * about 1 ms for each 30 MB of ours, next to nothing for a shell's. Each shell runs one command at a time; a shell is added when none is
 * idle. They read their orders from a pipe, so our end is their end.
 */
export class LeaderPool implements Leaders {
  private readonly script: string
  private idle: PoolShell[] = []
  private isClosed = false

  constructor(setsid: string) {
    this.script = poolScript(setsid)
  }

  start(start: LeaderStart, events: LeaderEvents): Leader {
    const job: Job = { start, events, pid: Promise.withResolvers(), hasBegun: false, tries: 0 }
    this.give(job)
    return { pid: job.pid.promise }
  }

  warm(env: Record<string, string>): void {
    this.keep(this.idleFor(env))
  }

  close(): void {
    this.isClosed = true
    for (const { orders } of this.idle.splice(0)) orders.end()
  }

  private give(job: Job): void {
    const { taskId, terminal, cwd, shell, command, env } = job.start
    job.tries++
    try {
      const poolShell = this.idleFor(env)
      poolShell.job = job
      // Waited for, as a child of our own would be.
      poolShell.reports.ref()
      poolShell.orders.write(`${['go', taskId, ...[terminal, cwd, shell, command].map(quote)].join(' ')}\n`)
    } catch (error) {
      queueMicrotask(() => fail(job, error instanceof Error ? error : new Error(String(error))))
    }
  }

  /** Takes an idle shell out, or adds one. */
  private idleFor(env: Record<string, string>): PoolShell {
    const wanted = JSON.stringify(env)
    // Settings may have changed what commands may see.
    for (const old of this.idle.filter((shell) => shell.env !== wanted)) old.orders.end()
    this.idle = this.idle.filter((shell) => shell.env === wanted)
    return this.idle.pop() ?? this.addShell(env, wanted)
  }

  private keep(shell: PoolShell): void {
    if (this.isClosed || shell.orders.destroyed || this.idle.length >= MOST_IDLE) shell.orders.end()
    else this.idle.push(shell)
  }

  private addShell(env: Record<string, string>, key: string): PoolShell {
    const child = withoutMasters(
      (stdio) => spawn('/bin/sh', ['-s'], { env: { ...env, PWD: '/' }, cwd: '/', stdio, detached: true }),
      ['pipe', 'ignore', 'ignore', 'pipe'],
    )
    // Pipes to a child are sockets on our side.
    const shell: PoolShell = { env: key, orders: child.stdin as Socket, reports: child.stdio[3] as Socket, job: undefined }
    // An idle shell does not keep our process alive.
    child.unref()
    shell.orders.unref()
    shell.reports.unref()
    child.once('error', (error) => this.onLost(shell, error))
    shell.orders.on('error', () => {})
    shell.reports.on('error', () => {})
    // The shell and the leader hold the pipe: now both are gone, without a report.
    shell.reports.once('close', () => this.onLost(shell))
    let rest = ''
    shell.reports.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.onReport(shell, line)
    })
    shell.orders.write(this.script)
    return shell
  }

  /** `ID pid N`, `ID failed`, and in any case `ID exit CODE`. */
  private onReport(shell: PoolShell, line: string): void {
    const { job } = shell
    const [taskId, what, number] = line.split(' ')
    if (!job || taskId !== job.start.taskId) return
    job.hasBegun = true
    if (what === 'pid') job.pid.resolve(Number(number))
    else if (what === 'failed') fail(job, startProblem(job.start.cwd))
    else if (what === 'exit') {
      shell.job = undefined
      shell.reports.unref()
      this.keep(shell)
      job.events.exit({ exitCode: Number(number) })
    }
  }

  private onLost(shell: PoolShell, error?: Error): void {
    this.idle = this.idle.filter((other) => other !== shell)
    const { job } = shell
    shell.job = undefined
    if (!job) return
    if (error) fail(job, error)
    // Somebody ended the shell while it was idle, and we had not noticed yet.
    else if (!job.hasBegun && job.tries < 3) this.give(job)
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

function startProblem(cwd: string): Error {
  try {
    if (!statSync(cwd).isDirectory()) return Object.assign(new Error(`${cwd} is not a folder`), { code: 'ENOTDIR' })
    accessSync(cwd, constants.X_OK)
  } catch (error) {
    if (error instanceof Error) return error
  }
  return new Error('the system refused to start it; perhaps it is too long, or too many processes are running')
}

/** For sh: everything in single quotes stands for itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
