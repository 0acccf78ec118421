import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Instructions {
  path: string
  text: string
}

const MAX_CHARS = 32_768
const NAMES = ['AGENTS.md', 'CLAUDE.md']

/**
 * Instruction files for agents, the most general first: the one in `home` (TRESTLE_HOME), then from the repository's top down to the
 * project folder. In each folder AGENTS.md counts, CLAUDE.md only where there is none. A file over 32 KB is cut and says so.
 */
export async function findInstructions(home: string, folder: string): Promise<Instructions[]> {
  const top = await repositoryTop(folder)
  const folders = [home]
  const chain: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    chain.unshift(at)
    if (top === undefined || at === top || dirname(at) === at) break
  }
  const found = await Promise.all([...folders, ...chain].map(readInstructions))
  return found.filter((instructions) => instructions !== undefined)
}

/** The nearest folder above (or the folder itself) that holds a `.git`, or undefined. */
export async function repositoryTop(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return at
    if (dirname(at) === at) return undefined
  }
}

async function readInstructions(folder: string): Promise<Instructions | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name)
    try {
      const text = await readFile(path, 'utf8')
      if (text.trim() === '') continue
      return { path, text: text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n[cut: the file has ${text.length} characters]` : text }
    } catch {
      // Not there, or not readable: the next name.
    }
  }
  return undefined
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
