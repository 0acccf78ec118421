/** A terminal of the user's own: their shell in the folder of a session. It belongs to them, not to the agent. */
export interface UserTerminal {
  terminalId: string
  /** The session beside which it was opened. */
  sessionId: string
  /** Absolute path. */
  shell: string
  /** The folder it was opened in. */
  cwd: string
  /** As the program in it named its window; absent: it has not. */
  title?: string
  status: 'running' | 'ended'
  /** How the shell ended. */
  exit?: { code: number; signal?: string }
  startedAt: number
  /** The agent of its session may read its screen. */
  isWatched: boolean
}

/** The size of a terminal from the character `at` of its output on. */
export interface TerminalSize {
  at: number
  cols: number
  rows: number
}

/**
 * What a viewer of a terminal gets: first `start`, then output and changes. A slow viewer gets `start` again with the
 * newest output instead of all between. `sizes`: what a program redraws fits only the size it was printed for; an older
 * task host does not tell them.
 */
export type TerminalPush =
  | { type: 'start'; terminal: UserTerminal; text: string; sizes?: TerminalSize[] }
  | { type: 'output'; text: string }
  | { type: 'terminal'; terminal: UserTerminal }

/** Limits of a terminal's size, in cells. */
export const TERMINAL_SIZE = { cols: { min: 2, max: 1000 }, rows: { min: 1, max: 500 } } as const
