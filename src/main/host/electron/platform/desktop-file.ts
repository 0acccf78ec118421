import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { THEMES } from '../../../../shared/configuration/appearance'

/** State the desktop app needs before the engine is open, or that must survive a crash. */
const known = z.object({
  theme: z.enum(THEMES).default('system').catch('system'),
  acceleratedGraphics: z.boolean().default(true).catch(true),
  /** Recent crashes of the graphics process, in ms since the epoch. */
  graphicsCrashes: z.array(z.number()).default([]).catch([]),
  /** Sessions with a running turn; if present at startup, the app ended without warning. */
  working: z.array(z.string()).default([]).catch([]),
})
type Known = z.infer<typeof known>

/** A small state file of the app, stored with the settings. Every change is written immediately and atomically. */
export class DesktopFile {
  readonly #path: string
  #values: Known

  constructor(path: string) {
    this.#path = path
    this.#values = read(path)
  }

  get values(): Readonly<Known> {
    return this.#values
  }

  /** If the file cannot be written, changes last until the app exits. */
  change(change: Partial<Known>): void {
    this.#values = { ...this.#values, ...change }
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.#values)}\n`, { mode: 0o600 })
      renameSync(`${this.#path}.new`, this.#path)
    } catch {
      // Changes last until the app exits.
    }
  }
}

function read(path: string): Known {
  try {
    return known.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return known.parse({})
  }
}
