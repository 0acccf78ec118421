import { dirname, join } from 'node:path'

/** How Electron ended before it was ready. */
export interface EarlyExit {
  /** Of its binary. */
  path: string
  /** Its exit code, or the signal that ended it. */
  ending: string
  /** What it had printed. */
  printed: string
  error?: NodeJS.ErrnoException
}

/** A line of Chromium's own log begins with numbers, a level and a file. */
const LOG_PREFIX = /^\[[\d:/.]+(?::[A-Z]+)?:[^\]]*\]\s*/
const LONGEST_REASON = 200

const KNOWN: readonly { sign: RegExp; says: (exit: EarlyExit, found: RegExpExecArray) => string }[] = [
  {
    sign: /SUID sandbox helper binary was found, but is not configured correctly|No usable sandbox/,
    says: ({ path }) => {
      const helper = join(dirname(path), 'chrome-sandbox')
      return `this Linux does not let programs make a sandbox (AppArmor restricts user namespaces). To allow it for Electron: sudo chown root '${helper}' && sudo chmod 4755 '${helper}'.`
    },
  },
  {
    sign: /Running as root without --no-sandbox/,
    says: () => 'Electron does not run as root. Start Trestle as a user without special rights.',
  },
  {
    sign: /Missing X server or \$DISPLAY|cannot open display|Unable to open X display|Failed to connect to Wayland display/i,
    says: () =>
      'the display cannot be reached. Start Trestle in a desktop session, or see that DISPLAY or WAYLAND_DISPLAY names one that is yours.',
  },
  {
    sign: /error while loading shared libraries: ([^\s:]+)/,
    says: (_exit, [, library]) =>
      `the library ${library} is missing. Install it with the packages of your system (on Debian and Ubuntu: apt-file search ${library}).`,
  },
  {
    sign: /version [`'](GLIBC_[\d.]+)'? not found/,
    says: (_exit, [, version]) => `this system is too old for Electron, which needs ${version}.`,
  },
  {
    sign: /cannot execute binary file|Exec format error/i,
    says: ({ path }) => `${path} is made for another processor. Remove node_modules/electron and run \`npm install\` here.`,
  },
]

/** Why Electron did not start and what helps, as one line to follow a colon. */
export function whyElectronEnded(exit: EarlyExit): string {
  const { path, ending, printed, error } = exit
  if (error?.code === 'EACCES') return `${path} may not be run: its mode or its file system (noexec) forbids it.`
  if (error) return `${path} could not be started (${error.code ?? error.message}).`
  for (const { sign, says } of KNOWN) {
    const found = sign.exec(printed)
    if (found) return says(exit, found)
  }
  const last = printed
    .split('\n')
    .map((line) => line.trim().replace(LOG_PREFIX, ''))
    .findLast((line) => line !== '')
  const said = last === undefined ? '' : ` It said: ${last.slice(0, LONGEST_REASON)}`
  return `Electron ended with ${ending} before its window opened.${said}`
}
