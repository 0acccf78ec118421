import { spawn, type ChildProcess } from 'node:child_process'
import { readlinkSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { SandboxNetwork } from '../../../../shared/model/task/sandbox'
import { plainNode } from '../../runtime/plain-node'
import { namespaceArguments } from '../../sandbox/bubblewrap/bubblewrap-arguments'
import { withoutPtyMasters } from '../../process/spawn'
import { shellQuote, readReports } from '../../process/shell-process'
import { ListedHosts, PublishedPorts } from '../../sandbox/network/listed-hosts'
import { NAMESPACE_SCRIPT, TEMPLATE_USER } from '../../sandbox/bubblewrap/namespace-script'

export interface NamespacePrograms {
  bwrap: string
  bash: string
  setsid: string
  /** File with the seccomp filter of the sandboxes. */
  seccompFile: string
  socat?: string
  nsenter?: string
}

/** Receives the reports of a group of commands: `ready`, `gone`, or `SLOT …`. */
type GroupListener = (report: string) => void

/**
 * The pid namespace and network that all sandboxed commands of a session share, so that one command can reach a server
 * started by another. Starts with the first command; everything in it ends with it. Not a sandbox itself; the groups
 * started in it are.
 */
export class CommandNamespace {
  private readonly child: ChildProcess
  private readonly orders: Socket
  private readonly reports: Socket
  private readonly groups = new Map<string, GroupListener>()
  private nextId = 1
  private holds = 0
  private readonly listed: ListedHosts | undefined
  private published: PublishedPorts | undefined
  readonly hasTemplates: boolean

  /** `publishes`: servers in it are reachable from this machine. */
  constructor(programs: NamespacePrograms, network: SandboxNetwork, hosts: readonly string[], publishes: boolean) {
    this.hasTemplates = programs.nsenter !== undefined
    this.listed = network === 'listed' ? new ListedHosts(hosts, programs.socat) : undefined
    const { socat = '', bash, nsenter = '' } = programs
    const args = [
      ...namespaceArguments(network === 'open' ? 'host' : 'own'),
      ...(this.listed ? ['/bin/sh', '-c', this.listed.script, 'sh'] : []),
      bash,
      // With a socket as its input, bash acts as a remote shell and reads ~/.bashrc.
      '--norc',
      '-c',
      NAMESPACE_SCRIPT,
      'trestle',
      programs.seccompFile,
      programs.setsid,
      programs.bwrap,
      socat || plainNode(),
      nsenter,
    ]
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }
    const child = this.orClosed(() =>
      withoutPtyMasters(
        (stdio) => spawn(programs.bwrap, args, { env, cwd: '/', stdio, detached: true }),
        ['pipe', 'ignore', 'ignore', 'pipe'],
      ),
    )
    this.child = child
    this.orders = child.stdin as Socket
    this.reports = child.stdio[3] as Socket
    for (const each of [child, this.orders, this.reports]) each.unref()
    if (network !== 'open' && publishes) {
      const forward = (port: number, socket: string): void =>
        this.order(['forward', socat === '' ? 'node' : 'socat', String(port), socket])
      this.published = new PublishedPorts(() => this.inside, forward, this.listed?.forwarders ?? 0)
    }
    for (const each of [this.orders, this.reports]) each.on('error', () => {})
    child.once('error', () => this.lost())
    this.reports.once('close', () => this.lost())
    readReports(this.reports, (line) => {
      const at = line.indexOf(' ')
      this.groups.get(line.slice(0, at))?.(line.slice(at + 1))
    })
  }

  /** Closes the proxy if the process that would use it cannot be started. */
  private orClosed<Result>(start: () => Result): Result {
    try {
      return start()
    } catch (error) {
      this.listed?.close()
      throw error
    }
  }

  /** The outermost process; undefined if it could not be started. */
  get pid(): number | undefined {
    return this.child.pid
  }

  /** The first process in it; undefined before it has started and after it has ended. */
  private get inside(): number | undefined {
    return this.child.pid === undefined ? undefined : childrenOf(this.child.pid)[0]
  }

  /** Whether anything runs in it besides its own keep-alive process: commands, and what they left behind. */
  get isInUse(): boolean {
    const { inside } = this
    if (inside === undefined) return false
    const own = this.ownUserNamespaces(inside)
    return descendants(inside).some((pid) => {
      const namespace = userNamespaceOf(pid)
      return namespace !== undefined && !own.has(namespace)
    })
  }

  /** User namespaces without commands: that of the keep-alive process, and that of the template. */
  private ownUserNamespaces(inside: number): Set<string> {
    const [keepAlive] = childrenOf(inside)
    return new Set(
      [userNamespaceOf(inside), linkAt(`/proc/${keepAlive}/fd/${TEMPLATE_USER}`)].filter((each) => each !== undefined),
    )
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.orders.destroyed
  }

  /** Starts a group of commands in the sandbox that `folder` describes, now or later: see NAMESPACE_SCRIPT. */
  start(folder: string, terminals: readonly string[], listener: GroupListener): string {
    const id = `g${this.nextId++}`
    this.groups.set(id, listener)
    this.order(['start', id, folder, ...terminals])
    return id
  }

  /**
   * Creates the mounts that `folder` describes, in namespaces without commands. After `onKept`, groups can be started
   * in it; it replaces the previous template.
   */
  makeTemplate(folder: string, onKept: () => void, onGone: () => void): void {
    const id = `t${this.nextId++}`
    let isMade = false
    this.groups.set(id, (report) => {
      if (report === 'gone') {
        this.groups.delete(id)
        onGone()
      } else if (report === 'kept') onKept()
      else if (report === 'made' && !isMade) {
        isMade = true
        this.order(['keep', folder, id])
      }
    })
    this.order(['template', id, folder])
  }

  /**
   * The pid, outside, of the process with pid `inner` inside that started a sandbox of this namespace; undefined if
   * that pid belongs to another process. Its parent is a bubblewrap, which is outside of all sandboxes; no process
   * inside one has such a parent.
   */
  supervisor(inner: number): number | undefined {
    const { inside } = this
    const found = this.pid === undefined ? undefined : machinePid(this.pid, inner)
    const parent = found === undefined ? undefined : parentOf(found)
    if (inside === undefined || parent === undefined || parent === inside) return undefined
    const own = this.ownUserNamespaces(inside)
    return own.has(userNamespaceOf(parent) ?? '') && !own.has(userNamespaceOf(found!) ?? '') ? found : undefined
  }

  /** Hosts that the proxy allows from now on. */
  allowHosts(hosts: readonly string[]): void {
    if (this.listed) this.listed.hosts = hosts
  }

  /** Hosts that were refused at or after a time (ms since the epoch). */
  deniedHosts(since: number): { host: string; port: number }[] {
    return this.listed?.denied(since) ?? []
  }

  forget(id: string): void {
    this.groups.delete(id)
  }

  /** Keeps our process alive while something runs in the namespace. */
  hold(): void {
    if (this.holds++ === 0) this.reports.ref()
  }

  release(): void {
    if (--this.holds === 0) this.reports.unref()
  }

  /** Ends everything in it. */
  close(): void {
    this.published?.close()
    this.listed?.close()
    this.orders.end()
    const { inside } = this
    this.child.kill('SIGKILL')
    if (inside !== undefined) endProcess(inside)
  }

  private order(words: readonly string[]): void {
    this.orders.write(`${words.map(shellQuote).join(' ')}\n`)
  }

  private lost(): void {
    const listeners = [...this.groups.values()]
    this.groups.clear()
    for (const listener of listeners) listener('gone')
  }
}

const MAX_END_MS = 1_000

/**
 * Ends the first process of a pid namespace, which ends all others, and waits for it: once the sandboxes are removed,
 * no command may be left that could use what they protected.
 */
function endProcess(pid: number): void {
  const until = performance.now() + MAX_END_MS
  const pause = new Int32Array(new SharedArrayBuffer(4))
  try {
    process.kill(pid, 'SIGKILL')
    while (!isGone(pid) && performance.now() < until) Atomics.wait(pause, 0, 0, 1)
  } catch {
    // It has exited.
  }
}

/** Undefined if the process is gone. */
function userNamespaceOf(pid: number): string | undefined {
  return linkAt(`/proc/${pid}/ns/user`)
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * The pid, outside, of a descendant of `top` that has the pid `inner` in its own namespace; undefined if there is no
 * such process. Checks the newest processes first: they are usually the ones looked for, and there may be many older
 * ones.
 */
export function machinePid(top: number, inner: number): number | undefined {
  for (const child of childrenOf(top).toReversed()) {
    const found = innerPid(child) === inner ? child : machinePid(child, inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** All descendants of `top`, nearest first. */
function descendants(top: number): number[] {
  const found = [top]
  for (let at = 0; at < found.length; at += 1) found.push(...childrenOf(found[at]!))
  return found.slice(1)
}

/** Pids of the children of a process; empty if it is gone. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .flatMap((text) => (text.trim() === '' ? [] : [Number(text)]))
}

/** Undefined if the process is gone. */
function parentOf(pid: number): number | undefined {
  const number = /^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Whether a process has ended, reaped or not. The first of a pid namespace ends after all others in it. */
function isGone(pid: number): boolean {
  const state = /^State:\s*(\S)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return state === undefined || state === 'Z' || state === 'X'
}

/** The pid of a process in its innermost pid namespace. */
function innerPid(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.+)$/m.exec(read(`/proc/${pid}/status`))?.[1]?.split(/\s+/)
  return numbers && Number(numbers.at(-1))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
