import { TESTED_TOOLS } from '../../shared/configuration/customize/rules'
import { SESSION_MODES } from '../../shared/model/approval/approval'
import { SANDBOX_LEVELS, SANDBOX_NETWORKS } from '../../shared/model/task/sandbox'
import type { CommandSpec } from '../console/parse-command'

/** `trestle permission`, without `--help`. */
export const PERMISSION_COMMAND: CommandSpec = {
  summary: 'List and change permission rules, test how a command is decided, and manage trust in projects.',
  actions: ['list', 'add', 'remove', 'test', 'check', 'show', 'trust', 'untrust', 'repositories'],
  positionals: {
    name: 'list|add|remove|test|check|show|trust|untrust|repositories',
    help: [
      'DECISION is allow, ask or deny.',
      '  list                       Your rules and those of the project.',
      '  add DECISION "pattern"     Add a rule.',
      '  remove DECISION "pattern"  Remove a rule.',
      '  test "command"             Show how a command would be decided, or a path with --tool.',
      '  check "command"            The same for programs, as JSON.',
      "  show                       Show a project's own settings.",
      "  trust                      Trust a project's own settings.",
      '  untrust                    Stop trusting them, and what its Git repository runs.',
      '  repositories               Git repositories whose own programs you trust.',
    ].join('\n'),
    max: 3,
    text: 'command',
  },
  options: {
    json: { type: 'boolean', help: 'list, add, remove, test, repositories: print JSON, for scripts.' },
    project: { type: 'boolean', help: "add, remove: in the project's .trestle/config.toml instead of your own." },
    unrestricted: { type: 'boolean', help: 'add: commands that the rule allows run without a sandbox.' },
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
  exitCodes: '0 success, 1 refused, 2 incorrect usage or invalid rules. See docs/permissions.md.',
}

/** `trestle sandbox`, without `--help`. */
export const SANDBOX_COMMAND: CommandSpec = {
  summary: 'Show what commands can reach in their sandbox, and try a command in it.',
  actions: ['status', 'try'],
  positionals: {
    name: 'status|try',
    help: [
      '  status         Show the sandbox for commands of a folder, or why none is available.',
      '  try "command"  Run a command, given in quotes, in the sandbox.',
    ].join('\n'),
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
  exitCodes: 'that of the command, 125 if it was not run, 2 incorrect usage. See docs/sandbox.md.',
}
