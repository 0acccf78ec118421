import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { THEMES } from '../../../../shared/configuration/settings'

/** What the desktop app has to know before the engine is there, and what must survive its sudden end. */
const known = z.object({
  theme: z.enum(THEMES).default('system').catch('system'),
  acceleratedGraphics: z.boolean().default(true).catch(true),
  /** When the graphics process crashed lately, in ms since the epoch. */
  graphicsCrashes: z.array(z.number()).default([]).catch([]),
  /** Sessions with a turn that runs; still there at a start: the app ended without warning. */
  working: z.array(z.string()).default([]).catch([]),
})
type Known = z.infer<typeof known>

/** A small file of the app's own beside the settings. Every change is written at once, whole or not at all. */
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

  /** What cannot be written counts until the app ends. */
  change(change: Partial<Known>): void {
    this.#values = { ...this.#values, ...change }
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.#values)}\n`, { mode: 0o600 })
      renameSync(`${this.#path}.new`, this.#path)
    } catch {
      // As the docstring says.
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
