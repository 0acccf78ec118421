import type { UserTerminal } from '../../../shared/model/terminal'
import type { TerminalViewer } from './terminal-client'

/** What a person can do with their terminals. */
export interface TerminalActions {
  open(sessionId: string, size: { cols: number; rows: number }): Promise<UserTerminal>
  list(sessionId?: string): Promise<UserTerminal[]>
  input(terminalId: string, data: string): Promise<void>
  resize(terminalId: string, size: { cols: number; rows: number }): Promise<void>
  restart(terminalId: string): Promise<UserTerminal>
  letWatch(terminalId: string, isWatched: boolean): Promise<UserTerminal>
  close(terminalId: string): Promise<void>
  /** Looks at a terminal until the function returned is called. */
  view(terminalId: string, viewer: TerminalViewer): () => void
}

/** What the agent of a session gets of the user's terminals: only the screens that the user lets it watch. */
export interface WatchedTerminals {
  /** One line for each, for the model; undefined if the list is empty. */
  describe(): string | undefined
  /** The text on the screen; undefined when it is not watched. */
  screen(terminalId: string): Promise<string | undefined>
}
