import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { DEVICE_ACCESS, type DevicesView, type PairingCode } from '../../model/place/paired-device'

/** Phones and other computers that use this Trestle over the network. */
export const deviceContract = {
  list: oc.output(type<DevicesView>()),
  /** Makes a code that pairs one device within minutes. An earlier code that was not used is replaced. */
  pair: oc.input(z.strictObject({ access: z.enum(DEVICE_ACCESS) })).output(type<PairingCode>()),
  /** Withdraws the code that was not used. */
  cancelPairing: oc.output(type<void>()),
  /** Signs a device out at once and permanently. `device.not_found` when there is no such device. */
  revoke: oc.input(z.strictObject({ deviceId: z.string().max(100) })).output(type<void>()),
}
