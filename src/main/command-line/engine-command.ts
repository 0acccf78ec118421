import type { CommandSpec } from '../console/parse-command'

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
