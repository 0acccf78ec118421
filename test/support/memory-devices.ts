import { CodedError } from '../../src/shared/errors'
import type { DeviceActions } from '../../src/main/engine/pairing/paired-devices'

/** No devices; codes cannot be used to pair. */
export const NO_DEVICES: DeviceActions = {
  view: () => ({ devices: [] }),
  pair: (access) => ({ code: 'ABCD-EFGH', access, expiresAt: 600_000, links: [] }),
  cancelPairing: () => undefined,
  revoke(deviceId) {
    throw new CodedError('device.not_found', `There is no device ${deviceId}.`)
  },
}
