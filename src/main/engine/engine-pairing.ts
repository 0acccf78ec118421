import type { EngineFoundation } from './engine-foundation'
import { PairedDevices, type DeviceActions } from './pairing/paired-devices'

/** The paired devices of an engine; their files are read when they are first looked at. */
export function createEnginePairing({ home, now }: Pick<EngineFoundation, 'home' | 'now'>): DeviceActions {
  return new PairedDevices(home, now)
}
