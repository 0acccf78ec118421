import { custom, flag, settingTable, type Setting, type ValuesOf } from './setting-table'

const text = (key: string, about: string): Setting<string> =>
  custom(
    key,
    '',
    about,
    (reader) => reader.string(key, { test: () => true, must: 'text in quotes', canBeEmpty: true }),
    'none',
  )

/** `[devices]`: how `trestle serve` listens for phones and other computers. */
export const DEVICES = settingTable('devices', {
  listen: text(
    'listen',
    'address of this machine on which `trestle serve` listens for paired devices, for example `"192.168.1.5:4747"`; `"0.0.0.0"`: all',
  ),
  name: text('name', 'a name under which devices reach this machine'),
  cert: text('cert', 'file of a certificate of your own, as PEM, instead of the one Trestle makes'),
  key: text('key', 'file of its key'),
  tailscale: flag('tailscale', false, 'listen for `tailscale serve`'),
})
export type DeviceSettings = ValuesOf<typeof DEVICES.fields>
