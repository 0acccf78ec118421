import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Stats } from 'node:fs'
import { isRecord } from '../../../shared/json-fields'
import type { ReadSkill } from './read-skill'

/** The cache of skills: parsed SKILL.md files, by path, modification time and size. */
export interface SkillCache {
  get(path: string, file: Stats): ReadSkill | undefined
  set(path: string, file: Stats, read: ReadSkill): void
  /** Saves new entries for the next start; failures are ignored. */
  keep(): Promise<void>
}

/** Increase it when `readSkill` returns something different for the same text. */
const VERSION = 1

interface Entry {
  mtimeMs: number
  size: number
  read: ReadSkill
}

/** A cache kept in `file`, so that startup with 150 skills does not load a YAML parser. */
export async function openSkillCache(file: string): Promise<SkillCache> {
  const entries = new Map<string, Entry>(await kept(file))
  let isNew = false
  return {
    get(path, { mtimeMs, size }) {
      const entry = entries.get(path)
      return entry?.mtimeMs === mtimeMs && entry.size === size ? entry.read : undefined
    },
    set(path, { mtimeMs, size }, read) {
      entries.set(path, { mtimeMs, size, read })
      isNew = true
    },
    async keep() {
      if (!isNew) return
      isNew = false
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        const temporary = `${file}.${process.pid}`
        await writeFile(temporary, JSON.stringify({ version: VERSION, entries: [...entries] }), { mode: 0o600 })
        await rename(temporary, file)
      } catch {
        // It is read again next time.
      }
    },
  }
}

/** Whether an entry is valid; damaged ones are read again. */
function isEntry(entry: unknown): entry is [string, Entry] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string' || !isRecord(entry[1])) return false
  const { mtimeMs, size, read } = entry[1]
  return typeof mtimeMs === 'number' && typeof size === 'number' && isRecord(read)
}

async function kept(file: string): Promise<[string, Entry][]> {
  try {
    const { version, entries } = JSON.parse(await readFile(file, 'utf8')) as {
      version: unknown
      entries: [string, Entry][]
    }
    return version === VERSION && Array.isArray(entries) ? entries.filter(isEntry) : []
  } catch {
    return []
  }
}
