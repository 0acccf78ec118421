import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { renameOverSync } from '../workspace/file/atomic-write'

/** Small facts by key, so that later processes need not determine them again. Losing them is harmless. */
export interface CacheFile<Value> {
  get(key: string): Value | undefined
  /** Written immediately; entries that another process wrote in the meantime are kept. */
  set(key: string, value: Value): void
}

/**
 * A cache of facts in a JSON file. `isValue` validates what is read; anything else counts as absent. Without `file`,
 * the cache is only in memory.
 */
export function openCacheFile<Value>(
  file: string | undefined,
  isValue: (value: unknown) => value is Value,
): CacheFile<Value> {
  let known: Record<string, unknown> | undefined
  return {
    get(key) {
      const values = (known ??= read(file))
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      return isValue(value) ? value : undefined
    },
    set(key, value) {
      known = { ...(file === undefined ? known : read(file)), [key]: value }
      if (file !== undefined) write(file, known)
    },
  }
}

function read(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {}
  try {
    const values: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof values === 'object' && values !== null && !Array.isArray(values) ? { ...values } : {}
  } catch {
    return {}
  }
}

function write(file: string, values: Record<string, unknown>): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const temporary = `${file}.${process.pid}`
    writeFileSync(temporary, JSON.stringify(values), { mode: 0o600 })
    renameOverSync(temporary, file)
  } catch {
    // The next process determines it again.
  }
}
