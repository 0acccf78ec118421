import { DEVICE_ACCESS } from '../../shared/model/paired-device'
import type { CommandSpec, OptionSpec } from '../console/parse-command'

/** `trestle engine`, without `--help`. */
export const ENGINE_COMMAND: CommandSpec = {
  summary: 'Hold the engine of this home for all its clients; show, stop or restart the one that runs.',
  actions: ['status', 'stop', 'restart'],
  positionals: {
    name: 'status|stop|restart',
    help: [
      'what to do; without it, this program becomes the engine. Clients start it on their own.',
      '  status   Whether an engine runs, its version, clients and work.',
      '  stop     Stop it, with the turns that run.',
      '  restart  Replace it; turns that run continue in the new one.',
    ].join('\n'),
    max: 1,
  },
  options: {
    'when-idle': { type: 'boolean', help: 'stop, restart: as soon as no turn runs.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle engine status', 'trestle engine restart --when-idle', 'trestle engine stop', 'trestle engine'],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage or not allowed, 3 status: no engine runs. See docs/engine.md.',
}

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
