import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { UPDATE_CHANNELS } from '../../../../shared/model/updates'
import { writePrivateFile } from '../../../engine/config/write-private-file'

const shape = z.object({
  channel: z.enum(UPDATE_CHANNELS).catch('stable'),
  automatic: z.boolean().catch(true),
  /** The newest version of a verified feed, by channel: an older one is a replay. */
  newestSeen: z.partialRecord(z.enum(UPDATE_CHANNELS), z.string()).catch({}),
  /** The version that the user went back from: it is not installed again by itself. */
  skipped: z.string().optional().catch(undefined),
})

/** What outlives the app about updates. */
export type UpdateRecord = z.infer<typeof shape>

/** The record in a file; what is missing or unreadable has its default. */
export function readUpdateRecord(file: string): UpdateRecord {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return shape.parse({})
  }
}

export function writeUpdateRecord(file: string, record: UpdateRecord): void {
  writePrivateFile(file, `${JSON.stringify(record, null, 2)}\n`)
}
