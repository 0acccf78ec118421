import { readdir } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'

/** Folders with more entries are not searched. */
const MAX_ENTRIES = 20_000

/**
 * For a path that does not exist: an existing one whose names look the same. They may differ in Unicode normalisation (macOS decomposes
 * accents), in case, or in kinds of spaces (screenshots have a narrow one). Undefined when there is none.
 */
export async function similarPath(absolutePath: string): Promise<string | undefined> {
  const { root } = parse(absolutePath)
  let found = root
  for (const name of absolutePath.slice(root.length).split(sep)) {
    const entries = await readdir(found).catch((): string[] => [])
    if (entries.length > MAX_ENTRIES) return undefined
    const wanted = looks(name)
    const match = entries.includes(name)
      ? name
      : (entries.find((entry) => entry.normalize() === name.normalize()) ?? entries.find((entry) => looks(entry) === wanted))
    if (match === undefined) return undefined
    found = join(found, match)
  }
  return found
}

function looks(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

/** A name as the model can repeat it exactly: non-ASCII characters as JSON escapes where the two spellings only differ there. */
export function spelledOut(path: string): string {
  return JSON.stringify(path).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
