import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoginShellOptions } from '../engine/environment/login-environment'
import { plainNode } from '../engine/runtime/plain-node'

/** Set by `trestle desktop` for the desktop app, which then already has the environment of that terminal. */
export const STARTED_BY_COMMAND = 'TRESTLE_CLI'

/**
 * Options for reading the login shell's environment; undefined unless the desktop app was started from a dock, a menu
 * or a launcher, which lack what the user's shell sets. Windows always gives programs the user's complete environment.
 */
export function desktopLoginShell({
  env,
  platform,
}: {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
}): LoginShellOptions | undefined {
  const hasTerminal = (env['TERM'] ?? 'dumb') !== 'dumb'
  if (platform === 'win32' || env[STARTED_BY_COMMAND] !== undefined || hasTerminal) return undefined
  return { node: { path: plainNode() } }
}

const VARIABLE = 'TRESTLE_READY_FILE'
const POLL_MS = 100

/** Signals to `trestle desktop` that Electron works: from now on the app itself shows any problem. */
export function signalReady(env: NodeJS.ProcessEnv = process.env): void {
  const file = env[VARIABLE]
  if (file === undefined) return
  try {
    writeFileSync(file, '', { mode: 0o600 })
  } catch {
    // The waiting process has exited.
  }
}

/** A file through which the desktop app signals that it is ready. */
export class ReadyFile {
  /** Variables for the app's environment. */
  readonly env: Record<string, string>
  private readonly folder = mkdtempSync(join(tmpdir(), 'trestle-start-'))
  private readonly file = join(this.folder, 'ready')

  constructor() {
    this.env = { [VARIABLE]: this.file }
  }

  get isThere(): boolean {
    return existsSync(this.file)
  }

  /** Calls back once the app is ready. Returns a function that stops watching and removes the file. */
  onReady(listener: () => void): () => void {
    let stop: () => void
    const look = (): void => {
      if (!this.isThere) return
      stop()
      listener()
    }
    try {
      const watcher = watch(this.folder, look)
      watcher.on('error', () => {})
      stop = () => watcher.close()
    } catch {
      // The system has no watches left.
      const timer = setInterval(look, POLL_MS)
      stop = () => clearInterval(timer)
    }
    return () => {
      stop()
      rmSync(this.folder, { recursive: true, force: true })
    }
  }
}
