/** How words look; without colours they stay as they are. */
export interface Style {
  dim(text: string): string
  bold(text: string): string
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
  if (!colours) return { dim: plain, bold: plain, amber: plain, green: plain, red: plain, blue: plain }
  return { dim: code(2, 22), bold: code(1, 22), amber: code(33, 39), green: code(32, 39), red: code(31, 39), blue: code(36, 39) }
}

/** Whether colours are wanted (https://no-color.org) and can be shown. */
export function wantsColours(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return isTerminal && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === ''
}
