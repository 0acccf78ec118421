import { constants } from 'node:os'
import type { IPty } from 'node-pty'
import type { TerminalPush, UserTerminal } from '../../../../shared/model/terminal'
import { wholeLength } from '../output/log-files'
import { openPtyMasters } from '../../process/shell-process'
import { TerminalHistory } from './terminal-history'
import { TERMINAL_ATTRIBUTES, TerminalSequences } from './terminal-sequences'
import type { TerminalStart } from './task-protocol'

/** Output kept for viewers that come later. */
const HISTORY_BYTES = 1024 * 1024
/** Most that is sent at once. */
const MAX_BYTES = 256 * 1024
/** Faster than a screen can show. */
const TICK_MS = 16
/** How long a hung up shell may take before it is killed. */
const GRACE_MS = 2_000

interface Viewer {
  send: (push: TerminalPush) => void
  isReady: () => boolean
  sent: number
  decoder: ReturnType<typeof decoder>
}

/** One terminal of the user's: their shell, what it printed last, and who looks at it. */
export class HostedTerminal {
  readonly #start: TerminalStart
  readonly #changed: () => void
  readonly #viewers = new Map<string, Viewer>()
  #history = new TerminalHistory(HISTORY_BYTES)
  #pty: IPty | undefined
  #exit: UserTerminal['exit']
  #title: string | undefined
  #startedAt: number
  #size: { cols: number; rows: number }
  #timer: NodeJS.Timeout | undefined
  readonly #sequences = new TerminalSequences()
  isWatched = false

  /** `changed`: its title, its state or its mark did. */
  constructor(start: TerminalStart, changed: () => void) {
    this.#start = start
    this.#changed = changed
    this.#size = { cols: start.cols, rows: start.rows }
    this.#startedAt = start.startedAt
  }

  get view(): UserTerminal {
    const { terminalId, sessionId, shell, cwd } = this.#start
    return {
      terminalId,
      sessionId,
      shell,
      cwd,
      ...(this.#title !== undefined && { title: this.#title }),
      status: this.#pty ? 'running' : 'ended',
      ...(this.#exit && { exit: this.#exit }),
      startedAt: this.#startedAt,
      isWatched: this.isWatched,
    }
  }

  /** Starts the shell; again after it has ended. Throws if it cannot be started. */
  async begin(startedAt: number): Promise<void> {
    if (this.#pty) return
    const { spawn } = await import('node-pty')
    const { shell, args, cwd, env } = this.#start
    const pty = spawn(shell, [...args], { ...this.#size, cwd, env, name: 'xterm-256color', encoding: null })
    const master = 'fd' in pty && typeof pty.fd === 'number' ? pty.fd : undefined
    if (master !== undefined) openPtyMasters.add(master)
    this.#pty = pty
    this.#exit = undefined
    this.#title = undefined
    this.#startedAt = startedAt
    // With `encoding: null` the data is bytes, whatever the declared type says.
    pty.onData((data: string | Uint8Array) => {
      if (this.#pty === pty) this.#printed(typeof data === 'string' ? Buffer.from(data) : Buffer.from(data))
    })
    pty.onExit(({ exitCode, signal }) => {
      if (master !== undefined) openPtyMasters.delete(master)
      if (this.#pty !== pty) return
      this.#pty = undefined
      this.#exit = { code: exitCode, ...(signal !== undefined && signal !== 0 && { signal: signalName(signal) }) }
      this.#flush()
      this.changed()
    })
    this.changed()
  }

  /** False: the shell has ended. */
  write(data: string): boolean {
    if (!this.#pty) return false
    this.#pty.write(data)
    return true
  }

  resize(cols: number, rows: number): void {
    if (cols === this.#size.cols && rows === this.#size.rows) return
    this.#size = { cols, rows }
    this.#pty?.resize(cols, rows)
  }

  /** Hangs up, and kills what is left after a moment. Resolves when the shell has ended. */
  async close(): Promise<void> {
    const pty = this.#pty
    clearTimeout(this.#timer)
    this.#viewers.clear()
    if (!pty) return
    const ended = Promise.withResolvers<void>()
    pty.onExit(() => ended.resolve())
    const timer = setTimeout(() => signal(pty, 'SIGKILL'), GRACE_MS)
    signal(pty, 'SIGHUP')
    await ended.promise
    clearTimeout(timer)
    this.#pty = undefined
  }

  /** The newest output, as bytes. */
  newest(maxBytes: number): Buffer {
    return this.#history.newest(0, maxBytes)
  }

  look(key: string, send: Viewer['send'], isReady: Viewer['isReady']): void {
    const viewer: Viewer = { send, isReady, sent: 0, decoder: decoder() }
    this.#viewers.set(key, viewer)
    this.#restart(viewer)
  }

  leave(key: string): void {
    this.#viewers.delete(key)
  }

  /** Tells viewers and clients how it is now. */
  changed(): void {
    for (const { send } of this.#viewers.values()) send({ type: 'terminal', terminal: this.view })
    this.#changed()
  }

  #printed(bytes: Buffer): void {
    this.#history.append(bytes)
    this.#read(bytes)
    if (this.#viewers.size > 0) this.#timer ??= setTimeout(() => this.#tick(), TICK_MS)
  }

  /** Notes the title, and answers what a program asks its terminal: viewers do not, since several would. */
  #read(bytes: Buffer): void {
    const { asked, title } = this.#sequences.read(bytes)
    for (let n = 0; n < asked; n += 1) this.#pty?.write(TERMINAL_ATTRIBUTES)
    if (title === undefined || title === (this.#title ?? '')) return
    this.#title = title === '' ? undefined : title
    this.changed()
  }

  #tick(): void {
    this.#timer = undefined
    this.#flush()
    if ([...this.#viewers.values()].some(({ sent }) => sent < this.#history.total))
      this.#timer = setTimeout(() => this.#tick(), TICK_MS)
  }

  #flush(): void {
    const { total } = this.#history
    for (const viewer of this.#viewers.values()) {
      const fresh = total - viewer.sent
      if (fresh <= 0 || !viewer.isReady()) continue
      const bytes = this.#history.newest(viewer.sent, MAX_BYTES)
      if (bytes.length < fresh) {
        this.#restart(viewer)
        continue
      }
      viewer.sent = total
      const text = viewer.decoder.decode(bytes, { stream: true })
      if (text !== '') viewer.send({ type: 'output', text })
    }
  }

  #restart(viewer: Viewer): void {
    const { total } = this.#history
    const bytes = this.#history.newest(0, MAX_BYTES)
    // Not in the middle of a character or escape sequence: if something is omitted, start at a line.
    const begin = bytes.length < total ? bytes.indexOf(0x0a) + 1 : 0
    const end = Math.max(begin, wholeLength(bytes))
    viewer.sent = total
    viewer.decoder = decoder()
    viewer.decoder.decode(bytes.subarray(end), { stream: true })
    viewer.send({ type: 'start', terminal: this.view, text: bytes.toString('utf8', begin, end) })
  }
}

function decoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

/** The shell leads its process group; what it runs in the foreground is hung up by the kernel with it. */
function signal(pty: IPty, name: 'SIGHUP' | 'SIGKILL'): void {
  try {
    if (process.platform === 'win32') pty.kill()
    else process.kill(-pty.pid, name)
  } catch {
    // It has just ended.
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
}
