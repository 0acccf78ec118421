import { randomBytes } from 'node:crypto'

/** Unique without a counter, so that two processes never give the same. */
export function newId(prefix: string): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`
}
