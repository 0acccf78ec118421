import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** An installed app with two builds of different versions, one of which is installed. */
export class TwoBuilds {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trestle-app-'))
  #current = 0
  readonly #versions = ['1.0.0', '1.0.1']

  constructor() {
    for (const name of ['node_modules', 'resources', 'package.json']) symlinkSync(join(ROOT, name), this.#path(name))
    for (const version of this.#versions) {
      const build = this.#path(`build-${version}`)
      mkdirSync(build)
      cpSync(join(ROOT, 'out', 'main'), join(build, 'main'), { recursive: true })
      symlinkSync(join(ROOT, 'out', 'renderer'), join(build, 'renderer'))
      const chunks = join(build, 'main', 'chunks')
      for (const name of readdirSync(chunks).filter((one) => one.startsWith('cli-engine-')))
        writeFileSync(
          join(chunks, name),
          readFileSync(join(chunks, name), 'utf8').replace('"0.1.0"', JSON.stringify(version)),
        )
    }
    renameSync(this.#path(`build-${this.version}`), this.#path('out'))
  }

  get version(): string {
    return this.#versions[this.#current]!
  }

  get program(): string {
    return join(this.#folder, 'out', 'main', 'cli.js')
  }

  /** Replaces the files with those of the other build, as an installer does. */
  upgrade(): void {
    renameSync(this.#path('out'), this.#path(`build-${this.version}`))
    this.#current = 1 - this.#current
    renameSync(this.#path(`build-${this.version}`), this.#path('out'))
  }

  /** Writes a `trestle` that starts the installed build. */
  writeCommand(file: string): void {
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${this.program}' "$@"\n`, { mode: 0o755 })
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }
}
