import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  MEMORY_LIMITS,
  MEMORY_ORDERS,
  type MemoryDetails,
  type MemoryEntry,
  type MemoryOverview,
  type MemoryPage,
} from '../../model/assistant/memory'

const { keyChars, textChars, categoryChars } = MEMORY_LIMITS
const id = z.int().min(1)
const ids = z.array(id).min(1).max(MEMORY_LIMITS.entries)
const content = z.strictObject({
  key: z.string().trim().min(1).max(keyChars),
  text: z.string().trim().min(1).max(textChars),
  category: z.string().trim().max(categoryChars).optional(),
  /** Real path of the project it belongs to; absent: everywhere. */
  folder: z.string().min(1).optional(),
})

/** What is remembered across sessions. Agents see it while the feature is on; the user always does. */
export const memoryContract = {
  list: oc
    .input(
      z.strictObject({
        query: z.string().max(500).optional(),
        /** `everywhere`, or the real path of a project; absent: all. */
        scope: z.string().optional(),
        category: z.string().optional(),
        /** The deleted entries instead of the others. */
        deleted: z.boolean().optional(),
        order: z.enum(MEMORY_ORDERS).optional(),
        offset: z.int().min(0).default(0),
        limit: z.int().min(1).max(MEMORY_LIMITS.entries).default(200),
      }),
    )
    .output(type<MemoryPage>()),
  /** An entry with its history, and the message it came from. */
  details: oc.input(z.strictObject({ id })).output(type<MemoryDetails>()),
  overview: oc.output(type<MemoryOverview>()),
  /** Replaces the entry with this key and scope, if there is one. `memory.secret` for what looks like a secret. */
  add: oc.input(content).output(type<MemoryEntry>()),
  change: oc.input(content.extend({ id })).output(type<MemoryEntry>()),
  /** Returns how many were deleted; they can be restored for 30 days. */
  remove: oc.input(z.strictObject({ ids })).output(type<number>()),
  restore: oc.input(z.strictObject({ ids })).output(type<number>()),
  /** Permanently deletes entries that are already marked as deleted. */
  purge: oc.input(z.strictObject({ ids })).output(type<number>()),
}
