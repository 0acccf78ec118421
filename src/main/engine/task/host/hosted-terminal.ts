import { constants } from 'node:os'
import type { IPty } from 'node-pty'
import type { TerminalPush, TerminalSize, UserTerminal } from '../../../../shared/model/task/terminal'
import { wholeLength } from '../output/log-files'
import { openPtyMasters } from '../../process/shell-process'
import type { TerminalStart } from '../protocol/task-protocol'
import { cutText } from '../../../../shared/cut-text'

/** The newest output of a terminal, in memory only: what the user's own programs print is not written to disk. */
class TerminalHistory {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #kept = 0
  /** Bytes printed so far. */
  total = 0
  /** The sizes the terminal has had and the offsets they apply from, oldest first. */
  #sizes: { from: number; cols: number; rows: number }[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Output appended from now on was printed for a terminal of this size. */
  resize(cols: number, rows: number): void {
    const before = this.#sizes.filter(({ from }) => from < this.total)
    this.#sizes = [...before, { from: this.total, cols, rows }].slice(-MAX_SIZES)
  }

  /** The sizes that apply from byte `from` on; the first is the size at that byte. */
  sizesFrom(from: number): readonly { from: number; cols: number; rows: number }[] {
    const first = this.#sizes.findLastIndex((size) => size.from <= from)
    return this.#sizes.slice(Math.max(0, first))
  }

  append(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#kept += bytes.length
    this.total += bytes.length
    while (this.#kept > this.#maxBytes) {
      const [first] = this.#chunks
      if (!first) break
      const extra = this.#kept - this.#maxBytes
      if (extra >= first.length) this.#chunks.shift()
      else this.#chunks[0] = first.subarray(extra)
      this.#kept -= Math.min(extra, first.length)
    }
    // Many small pieces cost more than their bytes.
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)]
  }

  /** What was printed after byte `from`, at most the newest `maxBytes`. */
  newest(from: number, maxBytes: number): Buffer {
    const wanted = Math.min(this.total - from, maxBytes, this.#kept)
    if (wanted <= 0) return Buffer.alloc(0)
    const parts: Buffer[] = []
    let found = 0
    for (let at = this.#chunks.length - 1; at >= 0 && found < wanted; at -= 1) {
      const chunk = this.#chunks[at]!
      const part = chunk.subarray(Math.max(0, chunk.length - (wanted - found)))
      parts.unshift(part)
      found += part.length
    }
    return Buffer.concat(parts)
  }
}

const MAX_CHUNKS = 2000
/** Maximum number of sizes kept; dragging the edge of a view adds several a second. */
const MAX_SIZES = 200

const ESC = '\\u001b'
const BEL = '\\u0007'
/** A program's query for the type of terminal; shells wait for the answer. */
const ATTRIBUTES_QUERY = new RegExp(`${ESC}\\[0?c`, 'g')
const TITLE = new RegExp(`${ESC}\\][02];([^${BEL}${ESC}]*)(?:${BEL}|${ESC}\\\\)`, 'g')
const COMPLETE = new RegExp(`^${ESC}(?:\\[[0-9;?<=>]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*${BEL}|[^[\\]])`)
/** Don't wait for the end of longer sequences. */
const MAX_SEQUENCE = 512
const MAX_TITLE = 200

/** The answer to that query: a color terminal like those that views emulate. */
const TERMINAL_ATTRIBUTES = '\u001b[?62;22c'

/** Finds the sequences in a terminal's output that the terminal itself must handle. */
class TerminalSequences {
  /** The end of the previous input, which may contain an incomplete sequence. */
  #open = ''

  /** The number of queries for the terminal's attributes, and the newest title; `''`: the title was cleared. */
  read(bytes: Buffer): { queries: number; title?: string } {
    if (this.#open === '' && !bytes.includes(0x1b)) return { queries: 0 }
    const text = this.#open + bytes.toString('latin1')
    const queries = text.match(ATTRIBUTES_QUERY)?.length ?? 0
    const title = [...text.matchAll(TITLE)].at(-1)?.[1]
    const rest = text.slice(text.lastIndexOf('\u001b'))
    this.#open = rest.startsWith('\u001b') && rest.length < MAX_SEQUENCE && !COMPLETE.test(rest) ? rest : ''
    if (title === undefined) return { queries }
    return { queries, title: cutText(Buffer.from(title, 'latin1').toString('utf8').trim(), MAX_TITLE) }
  }
}

/** Output kept for viewers that connect later. */
const HISTORY_BYTES = 1024 * 1024
/** Maximum bytes sent in one push. */
const MAX_BYTES = 256 * 1024
/** Faster than a screen can show. */
const TICK_MS = 16
/** How long a shell can take to exit after a hang-up before it is killed. */
const GRACE_MS = 2_000

interface Viewer {
  send: (push: TerminalPush) => void
  isReady: () => boolean
  sent: number
  decoder: ReturnType<typeof decoder>
}

/** One user terminal: its shell, its newest output, and its viewers. */
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

  /** `changed` is called when its title, state or mark changes. */
  constructor(start: TerminalStart, changed: () => void) {
    this.#start = start
    this.#changed = changed
    this.#size = { cols: start.cols, rows: start.rows }
    this.#history.resize(start.cols, start.rows)
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

  /** Starts the shell, or restarts it after it has ended. Throws if it cannot be started. */
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
    this.#history.resize(cols, rows)
    this.#pty?.resize(cols, rows)
  }

  /** Hangs up, and after a grace period kills what is left. Resolves when the shell has ended. */
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

  addViewer(key: string, send: Viewer['send'], isReady: Viewer['isReady']): void {
    const viewer: Viewer = { send, isReady, sent: 0, decoder: decoder() }
    this.#viewers.set(key, viewer)
    this.#restart(viewer)
  }

  removeViewer(key: string): void {
    this.#viewers.delete(key)
  }

  /** Sends its current state to viewers and clients. */
  changed(): void {
    for (const { send } of this.#viewers.values()) send({ type: 'terminal', terminal: this.view })
    this.#changed()
  }

  #printed(bytes: Buffer): void {
    this.#history.append(bytes)
    this.#read(bytes)
    if (this.#viewers.size > 0) this.#timer ??= setTimeout(() => this.#tick(), TICK_MS)
  }

  /** Notes the title and answers queries of programs. Viewers don't answer them, because several of them would. */
  #read(bytes: Buffer): void {
    const { queries, title } = this.#sequences.read(bytes)
    for (let n = 0; n < queries; n += 1) this.#pty?.write(TERMINAL_ATTRIBUTES)
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
    const text = bytes.toString('utf8', begin, end)
    viewer.send({ type: 'start', terminal: this.view, text, sizes: this.#sizesIn(bytes, begin, end) })
  }

  /** The sizes that the newest `bytes` were printed for, each with its position in the text from `begin` to `end`. */
  #sizesIn(bytes: Buffer, begin: number, end: number): TerminalSize[] {
    const first = this.#history.total - bytes.length
    return this.#history.sizesFrom(first + begin).flatMap(({ from, cols, rows }) => {
      const upTo = Math.max(begin, from - first)
      // Omit sizes that apply only to later output: the view has that size by the time the output arrives.
      return upTo > end ? [] : [{ at: bytes.toString('utf8', begin, upTo).length, cols, rows }]
    })
  }
}

function decoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

/** The shell leads its process group; when it ends, the kernel also hangs up its foreground processes. */
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
