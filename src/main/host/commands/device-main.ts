import { realpathSync } from 'node:fs'
import { DEVICE_ACCESS, type DeviceAccess, type PairedDevice } from '../../../shared/model/place/paired-device'
import { oneLine, table } from '../../console/output'
import { pairingText } from '../../console/pairing-text'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import type { Parsed } from '../../console/parse-command'
import { resolveHome } from '../../engine/config/home'
import { PairedDevices } from '../../engine/pairing/paired-devices'

const ACTIONS = {
  list: { options: ['json'], words: [0, 0], takes: 'no arguments' },
  pair: { options: ['json', 'access'], words: [0, 0], takes: 'no arguments', humanOnly: true },
  revoke: { options: ['json'], words: [1, 50], takes: 'the ids of devices', humanOnly: true },
} satisfies Record<string, ActionSpec>

/** `trestle device`: pairs, lists and revokes devices. Returns the exit code. */
export async function deviceMain(parsed: Parsed): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('device', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`device ${action}`))) return 2
  const { json, access } = parsed.values
  const say = (value: unknown, text: string): void =>
    void process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : text)
  const devices = new PairedDevices(realpathSync(resolveHome()))
  switch (action) {
    case 'list': {
      const view = devices.view()
      say(view, listText(view.devices))
      break
    }
    case 'pair': {
      const code = devices.pair(DEVICE_ACCESS.find((known): known is DeviceAccess => known === access) ?? 'full')
      const { address } = devices.view()
      say(
        { ...code, ...(address && { fingerprint: address.fingerprint }) },
        pairingText(code, address, process.stdout.isTTY),
      )
      break
    }
    case 'revoke':
      for (const id of words) devices.revoke(id)
      say({ revoked: words }, `Revoked ${words.length === 1 ? '1 device' : `${words.length} devices`}.\n`)
  }
  return 0
}

function listText(devices: readonly PairedDevice[]): string {
  if (devices.length === 0) return 'No devices are paired. To pair one: trestle device pair\n'
  const rows = devices.map(({ deviceId, name, access, pairedAt, seenAt, address }) => [
    deviceId,
    oneLine(name),
    access === 'full' ? 'full' : 'read-only',
    when(pairedAt),
    seenAt === undefined ? 'never' : when(seenAt),
    address ?? '',
  ])
  return table(['Id', 'Name', 'Access', 'Paired', 'Last seen', 'Address'], rows)
}

function when(ms: number): string {
  return new Date(ms).toLocaleString('sv').slice(0, 16)
}
