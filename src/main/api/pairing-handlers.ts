import type { ApiDeps, Implementer } from './implementer'

export function pairingHandlers(os: Implementer, { engine: { devices } }: ApiDeps) {
  return {
    list: os.device.list.handler(() => devices.view()),
    pair: os.device.pair.handler(({ input }) => devices.pair(input.access)),
    cancelPairing: os.device.cancelPairing.handler(() => devices.cancelPairing()),
    revoke: os.device.revoke.handler(({ input }) => devices.revoke(input.deviceId)),
  }
}
