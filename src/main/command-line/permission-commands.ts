import { TESTED_TOOLS } from '../../shared/configuration/customize/rules'
import { SESSION_MODES } from '../../shared/model/approval/approval'
import { SANDBOX_LEVELS, SANDBOX_NETWORKS } from '../../shared/model/task/sandbox'
import type { CommandSpec } from '../console/parse-command'

/** `trestle permission`, without `--help`. */
export const PERMISSION_COMMAND: CommandSpec = {
  summary: 'List and change permission rules, test how a command is decided, and manage trust in projects.',
  actions: ['list', 'add', 'remove', 'test', 'check', 'show', 'trust', 'untrust', 'repositories'],
  positionals: {
    name:
      'list | add DECISION "pattern" | remove DECISION "pattern" | test "command" | check "command" | show ' +
      '| trust | untrust | repositories',
    help:
      'List, add or remove rules (DECISION: allow, ask or deny); test a command, given in quotes, ' +
      "or a path with --tool; check one for programs, as JSON; show a project's own settings; trust them; " +
      "stop trusting them, with the hooks, filters and settings of the folder's Git repository; " +
      'or list the repositories whose own programs you trust.',
    max: 3,
    text: 'command',
  },
  options: {
    json: { type: 'boolean', help: 'list, add, remove, test, repositories: print JSON, for scripts.' },
    project: { type: 'boolean', help: "add, remove: in the project's .trestle/config.toml instead of your own." },
    unrestricted: { type: 'boolean', help: 'add: what the rule allows runs without a sandbox.' },
    tool: {
      type: 'string',
      value: 'TOOL',
      choices: TESTED_TOOLS,
      help: `test: a path or address for this tool instead of a command (${TESTED_TOOLS.join(', ')}).`,
    },
    rules: {
      type: 'string',
      value: 'FILE',
      help: "check: rules from this file instead of your own and the project's.",
    },
    mode: {
      type: 'string',
      value: 'MODE',
      choices: SESSION_MODES,
      help: 'ask (default), accept-edits, auto, or plan (only read-only commands pass).',
    },
    cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
    repository: {
      type: 'string',
      value: 'DIR',
      help: 'untrust: only this Git repository, as `repositories` lists it; it may no longer exist.',
    },
    sandbox: {
      type: 'string',
      value: 'S',
      choices: ['auto', 'off'],
      help: "check: with this machine's sandbox and your settings (auto, the default), or without (off).",
    },
    stdin: { type: 'boolean', help: 'check: one JSON string per line from stdin, and print one verdict per line.' },
  },
  examples: [
    'trestle permission list',
    'trestle permission add deny "Read(secrets/**)"',
    'trestle permission test "rm -rf build" --mode auto',
    'trestle permission test --tool Read .env',
    'trestle permission check "rm -rf build"',
    'trestle permission show',
    'trestle permission trust --cwd ~/code/shop',
    'trestle permission untrust --repository ~/code/shop',
  ],
  exitCodes: '0 done, 1 refused, 2 wrong usage or invalid rules. See docs/permissions.md.',
}

/** `trestle sandbox`, without `--help`. */
export const SANDBOX_COMMAND: CommandSpec = {
  summary: 'Show what commands can reach in their sandbox, and try a command in it.',
  actions: ['status', 'try'],
  positionals: {
    name: 'status | try "command"',
    help:
      'Show the sandbox for commands of a folder, or why none is available; ' +
      'run a command, given in quotes, in one.',
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
