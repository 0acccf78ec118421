/** Variables that belong to the shell that was asked, to a terminal, or to Trestle's own process. */
const OF_THE_PROCESS = new Set([
  '_',
  'PWD',
  'OLDPWD',
  'SHLVL',
  'TERM',
  'TERMCAP',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'COLORTERM',
  'COLUMNS',
  'LINES',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  // Of an AppImage.
  'APPDIR',
  'APPIMAGE',
  'ARGV0',
  'OWD',
])
const OF_US = /^(?:ELECTRON_|TRESTLE_|CHROME_DESKTOP$|GIO_LAUNCHED_DESKTOP_FILE)/

/**
 * What a shell printed between two `mark`s: JSON, or `NAME=value` with zeros in between. Everything around it, such as a banner, is skipped. Undefined while
 * it has not all been printed.
 */
export function printedEnvironment(output: string, mark: string): Record<string, string> | undefined {
  const pieces = output.split(mark)
  for (const piece of pieces.slice(1, -1)) {
    const env = piece.startsWith('{') ? fromJson(piece) : piece.includes('\0') ? fromList(piece) : undefined
    if (env) return env
  }
  return undefined
}

/** The variables that are taken over from what the shell printed. `added`: names that were set for the shell alone. */
export function takenVariables(printed: Readonly<Record<string, string>>, added: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(printed).filter(([name]) => !OF_THE_PROCESS.has(name) && !OF_US.test(name) && !added.includes(name)),
  )
}

function fromJson(text: string): Record<string, string> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return undefined
    return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return undefined
  }
}

function fromList(text: string): Record<string, string> | undefined {
  const entries = text.split('\0').filter((entry) => entry !== '')
  const isList = entries.every((entry) => entry.indexOf('=') > 0)
  return isList
    ? Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]))
    : undefined
}
