import { SESSION_MODES } from '../../shared/model/approval/approval'
import { EFFORTS } from '../../shared/model/turn/effort'
import { AGENT_OPTIONS, type CommandSpec, type OptionSpec } from '../console/parse-command'
import {
  MODEL_COMMAND,
  PROVIDER_COMMAND,
  MCP_COMMAND,
  DEVICE_COMMAND,
  LISTEN_OPTIONS,
  ENGINE_COMMAND,
} from './connection-commands'
import {
  ALARM_COMMAND,
  MEMORY_COMMAND,
  USAGE_COMMAND,
  NOTIFICATION_COMMAND,
  PLUGIN_COMMAND,
  SCHEDULE_COMMAND,
} from './assistant-commands'
import { MAIL_COMMAND } from './mail-command'
import { PLACE_COMMAND } from './place-command'
import { PERMISSION_COMMAND, SANDBOX_COMMAND } from './permission-commands'
import { WORKTREE_COMMAND, WORKTREE_OPTIONS } from './worktree-command'

const HELP: OptionSpec = { type: 'boolean', short: 'h', help: 'Show this help.' }

const WHERE: Record<string, OptionSpec> = {
  cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
  'no-project': { type: 'boolean', help: 'Work in a new private folder instead of a project.' },
  model: { type: 'string', value: 'M', help: 'The model, as provider/model.' },
  effort: {
    type: 'string',
    value: 'LEVEL',
    choices: EFFORTS,
    help: "Reasoning effort (default: as the model's vendor sets it).",
  },
  ...AGENT_OPTIONS,
}

const WHICH_SESSION: Record<string, OptionSpec> = {
  continue: { type: 'boolean', short: 'c', help: 'Continue the latest session of the folder.' },
  session: { type: 'string', short: 'S', value: 'ID', help: 'Continue this session.' },
  'add-dir': {
    type: 'string',
    value: 'DIR',
    multiple: true,
    help: 'Another folder that the tools may use; can be repeated.',
  },
}

/** Options and aliases known from other agents' command lines. */
const MODE: Record<string, OptionSpec> = {
  yolo: { type: 'boolean', help: 'The same as --permission-mode auto.' },
  'mcp-config-file': {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'MCP servers of this file ("mcpServers"), for this session only; can be repeated.',
  },
}

/** The shells that `trestle completion` supports. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

const SESSION_ACTIONS = [
  'list',
  'show',
  'restore',
  'fork',
  'export',
  'import',
  'recover',
  'verify',
  'replay',
  'move',
  'move-out',
  'move-in',
  'move-refuse',
  'move-cancel',
]

const SPECS = {
  desktop: {
    summary: 'Open the desktop app; if it cannot run, say why and open the web host instead.',
    positionals: { name: 'folder', help: 'The project folder to open.', max: 1 },
    options: {
      port: { type: 'string', value: 'PORT', help: 'Port of the web host, if it is needed (default: a free one).' },
      help: HELP,
    },
    examples: ['trestle', 'trestle desktop .', 'trestle desktop --port 8080'],
  },
  serve: {
    summary: 'Serve the app for a browser on this machine, and for paired devices; prints its URL.',
    options: {
      port: {
        type: 'string',
        value: 'PORT',
        help: 'Port to listen on (default: the last one used, else a free one).',
      },
      'new-token': { type: 'boolean', help: 'Create a new token; browsers with the old one must open the new URL.' },
      ...LISTEN_OPTIONS,
      help: HELP,
    },
    examples: [
      'trestle serve',
      'trestle serve --port 8080',
      'trestle serve --new-token',
      'trestle serve --listen 0.0.0.0',
    ],
  },
  chat: {
    summary: 'Talk to the agent in this terminal; also over SSH.',
    positionals: {
      name: 'prompt',
      help: 'The first message; the conversation continues after the answer.',
      max: 1,
      text: 'prompt',
    },
    options: {
      ...WHERE,
      'permission-mode': {
        type: 'string',
        value: 'MODE',
        choices: SESSION_MODES,
        help: 'ask (before any change), accept-edits, auto, or plan (read-only except the plan).',
      },
      ...MODE,
      ...WORKTREE_OPTIONS,
      ...WHICH_SESSION,
      help: HELP,
    },
    examples: [
      'trestle chat',
      'trestle chat --continue',
      'trestle chat "why does the build fail?" --cwd ~/code/shop --model anthropic/claude-sonnet-5',
    ],
    exitCodes: 'See docs/chat.md.',
  },
  print: {
    summary: 'Run one prompt without an interface and print the answer. Also: trestle -p "prompt".',
    positionals: {
      name: 'prompt',
      help: 'What the agent should do; piped stdin is added to it.',
      max: 1,
      text: 'prompt',
    },
    options: {
      ...WHERE,
      place: {
        type: 'string',
        value: 'NAME',
        help: 'Run at this place (see trestle place list); --cwd is a folder there.',
      },
      'permission-mode': {
        type: 'string',
        value: 'MODE',
        choices: SESSION_MODES,
        help: 'ask (anything that would ask is denied), accept-edits, auto, or plan (read-only except the plan).',
      },
      'output-format': {
        type: 'string',
        value: 'FORMAT',
        choices: ['text', 'json', 'stream-json'],
        help: 'text (default), json (one object at the end), or stream-json (one event per line).',
      },
      ...MODE,
      ...WORKTREE_OPTIONS,
      ...WHICH_SESSION,
      'max-steps': { type: 'string', value: 'N', help: 'Maximum steps of this turn.' },
      'own-process': {
        type: 'boolean',
        help: 'Run in this process, with its environment, even if the engine of the home is running.',
      },
      help: HELP,
    },
    examples: [
      'trestle print "why does the build fail?"',
      'git diff | trestle -p "review this change"',
      'trestle -p "and now fix it" --continue --permission-mode accept-edits',
      'trestle -p "list the routes" --output-format json | jq -r .answer',
      'trestle -p "why does the build fail?" --place build-box --cwd /srv/app',
    ],
    exitCodes:
      '0 the turn completed, 1 an error or a limit, 2 incorrect usage, ' +
      '3 it completed with calls denied, 130 interrupted. See docs/print-mode.md.',
  },
  acp: {
    summary: 'Run as the agent of an editor, over stdin and stdout (Agent Client Protocol); see docs/editors.md.',
    options: {
      ...AGENT_OPTIONS,
      setup: { type: 'boolean', help: 'Set up a provider and a model in this terminal instead, and exit.' },
      help: HELP,
    },
    examples: ['trestle acp', 'trestle acp --agent explore', 'trestle acp --setup'],
  },
  wire: {
    summary:
      'Serve everything the engine can do as lines of JSON over stdin and stdout, for programs. See docs/wire.md.',
    options: {
      ...AGENT_OPTIONS,
      attach: {
        type: 'boolean',
        help:
          'Connect to the engine of this home instead, starting it if needed. ' +
          'Work continues if the connection is lost.',
      },
      help: HELP,
    },
    examples: ['trestle wire', 'trestle wire --attach', 'trestle wire --agent-file review.yaml'],
  },
  engine: { ...ENGINE_COMMAND, options: { ...ENGINE_COMMAND.options, help: HELP } },
  agent: {
    summary: 'List the agents that a session can work as; see docs/agents.md.',
    actions: ['list'],
    positionals: {
      name: 'list',
      help: 'List them with their source, and problems in their files.',
      max: 1,
    },
    options: {
      json: { type: 'boolean', help: 'Print JSON, for scripts.' },
      cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
      help: HELP,
    },
    examples: ['trestle agent list', 'trestle agent list --json | jq -r .agents[].name'],
  },
  session: {
    summary: 'List, show, restore, fork, export, import, verify and replay sessions, and recover lost ones.',
    actions: SESSION_ACTIONS,
    positionals: {
      name: SESSION_ACTIONS.join('|'),
      help: [
        '  list              Sessions, newest first.',
        '  show ID           One with its messages, numbered.',
        '  restore ID        Restore its files, its conversation or both to before a message.',
        '  fork ID           Start a new session from before a message.',
        '  export ID         Print it as Markdown, HTML or JSON.',
        '  import FILE       Import one that was exported as JSON.',
        '  recover [FILE]    Recover sessions from a backup or a damaged store',
        '                    (default: the damaged stores that were kept, and the newest backup).',
        '  verify ID         Check that its history is as it was recorded; --all checks every session.',
        '  replay ID         Step through its events, by key in a terminal.',
        '  move ID PLACE     Move it to a place; "here" moves it back.',
        '  move-out ID FILE  Seal it for another home and write it to a file.',
        '  move-in [FILE]    Receive it there; without a file, print the address of this home.',
        '  move-refuse MOVE  Refuse a move there.',
        '  move-cancel ID    Cancel a move that was never received.',
      ].join('\n'),
      max: 3,
    },
    options: {
      json: { type: 'boolean', help: 'Print JSON, for scripts (export: one event per line).' },
      all: { type: 'boolean', help: 'list: include archived sessions. verify: every session.' },
      limit: { type: 'string', value: 'N', help: 'list: maximum number (default: 20).' },
      to: {
        type: 'string',
        value: 'N',
        help: 'restore, fork: to just before message N. move-out: the address of the home that receives it.',
      },
      unverified: { type: 'boolean', help: 'import: allow a file whose history was changed.' },
      place: { type: 'string', value: 'NAME', help: 'move-out: your name for that home.' },
      'not-received': { type: 'boolean', help: 'move-cancel: confirms that it was never received.' },
      files: { type: 'boolean', help: 'restore: the files.' },
      conversation: { type: 'boolean', help: 'restore: the conversation.' },
      both: { type: 'boolean', help: 'restore: both.' },
      'dry-run': { type: 'boolean', help: 'restore: only show what would change.' },
      redo: { type: 'boolean', help: 'restore: undo the latest restore, instead of --to.' },
      overwrite: { type: 'boolean', help: 'restore: also files that were changed elsewhere since.' },
      format: { type: 'string', value: 'FORMAT', help: 'export: markdown (default), html or json.' },
      head: {
        type: 'string',
        value: 'HASH',
        help: 'verify, move-in: a hash printed earlier, which must be in the history.',
      },
      folder: {
        type: 'string',
        value: 'PATH',
        help:
          'import: the project of the session (default: none). ' +
          'move, move-in: where the project is put, if it was never there.',
      },
      help: HELP,
    },
    examples: [
      'trestle session list',
      'trestle session show session-abc',
      'trestle session restore session-abc --to 4 --both --dry-run',
      'trestle session export session-abc --json > session.jsonl',
      'trestle session export session-abc --format html > session.html',
      'trestle session import session.json --folder ~/code/app',
      'trestle session recover',
      'trestle session verify --all',
      'trestle session replay session-abc',
      'trestle session move session-abc build-box --folder ~/app',
      'trestle session move-out session-abc moved.trestle-move --to home-0f3a',
      'trestle session move-in moved.trestle-move --folder ~/code/app',
      'trestle session recover ~/.trestle/backups/trestle-2-20261120T140215123Z.db',
    ],
    exitCodes: '0 success, 1 failure or partly done, 2 incorrect usage, 3 verify found a changed history.',
  },
  task: {
    summary: 'List and stop background tasks, with or without a running app.',
    actions: ['list', 'output', 'stop', 'kill-orphans'],
    positionals: {
      name: 'list|output|stop|kill-orphans',
      help: [
        '  list          Running tasks; with --all, ended ones too.',
        '  output ID     Print the output of a task.',
        '  stop ID...    Stop tasks with all their processes.',
        '  kill-orphans  Stop processes that ended tasks left running.',
      ].join('\n'),
      max: 1000,
    },
    options: {
      json: { type: 'boolean', help: 'Print JSON, for scripts.' },
      all: { type: 'boolean', help: 'list: include ended ones. stop: every running one.' },
      limit: { type: 'string', value: 'N', help: 'list: maximum number (default: 20).' },
      tail: { type: 'string', value: 'N', help: 'output: only the last N lines.' },
      follow: { type: 'boolean', short: 'f', help: 'output: follow until the task ends.' },
      reason: { type: 'string', value: 'TEXT', help: 'stop: why, for the agent that started it.' },
      help: HELP,
    },
    examples: ['trestle task list', 'trestle task output task-abc --follow', 'trestle task stop --all'],
  },
  permission: { ...PERMISSION_COMMAND, options: { ...PERMISSION_COMMAND.options, help: HELP } },
  sandbox: { ...SANDBOX_COMMAND, options: { ...SANDBOX_COMMAND.options, help: HELP } },
  mcp: { ...MCP_COMMAND, options: { ...MCP_COMMAND.options, help: HELP } },
  mail: { ...MAIL_COMMAND, options: { ...MAIL_COMMAND.options, help: HELP } },
  worktree: { ...WORKTREE_COMMAND, options: { ...WORKTREE_COMMAND.options, help: HELP } },
  device: { ...DEVICE_COMMAND, options: { ...DEVICE_COMMAND.options, help: HELP } },
  place: { ...PLACE_COMMAND, options: { ...PLACE_COMMAND.options, help: HELP } },
  usage: { ...USAGE_COMMAND, options: { ...USAGE_COMMAND.options, help: HELP } },
  memory: { ...MEMORY_COMMAND, options: { ...MEMORY_COMMAND.options, help: HELP } },
  alarm: { ...ALARM_COMMAND, options: { ...ALARM_COMMAND.options, help: HELP } },
  notification: { ...NOTIFICATION_COMMAND, options: { ...NOTIFICATION_COMMAND.options, help: HELP } },
  schedule: { ...SCHEDULE_COMMAND, options: { ...SCHEDULE_COMMAND.options, help: HELP } },
  plugin: { ...PLUGIN_COMMAND, options: { ...PLUGIN_COMMAND.options, help: HELP } },
  provider: { ...PROVIDER_COMMAND, options: { ...PROVIDER_COMMAND.options, help: HELP } },
  model: { ...MODEL_COMMAND, options: { ...MODEL_COMMAND.options, help: HELP } },
  models: {
    summary: 'The same as model list.',
    positionals: { name: 'PROVIDER', help: 'A configured provider; lists the models it offers.', max: 1 },
    options: {
      json: { type: 'boolean', help: 'Print JSON, for scripts.' },
      help: HELP,
    },
    examples: ['trestle models', 'trestle models anthropic --json'],
  },
  settings: {
    summary: 'Show or change the tool search settings. All other settings are in config.toml.',
    positionals: {
      name: 'NAME VALUE',
      help:
        'toolSearch.enabled, toolSearch.minPct, toolSearch.minTokens or toolSearch.matchingThreshold. ' +
        'Without a value, shows it; without a name, shows all.',
      max: 2,
    },
    options: {
      json: { type: 'boolean', help: 'Print JSON, for scripts.' },
      help: HELP,
    },
    examples: ['trestle settings', 'trestle settings toolSearch.enabled true'],
  },
  doctor: {
    summary: 'Check everything Trestle needs, and report problems and fixes.',
    options: {
      json: { type: 'boolean', help: 'Print the full report as JSON, for scripts and bug reports.' },
      all: { type: 'boolean', help: 'Print the full report, with versions, environment and recent errors.' },
      help: HELP,
    },
    examples: ['trestle doctor', 'trestle doctor --json > report.json'],
    exitCodes: '0 everything works (there may be warnings), 1 there are problems. See docs/troubleshooting.md.',
  },
  completion: {
    summary: 'Print a completion script for your shell.',
    actions: SHELLS,
    positionals: {
      name: SHELLS.join('|'),
      help: "The shell. Add its line to your shell's startup file.",
      max: 1,
    },
    options: { help: HELP },
    examples: [
      'source <(trestle completion bash)    # in ~/.bashrc',
      'source <(trestle completion zsh)     # in ~/.zshrc, after compinit',
      'trestle completion fish | source     # in ~/.config/fish/config.fish',
    ],
  },
} satisfies Record<string, CommandSpec>

export type CommandName = keyof typeof SPECS

/** Every command of the `trestle` program. The help text and shell completion are generated from this table. */
export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = SPECS
