/** How words look; without colours they stay as they are. */
export interface Style {
  /** Whether anything of it can be seen. */
  readonly isColoured: boolean
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
    isColoured: colours,
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
export function wantsColours(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return isTerminal && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === ''
}
