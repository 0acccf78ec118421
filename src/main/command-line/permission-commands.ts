import { SESSION_MODES } from '../../shared/model/approval'
import { SANDBOX_LEVELS, SANDBOX_NETWORKS } from '../../shared/model/sandbox'
import type { CommandSpec } from '../console/parse-command'

/** `trestle permission`, without `--help`. */
export const PERMISSION_COMMAND: CommandSpec = {
  summary: 'Check how a command would be decided, and manage trust in projects; prints JSON.',
  actions: ['check', 'show', 'trust', 'untrust'],
  positionals: {
    name: 'check "command" | show | trust | untrust',
    help: "Check a command, given in quotes; show a project's own settings; trust them; or stop trusting them.",
    max: 2,
    text: 'command',
  },
  options: {
    rules: { type: 'string', value: 'FILE', help: "Rules from this file instead of your own and the project's." },
    mode: {
      type: 'string',
      value: 'MODE',
      choices: SESSION_MODES,
      help: 'ask (default), accept-edits, auto, or plan (only read-only commands pass).',
    },
    cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
    sandbox: {
      type: 'string',
      value: 'S',
      choices: ['auto', 'off'],
      help: "check: with this machine's sandbox and your settings (auto, the default), or without (off).",
    },
    stdin: { type: 'boolean', help: 'Check one JSON string per line from stdin, and print one verdict per line.' },
  },
  examples: [
    'trestle permission check "rm -rf build"',
    'trestle permission show',
    'trestle permission trust --cwd ~/code/shop',
  ],
  exitCodes: '0 checked, 2 wrong usage or invalid rules. See docs/permissions.md.',
}

/** `trestle sandbox`, without `--help`. */
export const SANDBOX_COMMAND: CommandSpec = {
  summary: 'Show what commands can reach in their sandbox, and try a command in it.',
  actions: ['status', 'try'],
  positionals: {
    name: 'status | try "command"',
    help: 'Show the sandbox for commands of a folder, or why none is available; run a command, given in quotes, in one.',
    max: 2,
    text: 'command',
  },
  options: {
    cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
    mode: {
      type: 'string',
      value: 'MODE',
      choices: SESSION_MODES,
      help: 'status: in this permission mode (default: the one of new sessions).',
    },
    json: { type: 'boolean', help: 'status: print JSON, for scripts.' },
    level: {
      type: 'string',
      value: 'LEVEL',
      choices: SANDBOX_LEVELS.filter((level) => level !== 'unrestricted'),
      help: 'try: project (default) or read-only.',
    },
    network: {
      type: 'string',
      value: 'N',
      choices: SANDBOX_NETWORKS,
      help: 'try: none, listed (default at the level project) or open.',
    },
  },
  examples: [
    'trestle sandbox status --mode auto',
    'trestle sandbox try "npm test"',
    'trestle sandbox try --level read-only "git status"',
    'trestle sandbox try --network none "curl https://example.com"',
  ],
  exitCodes: 'that of the command, 125 when it was not run, 2 wrong usage. See docs/sandbox.md.',
}
