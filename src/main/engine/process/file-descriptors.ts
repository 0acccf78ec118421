import { readFileSync } from 'node:fs'

/** What the program has open for itself: streams, the store, the event loop, connections, a module that is being loaded. */
const RESERVED_DESCRIPTORS = 48
/** From here on nothing has to be saved. */
const UNCONSTRAINED_LIMIT = 1024

/** What to do about it, for whoever asked for what could not be done. */
export const TOO_MANY_FILES =
  'Too many files are open at once (EMFILE). Try again with fewer calls at once, or stop background tasks.'

/** The advice for a failure for want of descriptors; undefined for any other. */
export function tooManyFilesAdvice(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isFull =
    code === 'EMFILE' || code === 'ENFILE' || (error instanceof Error && /too many open files/i.test(error.message))
  return isFull ? TOO_MANY_FILES : undefined
}

let known: number | undefined

/** How many files this process may have open at once; Infinity where the system does not say. */
function maxOpenFiles(): number {
  known ??= parseOpenFileLimit(limitsText())
  return known
}

/** Whether so few files may be open at once that nothing should be kept open only to be quick. */
export function isOpenFileLimitLow(): boolean {
  return maxOpenFiles() < UNCONSTRAINED_LIMIT
}

/** How many pieces of work, of which each has `each` files open, may go on at once: at least one, and `most` where there are plenty of descriptors. */
export function maxConcurrent(each: number, most: number, limit = maxOpenFiles()): number {
  if (limit >= UNCONSTRAINED_LIMIT) return most
  return Math.max(1, Math.min(most, Math.floor((limit - RESERVED_DESCRIPTORS) / each)))
}

/** The soft limit in a text like that of `/proc/self/limits`. */
export function parseOpenFileLimit(text: string): number {
  const found = /^Max open files\s+(\d+)/m.exec(text)?.[1]
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
}

function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
