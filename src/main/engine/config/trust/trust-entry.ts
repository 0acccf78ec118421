import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ConfigProblem } from '../../../../shared/model/settings'
import { readConfigText } from '../read-config-file'
import { writePrivateFile } from '../write-private-file'

const Entry = z.object({
  /** Real path. */
  folder: z.string().min(1),
  /** What the user trusts, word for word. */
  accepted: z
    .object({ hash: z.string().min(1), at: z.number(), files: z.array(z.object({ file: z.string(), text: z.string() })) })
    .optional(),
  /** The hash of what the user does not trust. */
  refused: z.string().optional(),
})

/** What the user has decided about one folder; a file of its own, so that two processes never overwrite each other's decisions. */
export type TrustEntry = z.infer<typeof Entry>

/** What was decided about a folder. One that cannot be read trusts nothing, and is left as it is. */
export function readEntry(home: string, folder: string): { entry: TrustEntry } | { problem: ConfigProblem } {
  const file = fileOf(home, folder)
  const found = readConfigText(file)
  if ('missing' in found) return { entry: { folder } }
  if ('problem' in found) return { problem: { file, message: `${found.problem.message} Nothing in ${folder} is trusted because of that.` } }
  const entry = parsed(found.text)
  if (entry?.folder === folder) return { entry }
  return { problem: { file, message: `It is damaged, so nothing in ${folder} is trusted. Remove it, then decide again.` } }
}

/** Replaces what was decided; a file that could not be read is kept beside it. */
export function writeEntry(home: string, entry: TrustEntry): void {
  mkdirSync(join(home, 'trust'), { recursive: true, mode: 0o700 })
  const file = fileOf(home, entry.folder)
  if ('problem' in readEntry(home, entry.folder)) renameSync(file, `${file}.damaged-${Date.now()}`)
  writePrivateFile(file, `${JSON.stringify(entry, undefined, 2)}\n`)
}

export function removeEntry(home: string, folder: string): void {
  rmSync(fileOf(home, folder), { force: true })
}

/** Every folder with a decision that can be read. */
export function allEntries(home: string): TrustEntry[] {
  let names: string[]
  try {
    names = readdirSync(join(home, 'trust')).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const found = readConfigText(join(home, 'trust', name))
    const entry = 'text' in found ? parsed(found.text) : undefined
    return entry && fileOf(home, entry.folder) === join(home, 'trust', name) ? [entry] : []
  })
}

function fileOf(home: string, folder: string): string {
  return join(home, 'trust', `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`)
}

function parsed(text: string): TrustEntry | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
