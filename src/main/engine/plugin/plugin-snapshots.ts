import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPluginFolder, type PluginContent } from './plugin-files'
import { errorCode } from '../../../shared/error-text'

/** Copies of plugins in `$TRESTLE_HOME/plugins/content`, each named after its hash: what was accepted is what runs. */
export class PluginSnapshots {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'plugins', 'content')
  }

  /** Where the content with this hash is, or would be. */
  rootOf(hash: string): string {
    return join(this.#folder, /^[0-9a-f]{64}$/.test(hash) ? hash : 'none')
  }

  /** The content with this hash; undefined when it is not there, or is not what its name says. */
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

  /** Writes a copy, unless it is there; one that was damaged is replaced. Appears at once, or not at all. */
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
      // Another process was quicker.
      if ((errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') || !this.read(content.hash)) throw error
    }
  }

  /** Deletes the copies from before a time (ms since the epoch) that nothing refers to. */
  keepOnly(hashes: ReadonlySet<string>, before: number): void {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      return
    }
    for (const name of names) {
      const copy = join(this.#folder, name)
      // A new one may be written by another process, which has not recorded it yet.
      if (!hashes.has(name) && (statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? before) < before)
        rmSync(copy, { recursive: true, force: true })
    }
  }
}

/** Writes the files of a plugin into a new folder. `mode`: of the folders. */
export function writePluginFolder(folder: string, content: PluginContent, mode = 0o777): void {
  mkdirSync(dirname(folder), { recursive: true, mode })
  mkdirSync(folder, { mode })
  for (const { path, bytes, isExecutable } of content.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode })
    writeFileSync(join(folder, path), bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
  }
}
