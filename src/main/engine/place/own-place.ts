import { randomBytes } from 'node:crypto'
import { failureOf } from '../../../shared/errors'
import type { Place } from '../../../shared/model/place/place'
import type { Launcher } from './launcher/launcher'

/** How long what a removed place leaves behind may take to be stopped and cleaned, in ms. */
const LEAVE_MS = 20_000

/** A place for one session, with a container like that of its parent. */
export function ownPlaceOf(parent: Place, addedAt: number): Place {
  const { perSession: _perSession, ...launch } = parent.launch as Place['launch'] & { perSession?: boolean }
  const placeId = `${parent.placeId.slice(0, 33)}-${randomBytes(3).toString('hex')}`
  return { ...parent, placeId, launch, parent: parent.placeId, addedAt }
}

/**
 * Stops what was started for a place that is no longer in the list, and removes what finished work has left there: all
 * of it can be started again. What that fails with is only told.
 */
export async function left(launcher: Launcher): Promise<{ note?: string }> {
  try {
    await launcher.leave?.(AbortSignal.timeout(LEAVE_MS))
    return {}
  } catch (error) {
    return { note: `What it runs in could not be stopped or cleaned: ${failureOf(error).message}` }
  }
}
