/** How reading a line ended. `text` is the typed text. */
export type LineResult = { kind: 'line' | 'interrupt' | 'aborted'; text: string } | { kind: 'end' }

export interface LineRequest {
  prompt: string
  /** The initial text. */
  text?: string
  /** Newest first. */
  history?: readonly string[]
  /** Completions of the typed text, and the part they replace. */
  complete?: (typed: string) => Promise<[fits: string[], part: string]>
  /** Reads without echo. */
  isSecret?: boolean
  /** Aborts the read; the result contains the typed text. */
  signal?: AbortSignal
}

export interface KeyRequest {
  /** The accepted keys. */
  keys: string
  /** Shown once keys are accepted. */
  prompt: string
  signal?: AbortSignal
}

/** The terminal of a chat: with single keys, with lines only, or a pipe. */
export interface Terminal {
  readonly style: Style
  /** Whether a user can be asked. */
  readonly isInteractive: boolean
  /** The current width; it changes with the window. */
  readonly columns: number
  /** Writes safe text; buffered while a line is being typed. */
  write(text: string): void
  /** Starts a new line if the current one is unfinished. */
  freshLine(): void
  /** Whether the last output ended in the middle of a line. */
  readonly isMidLine: boolean
  readLine(request: LineRequest): Promise<LineResult>
  /**
   * One of the keys, or undefined for Ctrl-C and when the signal aborts. Ignores keys typed before the question was on
   * screen, and until it has been there for a moment without another key.
   */
  readKey(request: KeyRequest): Promise<string | undefined>
  /** Reports Ctrl-C and typing while no read is active. Returns a function that unsubscribes. */
  onBusyInput(listener: { interrupt(): void; typing(): void }): () => void
  /** Shows a status line that the next output erases; undefined removes it. */
  status(text: string | undefined): void
  /**
   * Rings the bell and shows a text as the title of the window, without changing what is on screen. Does nothing
   * without a terminal.
   */
  alert(title: string): void
  /** Restores the terminal's original state. */
  close(): void
}

/** Styles for text; without colors they return it unchanged. */
export interface Style {
  /** Whether styles have a visible effect. */
  readonly hasColor: boolean
  dim(text: string): string
  bold(text: string): string
  italic(text: string): string
  underline(text: string): string
  struck(text: string): string
  /** Marks something that needs the user. */
  amber(text: string): string
  green(text: string): string
  red(text: string): string
  blue(text: string): string
}

const plain = (text: string): string => text

/** Styles each line separately, so that scrolling or wrapping does not spread colors. */
function code(on: number, off: number): (text: string) => string {
  return (text) => text.replaceAll(/[^\n]+/g, (line) => `\x1b[${on}m${line}\x1b[${off}m`)
}

export function createStyle(colours: boolean): Style {
  const as = (on: number, off: number): ((text: string) => string) => (colours ? code(on, off) : plain)
  return {
    hasColor: colours,
    dim: as(2, 22),
    bold: as(1, 22),
    italic: as(3, 23),
    underline: as(4, 24),
    struck: as(9, 29),
    amber: as(33, 39),
    green: as(32, 39),
    red: as(31, 39),
    blue: as(36, 39),
  }
}

/** Whether colors are enabled (https://no-color.org) and supported. */
export function usesColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return isTerminal && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === ''
}
