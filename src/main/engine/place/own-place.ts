import { randomBytes } from 'node:crypto'
import { failureOf } from '../../../shared/errors'
import type { Place } from '../../../shared/model/place/place'
import type { Launcher } from './launcher/launcher'

/** How long stopping and cleaning up after a removed place can take, in ms. */
const LEAVE_MS = 20_000

/** A place for one session, with its own container like its parent's. */
export function ownPlaceOf(parent: Place, addedAt: number): Place {
  const { perSession: _perSession, ...launch } = parent.launch as Place['launch'] & { perSession?: boolean }
  const placeId = `${parent.placeId.slice(0, 33)}-${randomBytes(3).toString('hex')}`
  return { ...parent, placeId, launch, parent: parent.placeId, addedAt }
}

/**
 * Stops what was started for a place that was removed from the list, and removes leftovers of finished work. All of it
 * can be started again. Failures are only reported.
 */
export async function cleanUpRemovedPlace(launcher: Launcher): Promise<{ note?: string }> {
  try {
    await launcher.leave?.(AbortSignal.timeout(LEAVE_MS))
    return {}
  } catch (error) {
    return { note: `What it runs in could not be stopped or cleaned: ${failureOf(error).message}` }
  }
}
