import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failureOf } from '../../../../shared/errors'
import { pathInPlace } from '../../../../shared/model/place/place-folder'
import type { SessionSummary } from '../../../../shared/model/session/session'
import { sessionsOf } from '../remote/remote-lists'

function cacheFile(home: string, placeId: string): string {
  return join(home, 'cache', 'places', `${placeId}.json`)
}

/** The sessions that a place had when it was last connected. */
export function recall(home: string, placeId: string): SessionSummary[] {
  try {
    return sessionsOf(placeId, JSON.parse(readFileSync(cacheFile(home, placeId), 'utf8')))
  } catch {
    return []
  }
}

/** Saves them for the next start. */
export function remember(home: string, placeId: string, sessions: readonly SessionSummary[]): void {
  try {
    const path = cacheFile(home, placeId)
    mkdirSync(join(home, 'cache', 'places'), { recursive: true, mode: 0o700 })
    // Paths as on the place itself.
    const rows = sessions.map((summary) => ({ ...summary, folder: pathInPlace(summary.folder) }))
    writeFileSync(`${path}.tmp`, JSON.stringify(rows), { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch (error) {
    process.stderr.write(`trestle: the sessions of ${placeId} were not remembered: ${failureOf(error).message}\n`)
  }
}
