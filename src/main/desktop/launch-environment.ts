import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoginShellOptions } from '../engine/environment/login-environment'
import { plainNode } from '../engine/runtime/plain-node'

/** Set in the environment of a desktop app that `trestle desktop` starts: it has the environment of that terminal. */
export const STARTED_BY_COMMAND = 'TRESTLE_CLI'

/**
 * Whether the desktop app was started from a dock, a menu or a launcher, whose environment lacks what the user's shell sets, and what to read the shell's
 * environment with then. Windows gives programs the user's whole environment however they are started.
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

/** Says to the program that started the desktop app that Electron works: from now on the app shows by itself what goes wrong. */
export function signalReady(env: NodeJS.ProcessEnv = process.env): void {
  const file = env[VARIABLE]
  if (file === undefined) return
  try {
    writeFileSync(file, '', { mode: 0o600 })
  } catch {
    // Whoever waited for it is gone.
  }
}

/** Where a desktop app says that it is ready. */
export class ReadyFile {
  /** For the app's environment. */
  readonly env: Record<string, string>
  private readonly folder = mkdtempSync(join(tmpdir(), 'trestle-start-'))
  private readonly file = join(this.folder, 'ready')

  constructor() {
    this.env = { [VARIABLE]: this.file }
  }

  get isThere(): boolean {
    return existsSync(this.file)
  }

  /** Calls back once the app is ready. Returns what stops that, and removes the file. */
  onReady(listener: () => void): () => void {
    const watcher = watch(this.folder, () => this.isThere && listener())
    watcher.on('error', () => {})
    return () => {
      watcher.close()
      rmSync(this.folder, { recursive: true, force: true })
    }
  }
}
