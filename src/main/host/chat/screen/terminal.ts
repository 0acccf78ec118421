/** How the reading of a line ended. `text` is what was typed. */
export type LineResult = { kind: 'line' | 'interrupt' | 'aborted'; text: string } | { kind: 'end' }

export interface LineRequest {
  prompt: string
  /** What stands there to begin with. */
  text?: string
  /** Newest first. */
  history?: readonly string[]
  /** Words that fit what is typed, and the part of it they stand for. */
  complete?: (typed: string) => Promise<[fits: string[], part: string]>
  /** It is not shown while it is typed. */
  isSecret?: boolean
  /** Ends the reading; what was typed is kept in the result. */
  signal?: AbortSignal
}

export interface KeyRequest {
  /** Single characters that are an answer. */
  keys: string
  /** Shown once keys count. */
  prompt: string
  signal?: AbortSignal
}

/** Where a conversation is held: a terminal with keys, one with lines only, or a pipe. */
export interface Terminal {
  readonly style: Style
  /** Whether a person is there who can be asked. */
  readonly isInteractive: boolean
  /** Now; it changes with the window. */
  readonly columns: number
  /** Writes text that is safe; held back while a line is being typed. */
  write(text: string): void
  /** Ends an unfinished line. */
  freshLine(): void
  /** Whether the last thing written ended in the middle of a line. */
  readonly isMidLine: boolean
  readLine(request: LineRequest): Promise<LineResult>
  /**
   * One of the keys, or undefined for Ctrl-C and for the signal. What was typed before the question was on screen counts for nothing, nor does
   * anything until it has been there, and no key has come, for a moment.
   */
  readKey(request: KeyRequest): Promise<string | undefined>
  /** Told of Ctrl-C and of typing while nothing is read. Returns how to stop listening. */
  onBusyInput(listener: { interrupt(): void; typing(): void }): () => void
  /** Shows a line that is gone as soon as anything else is written; undefined takes it away. */
  status(text: string | undefined): void
  /** Leaves the terminal as it was found. */
  close(): void
}

/** How words look; without colours they stay as they are. */
export interface Style {
  /** Whether anything of it can be seen. */
  readonly hasColor: boolean
  dim(text: string): string
  bold(text: string): string
  italic(text: string): string
  underline(text: string): string
  struck(text: string): string
  /** Waits for the person. */
  amber(text: string): string
  green(text: string): string
  red(text: string): string
  blue(text: string): string
}

const plain = (text: string): string => text

/** Styles each line by itself: a terminal that scrolls or wraps carries no colour over. */
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

/** Whether colours are wanted (https://no-color.org) and can be shown. */
export function usesColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return isTerminal && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === ''
}
