import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { DEVICE_ACCESS, type DevicesView, type PairingCode } from '../../model/place/paired-device'

/** Phones and other computers that use this Trestle over the network. */
export const deviceContract = {
  list: oc.output(type<DevicesView>()),
  /** Creates a code that pairs one device within minutes, and replaces an unused earlier code. */
  pair: oc.input(z.strictObject({ access: z.enum(DEVICE_ACCESS) })).output(type<PairingCode>()),
  /** Cancels the unused code. */
  cancelPairing: oc.output(type<void>()),
  /** Signs a device out immediately and permanently. `device.not_found` for an unknown device. */
  revoke: oc.input(z.strictObject({ deviceId: z.string().max(100) })).output(type<void>()),
}
