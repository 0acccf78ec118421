import type { TerminalPush, UserTerminal } from '../../../../shared/model/task/terminal'
import { plainText } from '../output/plain-text'
import { HostedTerminal } from './hosted-terminal'
import type { TerminalStart } from '../protocol/task-protocol'

/** How much of a terminal an agent that watches it can read. */
const SCREEN_BYTES = 64 * 1024
const SCREEN_LINES = 200

/** The user's own terminals of one host. They end with it, or when they are closed. */
export class UserTerminals {
  readonly #terminals = new Map<string, HostedTerminal>()
  readonly #listeners = new Set<() => void>()

  /**
   * Whether no shell is running. A terminal whose shell has ended can be restarted, but doesn't keep the host alive.
   */
  get isIdle(): boolean {
    return this.list().every(({ status }) => status === 'ended')
  }

  /** How many clients follow the list. */
  get followers(): number {
    return this.#listeners.size
  }

  /** In the order they were opened. */
  list(): UserTerminal[] {
    return [...this.#terminals.values()].map(({ view }) => view)
  }

  async open(start: TerminalStart): Promise<UserTerminal> {
    const terminal = new HostedTerminal(start, () => this.#notify())
    await terminal.begin(start.startedAt)
    this.#terminals.set(start.terminalId, terminal)
    this.#notify()
    return terminal.view
  }

  /** Null: there is no such terminal. */
  async restart(terminalId: string, startedAt: number): Promise<UserTerminal | null> {
    const terminal = this.#terminals.get(terminalId)
    await terminal?.begin(startedAt)
    return terminal?.view ?? null
  }

  /** False: there is no such terminal, or its shell has ended. */
  input(terminalId: string, data: string): boolean {
    return this.#terminals.get(terminalId)?.write(data) ?? false
  }

  resize(terminalId: string, cols: number, rows: number): boolean {
    const terminal = this.#terminals.get(terminalId)
    terminal?.resize(cols, rows)
    return terminal !== undefined
  }

  letWatch(terminalId: string, isWatched: boolean): UserTerminal | null {
    const terminal = this.#terminals.get(terminalId)
    if (!terminal) return null
    terminal.isWatched = isWatched
    terminal.changed()
    return terminal.view
  }

  /** What a watched terminal shows, as text, newest last; null: it is not watched by the agent of this session. */
  screen(terminalId: string, sessionId: string): string | null {
    const terminal = this.#terminals.get(terminalId)
    if (!terminal?.isWatched || terminal.view.sessionId !== sessionId) return null
    const lines = plainText([terminal.newest(SCREEN_BYTES)])
      .trimEnd()
      .split('\n')
    return lines.slice(-SCREEN_LINES).join('\n')
  }

  async close(terminalId: string): Promise<boolean> {
    const terminal = this.#terminals.get(terminalId)
    if (!terminal) return false
    this.#terminals.delete(terminalId)
    this.#notify()
    await terminal.close()
    return true
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#terminals.keys()].map((terminalId) => this.close(terminalId)))
  }

  /** Sends its output until `removeViewer`. False: there is no such terminal. */
  addViewer(terminalId: string, key: string, send: (push: TerminalPush) => void, isReady: () => boolean): boolean {
    const terminal = this.#terminals.get(terminalId)
    terminal?.addViewer(key, send, isReady)
    return terminal !== undefined
  }

  removeViewer(terminalId: string, key: string): void {
    this.#terminals.get(terminalId)?.removeViewer(key)
  }

  /** Calls `listener` when the list or part of a terminal has changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
