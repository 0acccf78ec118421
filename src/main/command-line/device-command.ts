import { DEVICE_ACCESS } from '../../shared/model/paired-device'
import type { CommandSpec, OptionSpec } from '../console/parse-command'

/** `trestle device`, without `--help`. */
export const DEVICE_COMMAND: CommandSpec = {
  summary: 'Pair, list and revoke phones and other computers that use this Trestle over the network.',
  actions: ['list', 'pair', 'revoke'],
  positionals: {
    name: 'list|pair|revoke',
    help: [
      'what to do, and with which device.',
      '  list         Paired devices with their ids, access, and when they were last seen.',
      '  pair         Make a code that pairs one device within 10 minutes.',
      '  revoke ID... Sign devices out at once and permanently.',
    ].join('\n'),
    max: 51,
  },
  options: {
    access: {
      type: 'string',
      value: 'ACCESS',
      choices: DEVICE_ACCESS,
      help: 'pair: full (default; approve, answer, steer, stop), or read (only look).',
    },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle device pair',
    'trestle device pair --access read',
    'trestle device list --json',
    'trestle device revoke 0123456789abcdef',
  ],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage or not allowed. See docs/phone.md.',
}

/** The options of `trestle serve` that are about devices. */
export const LISTEN_OPTIONS: Record<string, OptionSpec> = {
  listen: {
    type: 'string',
    value: 'ADDRESS[:PORT]',
    help: 'Also listen for paired devices, with TLS, on an address of this machine (0.0.0.0: all); see docs/phone.md.',
  },
  tailscale: { type: 'boolean', help: 'Also listen for paired devices of your tailnet, through tailscale serve.' },
  name: { type: 'string', value: 'NAME', help: 'With --listen: a name under which devices reach this machine.' },
  cert: { type: 'string', value: 'FILE', help: 'With --listen: a certificate of your own (PEM).' },
  key: { type: 'string', value: 'FILE', help: 'With --cert: its key.' },
}
