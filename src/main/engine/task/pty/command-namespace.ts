import { spawn, type ChildProcess } from 'node:child_process'
import { readlinkSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { SandboxNetwork } from '../../../../shared/model/sandbox'
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
  /** File with the seccomp filter of the sandboxes in it. */
  seccompFile: string
  socat?: string
  nsenter?: string
}

/** Hears what a group of commands reports: `ready`, `gone`, or `PLACE …`. */
type GroupListener = (report: string) => void

/**
 * The process list and the network that all sandboxed commands of a session have in common, so that a server started by one can be reached by the next. Started with the
 * first command; everything in it ends with it. Not yet a sandbox: the groups started in it are.
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

  /** `publishes`: servers in it can be reached from this machine. */
  constructor(programs: NamespacePrograms, network: SandboxNetwork, hosts: readonly string[], publishes: boolean) {
    this.hasTemplates = programs.nsenter !== undefined
    this.listed = network === 'listed' ? new ListedHosts(hosts, programs.socat) : undefined
    const { socat = '', bash, nsenter = '' } = programs
    const args = [
      ...namespaceArguments(network === 'open' ? 'host' : 'own'),
      ...(this.listed ? ['/bin/sh', '-c', this.listed.script, 'sh'] : []),
      bash,
      // With a socket for its input, bash takes itself for a remote shell and reads ~/.bashrc.
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

  /** Without the process nothing needs the way out that was made for it. */
  private orClosed<Result>(start: () => Result): Result {
    try {
      return start()
    } catch (error) {
      this.listed?.close()
      throw error
    }
  }

  /** The outermost process; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.child.pid
  }

  /** The first process in it; undefined before it has started, and after its end. */
  private get inside(): number | undefined {
    return this.child.pid === undefined ? undefined : childrenOf(this.child.pid)[0]
  }

  /** Whether something runs in it beside what keeps it: commands, and what they have left behind. */
  get isInUse(): boolean {
    const { inside } = this
    if (inside === undefined) return false
    const own = this.ownUserNamespaces(inside)
    return descendants(inside).some((pid) => {
      const namespace = userNamespaceOf(pid)
      return namespace !== undefined && !own.has(namespace)
    })
  }

  /** Those that no command is in: the one of what keeps this going, and that of the template. */
  private ownUserNamespaces(inside: number): Set<string> {
    const [keeper] = childrenOf(inside)
    return new Set(
      [userNamespaceOf(inside), linkAt(`/proc/${keeper}/fd/${TEMPLATE_USER}`)].filter((each) => each !== undefined),
    )
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.orders.destroyed
  }

  /** Starts a group of commands in the sandbox that `folder` describes, or will describe: see NAMESPACE_SCRIPT. */
  start(folder: string, terminals: readonly string[], listener: GroupListener): string {
    const id = `g${this.nextId++}`
    this.groups.set(id, listener)
    this.order(['start', id, folder, ...terminals])
    return id
  }

  /** Makes the mounts that `folder` describes, in namespaces that no command is in. From `onKept` on, groups can be started in it; it takes the place of the one before. */
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
   * The machine's number of what a sandbox of this namespace was started with, by its number inside; undefined when that is another process. It is the child of a
   * bubblewrap, which is outside of all sandboxes; no process in one has such a parent.
   */
  supervisor(inner: number): number | undefined {
    const { inside } = this
    const found = this.pid === undefined ? undefined : machinePid(this.pid, inner)
    const parent = found === undefined ? undefined : parentOf(found)
    if (inside === undefined || parent === undefined || parent === inside) return undefined
    const own = this.ownUserNamespaces(inside)
    return own.has(userNamespaceOf(parent) ?? '') && !own.has(userNamespaceOf(found!) ?? '') ? found : undefined
  }

  /** What the proxy lets through from now on. */
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

  /** While something runs in it, its end is waited for. */
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
 * Ends the first process of a process list, and with it all others, and waits for it: when the sandboxes are taken down, no command may be left that could use what they
 * protected.
 */
function endProcess(pid: number): void {
  const until = performance.now() + MAX_END_MS
  const pause = new Int32Array(new SharedArrayBuffer(4))
  try {
    process.kill(pid, 'SIGKILL')
    while (!isGone(pid) && performance.now() < until) Atomics.wait(pause, 0, 0, 1)
  } catch {
    // It is gone.
  }
}

/** Undefined when the process is gone. */
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
 * The machine's number of a process that has the number `inner` in its own process list, below the process `top`. Undefined when it is not there. The newest processes are
 * looked at first: they are the ones that are asked about, and there may be many older ones.
 */
export function machinePid(top: number, inner: number): number | undefined {
  for (const child of childrenOf(top).toReversed()) {
    const found = innerPid(child) === inner ? child : machinePid(child, inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** All processes below `top`, nearest first. */
function descendants(top: number): number[] {
  const found = [top]
  for (let at = 0; at < found.length; at += 1) found.push(...childrenOf(found[at]!))
  return found.slice(1)
}

/** Numbers of the children of a process; none when it is gone. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .flatMap((text) => (text.trim() === '' ? [] : [Number(text)]))
}

/** Undefined when the process is gone. */
function parentOf(pid: number): number | undefined {
  const number = /^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Whether a process has ended, noticed by its parent or not. The first of a process list ends after all others in it. */
function isGone(pid: number): boolean {
  const state = /^State:\s*(\S)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return state === undefined || state === 'Z' || state === 'X'
}

/** The number of a process in the innermost process list it is in. */
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
