import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFile } from '../../config/write-private-file'
import type { Offer } from '../content/read-offer'
import type { ListedTool } from '../tool/read-tools'

/** What a server offers, as it was when it was last asked. */
export interface Listing {
  info: { name: string; version: string; protocolVersion: string }
  tools: readonly ListedTool[]
  /** How it says it is to be used. */
  instructions?: string
  /** What it offers beside tools. */
  offer: Offer
  /** Not all of its tools were read. */
  hasMoreTools?: true
  /** What was left out, and why. */
  notes: readonly string[]
}

/** The format of the files; others are not read. */
const FORMAT = 2
const MOST_BYTES = 8 * 1024 * 1024

/** Keeps on disk what servers offer, by their definition: a turn can then offer their tools without starting anything. */
export interface ListingCache {
  read(key: string): Promise<Listing | undefined>
  write(key: string, listing: Listing): Promise<void>
}

export function createListingCache(home: string): ListingCache {
  const folder = join(home, 'cache', 'mcp')
  const file = (key: string): string => join(folder, `${key}.json`)
  return {
    async read(key) {
      try {
        const kept = JSON.parse(await readFile(file(key), 'utf8')) as { format?: unknown; listing?: Listing }
        return kept.format === FORMAT && Array.isArray(kept.listing?.tools) ? kept.listing : undefined
      } catch {
        // Never written, or damaged: the server is asked again.
        return undefined
      }
    },
    async write(key, listing) {
      const text = JSON.stringify({ format: FORMAT, listing })
      if (text.length > MOST_BYTES) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      writePrivateFile(file(key), text)
    },
  }
}
