import { readFileSync } from 'node:fs'
import { errorCode } from '../../../shared/error-text'

/**
 * Descriptors kept free for the program: streams, the store, the event loop, connections, a module that is being
 * loaded.
 */
const RESERVED_DESCRIPTORS = 48
/** With at least this many descriptors nothing has to be limited. */
const UNCONSTRAINED_LIMIT = 1024

/** Advice for the user or model when a request failed because of the limit. */
export const TOO_MANY_FILES =
  'Too many files are open (EMFILE). Try again with fewer calls in one step, or stop background tasks.'

/** The advice if `error` was caused by missing descriptors; undefined for any other. */
export function tooManyFilesAdvice(error: unknown): string | undefined {
  const code = errorCode(error)
  const isFull =
    code === 'EMFILE' || code === 'ENFILE' || (error instanceof Error && /too many open files/i.test(error.message))
  return isFull ? TOO_MANY_FILES : undefined
}

let known: number | undefined

/** How many files this process may have open at once; Infinity if the system does not say. */
function maxOpenFiles(): number {
  known ??= parseOpenFileLimit(processLimits())
  return known
}

/** Whether the limit is too low to keep files open just for speed. */
export function isOpenFileLimitLow(): boolean {
  return maxOpenFiles() < UNCONSTRAINED_LIMIT
}

/** How many operations that each open `each` files may run concurrently: at least one, at most `max`. */
export function maxConcurrent(each: number, max: number, limit = maxOpenFiles()): number {
  if (limit >= UNCONSTRAINED_LIMIT) return max
  return Math.max(1, Math.min(max, Math.floor((limit - RESERVED_DESCRIPTORS) / each)))
}

/** The soft limit in a text like that of `/proc/self/limits`. */
export function parseOpenFileLimit(text: string): number {
  const found = /^Max open files\s+(\d+)/m.exec(text)?.[1]
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
}

/** The limits of this process as Linux lists them, a line each; empty where the system does not say. */
export function processLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
