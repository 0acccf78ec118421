/** The user's own terminal: their shell in the folder of a session. It belongs to the user, not to the agent. */
export interface UserTerminal {
  terminalId: string
  /** The session in which it was opened. */
  sessionId: string
  /** Absolute path. */
  shell: string
  /** The folder it was opened in. */
  cwd: string
  /** The window title set by its program; absent: none. */
  title?: string
  status: 'running' | 'ended'
  /** How the shell ended. */
  exit?: { code: number; signal?: string }
  startedAt: number
  /** The agent of its session can read its screen. */
  isWatched: boolean
}

/** The size of a terminal, starting with the character `at` of its output. */
export interface TerminalSize {
  at: number
  cols: number
  rows: number
}

/**
 * The pushes to a viewer of a terminal: first `start`, then output and changes. A slow viewer gets `start` again with
 * the newest output instead of everything between. `sizes`: redrawn output fits only the size it was printed for; an
 * older task host does not report them.
 */
export type TerminalPush =
  | { type: 'start'; terminal: UserTerminal; text: string; sizes?: TerminalSize[] }
  | { type: 'output'; text: string }
  | { type: 'terminal'; terminal: UserTerminal }

/** Limits of a terminal's size, in cells. */
export const TERMINAL_SIZE = { cols: { min: 2, max: 1000 }, rows: { min: 1, max: 500 } } as const
