import { randomBytes } from 'node:crypto'
import { CodedError } from '../../../shared/errors'
import type { TerminalPush, UserTerminal } from '../../../shared/model/task/terminal'
import type { HostConnection } from '../task/client/host-connection'
import { HostConnector, type TaskHostProgram } from '../task/client/host-connector'

/** The user's actions on their terminals. */
export interface TerminalActions {
  open(sessionId: string, size: { cols: number; rows: number }): Promise<UserTerminal>
  list(sessionId?: string): Promise<UserTerminal[]>
  input(terminalId: string, data: string): Promise<void>
  resize(terminalId: string, size: { cols: number; rows: number }): Promise<void>
  restart(terminalId: string): Promise<UserTerminal>
  letWatch(terminalId: string, isWatched: boolean): Promise<UserTerminal>
  close(terminalId: string): Promise<void>
  /** Shows a terminal until the returned function is called. */
  view(terminalId: string, viewer: TerminalViewer): () => void
}

/** A session agent's access to the user's terminals: only the screens that the user lets it watch. */
export interface WatchedTerminals {
  /** One line for each, for the model; undefined if the list is empty. */
  describe(): string | undefined
  /** The text on the screen; undefined if it is not watched. */
  screen(terminalId: string): Promise<string | undefined>
}

/** Prefix that distinguishes the ids of terminals from others. */
export const TERMINAL_PREFIX = 'term-'

/** How the shell of a new terminal is started. */
export interface ShellStart {
  shell: string
  args: string[]
  env: Record<string, string>
}

export interface TerminalClientOptions {
  /** Real path. */
  home: string
  /** How to start the task host; absent: only an existing host is used. */
  program?: TaskHostProgram
  /** The environment for a new task host. */
  hostEnv: () => Record<string, string>
  /** Rejects when the shell cannot be determined. */
  shell: () => Promise<ShellStart>
  /** The folder of a session; throws if the session does not exist. */
  folderOf: (sessionId: string) => string
  now: () => number
  /** A terminal was opened, changed or closed. */
  onChange: () => void
}

/** The messages to a viewer of a terminal. */
export interface TerminalViewer {
  push: (push: TerminalPush) => void
  /** Called at the end: the terminal was closed, or its host has exited. */
  end: (error: CodedError) => void
}

/**
 * The user's own terminals, in the task host of this home. Connects to an existing host when a list is requested, and
 * starts one for the first terminal.
 */
export class TerminalClient {
  readonly #options: TerminalClientOptions
  readonly #connector: HostConnector
  readonly #viewers = new Map<TerminalViewer, string>()
  #known: readonly UserTerminal[] = []
  #isClosed = false

  constructor(options: TerminalClientOptions) {
    this.#options = options
    const { home, program, hostEnv } = options
    this.#connector = new HostConnector({
      home,
      ...(program && { program }),
      env: hostEnv,
      events: {
        changed: () => undefined,
        removed: () => undefined,
        measured: () => undefined,
        terminals: (terminals) => this.#update(terminals),
        lost: () => this.#update([]),
      },
      onLink: () => undefined,
    })
  }

  async open(sessionId: string, cols: number, rows: number): Promise<UserTerminal> {
    const { folderOf, shell, now } = this.#options
    const cwd = folderOf(sessionId)
    const start = await shell()
    const link = await this.#connector.need()
    const terminalId = `${TERMINAL_PREFIX}${randomBytes(5).toString('hex')}`
    return link.ask('openTerminal', { ...start, terminalId, sessionId, cwd, cols, rows, startedAt: now() })
  }

  /** All terminals, in the order they were opened. */
  async list(): Promise<readonly UserTerminal[]> {
    await this.#find()
    return this.#known
  }

  /** The known terminals that the agent of a session may read; complete after a `list`. */
  watchedIn(sessionId: string): UserTerminal[] {
    return this.#known.filter((terminal) => terminal.isWatched && terminal.sessionId === sessionId)
  }

  async input(terminalId: string, data: string): Promise<void> {
    const link = await this.#find()
    if (await link?.ask('terminalInput', { terminalId, data })) return
    const known = this.#known.some((terminal) => terminal.terminalId === terminalId)
    throw known
      ? new CodedError('terminal.not_found', 'The shell in this terminal has ended. Restart it.')
      : notFound(terminalId)
  }

  async resize(terminalId: string, cols: number, rows: number): Promise<void> {
    const link = await this.#find()
    if (!(await link?.ask('resizeTerminal', { terminalId, cols, rows }))) throw notFound(terminalId)
  }

  async restart(terminalId: string): Promise<UserTerminal> {
    const link = await this.#find()
    return this.#found(terminalId, await link?.ask('restartTerminal', { terminalId, startedAt: this.#options.now() }))
  }

  async letWatch(terminalId: string, isWatched: boolean): Promise<UserTerminal> {
    const link = await this.#find()
    return this.#found(terminalId, await link?.ask('watchTerminal', { terminalId, isWatched }))
  }

  /** The text on the screen; undefined if the agent of this session may not read it. */
  async screen(terminalId: string, sessionId: string): Promise<string | undefined> {
    const link = await this.#find()
    return (await link?.ask('terminalScreen', { terminalId, sessionId })) ?? undefined
  }

  async remove(terminalId: string): Promise<void> {
    const link = await this.#find()
    if (!(await link?.ask('closeTerminal', { terminalId }))) throw notFound(terminalId)
  }

  /** Shows a terminal until the returned function is called. */
  view(terminalId: string, viewer: TerminalViewer): () => void {
    let stop: (() => void) | undefined
    this.#viewers.set(viewer, terminalId)
    const begin = async (): Promise<void> => {
      const link = await this.#find()
      const leave = await link?.viewTerminal(terminalId, (push) => this.#viewers.has(viewer) && viewer.push(push))
      if (!leave) this.#end(viewer, notFound(terminalId))
      else if (this.#viewers.has(viewer)) stop = leave
      else leave()
    }
    begin().catch((error: unknown) => this.#end(viewer, error instanceof CodedError ? error : notFound(terminalId)))
    return () => {
      this.#viewers.delete(viewer)
      stop?.()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#connector.close()
  }

  async #find(): Promise<HostConnection | undefined> {
    return this.#connector.find()
  }

  #update(terminals: readonly UserTerminal[]): void {
    if (this.#isClosed) return
    this.#known = terminals
    for (const [viewer, terminalId] of this.#viewers)
      if (!terminals.some((terminal) => terminal.terminalId === terminalId)) this.#end(viewer, notFound(terminalId))
    this.#options.onChange()
  }

  #end(viewer: TerminalViewer, error: CodedError): void {
    if (this.#viewers.delete(viewer)) viewer.end(error)
  }

  #found(terminalId: string, terminal: UserTerminal | null | undefined): UserTerminal {
    if (!terminal) throw notFound(terminalId)
    return terminal
  }
}

function notFound(terminalId: string): CodedError {
  return new CodedError('terminal.not_found', `There is no terminal ${terminalId}.`)
}
