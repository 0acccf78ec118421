import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'TRESTLE_READY_FILE'

/** Says to the program that started the desktop app that Electron works: from now on the app shows by itself what goes wrong. */
export function sayReady(env: NodeJS.ProcessEnv = process.env): void {
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
