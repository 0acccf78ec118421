import type { Engine } from '../engine/engine-api'

/**
 * Stops the alarms that ring in this process, for hosts that have notified the user and have no button to stop them.
 */
export function stopRinging({ alarms }: { alarms: Pick<Engine['alarms'], 'list' | 'stop'> }): void {
  for (const { id, ringsHere } of alarms.list(true)) if (ringsHere) alarms.stop(id)
}
