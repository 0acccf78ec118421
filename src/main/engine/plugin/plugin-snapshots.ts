import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPluginFolder, type PluginContent } from './plugin-files'
import { errorCode } from '../../../shared/error-text'

/**
 * Copies of plugins in `$TRESTLE_HOME/plugins/content`, each named after its hash, so that exactly the accepted content
 * runs.
 */
export class PluginSnapshots {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'plugins', 'content')
  }

  /** The folder for the content with this hash, which may not exist. */
  rootOf(hash: string): string {
    return join(this.#folder, /^[0-9a-f]{64}$/.test(hash) ? hash : 'none')
  }

  /** The content with this hash; undefined if it is missing or does not match the hash. */
  read(hash: string): PluginContent | undefined {
    const root = this.rootOf(hash)
    if (!existsSync(root)) return undefined
    try {
      const content = readPluginFolder(root)
      return content.hash === hash ? content : undefined
    } catch {
      return undefined
    }
  }

  /** Writes a copy unless it exists; replaces a damaged one. The copy appears atomically. */
  write(content: PluginContent): void {
    if (this.read(content.hash)) return
    const root = this.rootOf(content.hash)
    const draft = `${root}.${randomBytes(6).toString('hex')}.new`
    try {
      writePluginFolder(draft, content, 0o700)
      rmSync(root, { recursive: true, force: true })
      renameSync(draft, root)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      // Another process was faster.
      if ((errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') || !this.read(content.hash)) throw error
    }
  }

  /** Deletes copies older than `before` (ms since the epoch) that nothing refers to. */
  keepOnly(hashes: ReadonlySet<string>, before: number): void {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      return
    }
    for (const name of names) {
      const copy = join(this.#folder, name)
      // A new copy may belong to another process that has not recorded it yet.
      if (!hashes.has(name) && (statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? before) < before)
        rmSync(copy, { recursive: true, force: true })
    }
  }
}

/** Writes the files of a plugin into a new folder. `mode`: permissions of the folders. */
export function writePluginFolder(folder: string, content: PluginContent, mode = 0o777): void {
  mkdirSync(dirname(folder), { recursive: true, mode })
  mkdirSync(folder, { mode })
  for (const { path, bytes, isExecutable } of content.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode })
    writeFileSync(join(folder, path), bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
  }
}
