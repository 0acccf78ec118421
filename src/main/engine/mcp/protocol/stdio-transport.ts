import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { McpLogLine } from '../../../../shared/configuration/customize/mcp'
import {
  LineSplitter,
  ReadThrottle,
  responseForLongLine,
  readMessages,
  MAX_MESSAGE_BYTES,
} from '../transport/message-reader'
import { startServerProcess, type ServerCommand, type ServerProcess } from './server-process'
import { cutText } from '../../../../shared/cut-text'

/** A longer line of stderr is shortened to its two ends. */
const MAX_STDERR_LINE = 4 * 1024
/** Maximum number of bytes queued for a server that does not read its input. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024
/** How long output is still read after the exit: child processes may keep the pipe open indefinitely. */
const DRAIN_MS = 250
/** Maximum number of non-message lines on stdout shown in the log. */
const MAX_NOISE = 100

/**
 * A server as a process, with messages as lines over its pipes (MCP 2025-11-25, stdio). Bounded in memory and time no
 * matter what the server does: long lines, noise, floods, unread input. Everything it started ends with it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #command: ServerCommand
  readonly #log: (line: Omit<McpLogLine, 'at'>) => void
  #process: ServerProcess | undefined
  #noise = 0
  #isClosed = false

  constructor(command: ServerCommand, log: (line: Omit<McpLogLine, 'at'>) => void) {
    this.#command = command
    this.#log = log
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** How the process ended, if it was not stopped. */
  get ending(): string | undefined {
    return this.#process?.ending()
  }

  async start(): Promise<void> {
    const started = await startServerProcess(this.#command)
    this.#process = started
    const { child } = started
    if (this.#isClosed) {
      await started.stop()
      throw new Error('It was stopped during startup.')
    }
    const lines = new LineSplitter(
      MAX_MESSAGE_BYTES,
      (line) => this.#read(line),
      (long) => {
        this.#log({
          from: 'connection',
          level: 'error',
          text: `A line of ${long.bytes} bytes was dropped; it starts with: ${shown(long.head)}`,
        })
        const failure = responseForLongLine(long, MAX_MESSAGE_BYTES)
        if (failure) this.#deliver(failure)
      },
    )
    const errors = new LineSplitter(
      MAX_STDERR_LINE,
      (text) => this.#log({ from: 'stderr', text: printable(text) }),
      ({ head, tail }) => this.#log({ from: 'stderr', text: `${printable(head)} […] ${printable(tail)}` }),
    )
    paced(child.stdout!, lines)
    paced(child.stderr!, errors)
    void started.exited.then(() => this.#ended([child.stdout!, child.stderr!]))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.child.stdin
    if (!stdin?.writable || this.#isClosed)
      throw new Error(`The server is not running: ${this.ending ?? 'it was stopped'}.`)
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Error('The server does not read what it is sent.')
    stdin.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    const wasClosed = this.#isClosed
    this.#isClosed = true
    await this.#process?.stop()
    if (!wasClosed) this.onclose?.()
  }

  #read(line: string): void {
    const messages = readMessages(line)
    if (messages) {
      for (const message of messages) this.#deliver(message)
      return
    }
    if (line.trim() === '' || this.#noise > MAX_NOISE) return
    const text =
      ++this.#noise > MAX_NOISE
        ? 'Further output on stdout that is not a message is not shown.'
        : `Not a message, on stdout: ${shown(line)}`
    this.#log({ from: 'connection', level: 'warning', text })
  }

  #deliver(message: JSONRPCMessage): void {
    if (this.#isClosed) return
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Called when the process has exited: ends the child processes that it left running. */
  async #ended(outputs: readonly Readable[]): Promise<void> {
    if (this.#isClosed) return
    const read = outputs.map((output) =>
      output.closed ? Promise.resolve() : new Promise((resolve) => output.once('close', resolve)),
    )
    const limit = new AbortController()
    await Promise.race([Promise.all(read), pause(DRAIN_MS, undefined, { signal: limit.signal }).catch(() => undefined)])
    limit.abort()
    await this.close()
  }
}

/** Feeds a stream to a splitter, throttled to be fair to other work. */
function paced(stream: Readable, lines: LineSplitter): void {
  const pace = new ReadThrottle()
  stream.on('data', (chunk: Buffer) => {
    const rest = pace.run(() => lines.push(chunk))
    if (!rest) return
    stream.pause()
    void rest.then(() => stream.resume())
  })
  stream.on('end', () => lines.end())
}

const MAX_SHOWN = 300

function shown(text: string): string {
  const clean = printable(text)
  return clean.length > MAX_SHOWN ? `${cutText(clean, MAX_SHOWN)}…` : clean
}

/** The text without control characters: terminal colors and cursor movements mean nothing in a log. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').replaceAll(/[^\P{Cc}\t\n]/gu, '')
}
