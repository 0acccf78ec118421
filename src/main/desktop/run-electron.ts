import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { STARTED_BY_COMMAND, ReadyFile } from './launch-environment'
import { statSync } from 'node:fs'
import { UsageError, type Parsed } from '../console/parse-command'
import { findElectron } from './find-electron'

/** How the desktop app exited; `failed` says why it did not start. */
export type ElectronEnd = { code: number } | { failed: string }

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long to wait, in ms, for output that arrives after the exit. */
const STDERR_DRAIN_MS = 1_000
/** After this many characters, output is shown even if the app is not ready. */
const MAX_BUFFERED_OUTPUT = 64 * 1024

/**
 * Runs the desktop app until it exits and forwards signals to it. Output before it is ready is buffered: if it fails to
 * start, a one-line reason is shown instead.
 */
export async function runElectron(path: string, args: readonly string[]): Promise<ElectronEnd> {
  const ready = new ReadyFile()
  let app: ChildProcess | undefined
  let asked: NodeJS.Signals | undefined
  // Installed before the child starts, so that no signal is missed.
  const stopForwarding = SIGNALS.map((signal) => {
    const listener = (): void => {
      asked = signal
      app?.kill(signal)
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  let [heldBack, isShown] = ['', false]
  const show = (): void => {
    isShown = true
    process.stderr.write(heldBack)
    heldBack = ''
  }
  const stopWaiting = ready.onReady(show)
  let late: NodeJS.Timeout | undefined
  try {
    const started = spawn(path, args, {
      stdio: ['inherit', 'inherit', 'pipe'],
      env: { ...process.env, [STARTED_BY_COMMAND]: '1', ...ready.env },
    })
    app = started
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      heldBack += text
      if (isShown || heldBack.length > MAX_BUFFERED_OUTPUT) show()
    })
    return await new Promise<ElectronEnd>((resolve) => {
      started.once('error', (error) =>
        resolve({ failed: electronExitReason({ path, ending: '', printed: '', error }) }),
      )
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        const hasBegun = ready.isThere || code === 0 || asked !== undefined
        if (!hasBegun)
          return resolve({
            failed: electronExitReason({ path, ending: signal ?? `exit code ${code}`, printed: heldBack }),
          })
        show()
        resolve({ code: signal ? exitCodeOf(signal) : (code ?? 1) })
      }
      started.once('close', ended)
      // A browser that the app opened may keep the pipe open.
      started.once('exit', (code, signal) => {
        late = setTimeout(() => ended(code, signal), STDERR_DRAIN_MS)
      })
    })
  } finally {
    for (const stop of [stopWaiting, ...stopForwarding]) stop()
    clearTimeout(late)
    app?.stderr?.destroy()
  }
}

/** Exit code of a signal, as in shells: 128 + its number. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** An exit of Electron before it was ready. */
export interface EarlyExit {
  /** Path of the Electron binary. */
  path: string
  /** Its exit code, or the signal that ended it. */
  ending: string
  /** Its output. */
  printed: string
  error?: NodeJS.ErrnoException
}

/** A line of Chromium's log starts with numbers, a level and a file. */
const LOG_PREFIX = /^\[[\d:/.]+(?::[A-Z]+)?:[^\]]*\]\s*/
const LONGEST_REASON = 200

const KNOWN: readonly { sign: RegExp; says: (exit: EarlyExit, found: RegExpExecArray) => string }[] = [
  {
    sign: /SUID sandbox helper binary was found, but is not configured correctly|No usable sandbox/,
    says: ({ path }) => {
      const helper = join(dirname(path), 'chrome-sandbox')
      return (
        'this Linux does not let programs make a sandbox (AppArmor restricts user namespaces). ' +
        `To allow it for Electron: sudo chown root '${helper}' && sudo chmod 4755 '${helper}'.`
      )
    },
  },
  {
    sign: /Running as root without --no-sandbox/,
    says: () => 'Electron does not run as root. Start Trestle as a user without special rights.',
  },
  {
    sign: /Missing X server or \$DISPLAY|cannot open display|Unable to open X display|Failed to connect to Wayland display/i,
    says: () =>
      'the display cannot be reached. ' +
      'Start Trestle in a desktop session, or see that DISPLAY or WAYLAND_DISPLAY names one that is yours.',
  },
  {
    sign: /error while loading shared libraries: ([^\s:]+)/,
    says: (_exit, [, library]) =>
      `the library ${library} is missing. ` +
      `Install it with the packages of your system (on Debian and Ubuntu: apt-file search ${library}).`,
  },
  {
    sign: /version [`'](GLIBC_[\d.]+)'? not found/,
    says: (_exit, [, version]) => `this system is too old for Electron, which needs ${version}.`,
  },
  {
    sign: /cannot execute binary file|Exec format error/i,
    says: ({ path }) =>
      `${path} is made for another processor. Remove node_modules/electron and run \`npm install\` here.`,
  },
]

/** Why Electron did not start and how to fix it, as one line to follow a colon. */
function electronExitReason(exit: EarlyExit): string {
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

/**
 * `trestle desktop [folder]`: opens the desktop app and waits until it is closed. If it cannot run, prints one line
 * with the reason and the fix, and the web host opens instead. Returns the exit code.
 */
export async function desktopMain(parsed: Parsed, version: string): Promise<number> {
  const folder = folderOf(parsed.positionals[0])
  const electron = await findElectron()
  if ('missing' in electron) return serveInstead(electron.missing, parsed, version)
  const end = await runElectron(electron.path, [...electron.args, ...(folder === undefined ? [] : [folder])])
  return 'failed' in end ? serveInstead(end.failed, parsed, version) : end.code
}

async function serveInstead(reason: string, parsed: Parsed, version: string): Promise<number> {
  process.stderr.write(`The desktop app cannot open: ${reason} Opening the web host instead.\n`)
  const { serveMain } = await import('../host/web/serve-main')
  return serveMain(parsed, version)
}

/** The folder to open, as an absolute path: a running app may have another working directory. */
function folderOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined
  const folder = resolve(word)
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`There is no folder ${folder}.`, 'desktop')
  if (!stats.isDirectory()) throw new UsageError(`${folder} is not a folder.`, 'desktop')
  return folder
}
