import type { CommandSpec } from '../console/parse-command'

/** `trestle place`, without `--help`. */
export const PLACE_COMMAND: CommandSpec = {
  summary: 'Work on other machines: over ssh, in containers, and as jobs of a Slurm cluster.',
  actions: ['add', 'list', 'test', 'status', 'run', 'update', 'disconnect', 'remove', 'restore'],
  positionals: {
    name: 'add|list|test|status|run|update|disconnect|remove|restore',
    help: [
      'what to do, and with which place.',
      '  add ssh HOST      Add a machine, as you give it to ssh, and test it.',
      '  add slurm [HOST]  Add a Slurm cluster; HOST: where its commands are (default: here).',
      '  add docker NAME   Add a running container; also: podman.',
      '  list              Your places.',
      '  test NAME         Connect, copy Trestle there if needed, and show each step.',
      '  status NAME       Disk, load, memory and installed versions.',
      '  run NAME COMMAND  Run a shell command there, as you and without the agent.',
      '  update NAME       Copy this version there, and remove older ones that are not in use.',
      '  disconnect NAME   End the shared connection, or the job.',
      '  remove NAME       Remove it from the list; what is on the machine stays.',
      '  restore NAME      Restore a removed one.',
    ].join('\n'),
    max: 1000,
    text: 'COMMAND',
  },
  options: {
    name: { type: 'string', value: 'NAME', help: 'add: what to call it (default: the name of the host).' },
    port: { type: 'string', value: 'PORT', help: 'add ssh: its port (default: as ssh is configured).' },
    'ssh-config': { type: 'string', value: 'FILE', help: 'add: another ssh configuration than yours.' },
    home: { type: 'string', value: 'DIR', help: 'add: TRESTLE_HOME there (default: ~/.trestle).' },
    program: {
      type: 'string',
      value: 'PATH',
      help: 'add: a trestle that is installed there, instead of a copy of this one.',
    },
    models: {
      type: 'string',
      value: 'WHERE',
      choices: ['here', 'there'],
      help: 'add: where model calls are made; here (default): keys stay on this machine.',
    },
    partition: { type: 'string', value: 'NAME', help: 'add slurm: the partition of its job.' },
    time: { type: 'string', value: 'TIME', help: 'add slurm: the time limit of its job, e.g. 8:00:00.' },
    cpus: { type: 'string', value: 'N', help: 'add slurm: cores of its job.' },
    memory: { type: 'string', value: 'SIZE', help: 'add slurm: memory of its job, e.g. 16G.' },
    account: { type: 'string', value: 'NAME', help: 'add slurm: the account of its job.' },
    'agent-jobs': { type: 'boolean', help: 'add slurm: its subagents run as jobs of their own, with the same limits.' },
    'no-keep-running': {
      type: 'boolean',
      help: 'add: the engine there ends with the connection, and its turns with it.',
    },
    'no-test': { type: 'boolean', help: 'add: without connecting.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle place add ssh build-box',
    'trestle place add ssh ada@10.0.0.7 --name attic --port 2222',
    'trestle place add slurm login.cluster --name cluster --partition gpu --time 8:00:00 --cpus 8 --memory 32G',
    'trestle place test build-box',
    'trestle place run build-box "df -h /srv"',
    'trestle place list --json | jq -r .[].placeId',
  ],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage; run: that of the command. See docs/places.md.',
}
