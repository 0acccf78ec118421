import type { Terminal } from '@xterm/xterm'

/** What a program may ask its terminal: attributes, status and cursor, modes, window, settings, colours. */
const QUESTIONS = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 't' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
] as const
const SETTINGS = { intermediates: '$', final: 'q' } as const
const COLOURS = [4, 10, 11, 12] as const
/** Titles and icon names, notifications, the working directory, the clipboard: a program in a view changes nothing outside it. */
const OUTSIDE = [0, 1, 2, 7, 9, 52, 777, 1337] as const

/** Says to xterm that nothing is left to do. */
const swallow = (): boolean => true

/**
 * A view answers no questions. What it shows is also shown elsewhere and again later: each view would answer, and an old question in the log would
 * be answered into whatever reads the terminal now, a password prompt for instance. Only what a person types goes to the program.
 */
export function keepQuiet({ parser }: Pick<Terminal, 'parser'>): void {
  for (const question of QUESTIONS) parser.registerCsiHandler(question, swallow)
  parser.registerDcsHandler(SETTINGS, swallow)
  for (const outside of OUTSIDE) parser.registerOscHandler(outside, swallow)
  for (const colour of COLOURS) parser.registerOscHandler(colour, swallow)
}
