import { USAGE_GROUPS } from '../../shared/model/turn/usage'
import { PERMISSION_MODES } from '../../shared/model/approval/approval'
import type { CommandSpec } from '../console/parse-command'

/** `trestle plugin`, without `--help`. */
export const PLUGIN_COMMAND: CommandSpec = {
  summary: 'Add, review, enable, update and remove plugins.',
  actions: ['list', 'show', 'diff', 'add', 'enable', 'disable', 'update', 'remove', 'restore'],
  positionals: {
    name: 'list|show|diff|add|enable|disable|update|remove|restore',
    help: [
      '  list             Your plugins and those of the project.',
      '  show NAME        Everything a plugin would do, and all its files.',
      '  diff NAME        What has changed since you accepted it.',
      '  add PATH|GIT-URL Install from a folder or a repository (#branch at its end). It is off until you enable it.',
      '  enable NAME      Show everything in it; you accept it by typing the start of its fingerprint.',
      '  disable NAME     Turn it off completely.',
      '  update NAME      Fetch it again from where it came from. A changed one is off until you enable it.',
      '  remove NAME      Remove it; it can be restored for 30 days.',
      '  restore ID       Restore a removed one; list shows the ids.',
    ].join('\n'),
    max: 2,
    text: 'NAME',
  },
  options: {
    project: { type: 'boolean', help: 'The plugin of the project, in .trestle/plugins, instead of yours.' },
    cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle plugin list',
    'trestle plugin add ~/code/release-notes',
    'trestle plugin add https://github.com/acme/trestle-plugin.git#v2 --project',
    'trestle plugin enable release-notes',
    'trestle plugin diff release-notes',
    'trestle plugin remove release-notes --json',
  ],
  exitCodes: '0 success, 1 failure or not accepted, 2 incorrect usage or not allowed. See docs/plugins.md.',
}

/** `trestle usage`, without `--help`. */
export const USAGE_COMMAND: CommandSpec = {
  summary: 'Show the tokens and cost of model requests.',
  options: {
    days: { type: 'string', value: 'N', help: 'The last N days, today included (default: 30).' },
    by: {
      type: 'string',
      value: 'GROUP',
      choices: USAGE_GROUPS,
      help: 'One line for each day (default), model, project or session.',
    },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle usage', 'trestle usage --by model --days 7', 'trestle usage --by session --json'],
  exitCodes: '0 success, 1 failure, 2 incorrect usage. See docs/usage.md.',
}

/** `trestle memory`, without `--help`. */
export const MEMORY_COMMAND: CommandSpec = {
  summary: 'Read, search, correct, delete, restore and export what is remembered across sessions.',
  actions: ['list', 'search', 'show', 'add', 'edit', 'delete', 'restore', 'export'],
  positionals: {
    name: 'list|search|show|add|edit|delete|restore|export',
    help: [
      '  list              The latest entries, with their numbers.',
      '  search WORDS      Those that contain all the words.',
      '  show NUMBER       One with its history, and the session it came from.',
      '  add KEY TEXT      Remember something, or replace what has this key.',
      '  edit NUMBER       Change one, with --key, --text, --category, --project or --everywhere.',
      '  delete NUMBER...  Delete entries; they can be restored for 30 days.',
      '  restore NUMBER... Restore deleted ones; list --deleted shows them.',
      '  export            Print everything as Markdown, or with --json as JSON.',
    ].join('\n'),
    max: 1001,
    text: 'text',
  },
  options: {
    key: { type: 'string', value: 'KEY', help: 'edit: its new key.' },
    text: { type: 'string', value: 'TEXT', help: 'edit: its new text.' },
    category: { type: 'string', value: 'NAME', help: 'list, search: only this category. add, edit: its category.' },
    project: { type: 'string', value: 'DIR', help: 'Only for this project; add: instead of everywhere.' },
    everywhere: { type: 'boolean', help: 'Only what applies in every project; edit: apply it everywhere.' },
    deleted: { type: 'boolean', help: 'list, search: the deleted ones.' },
    limit: { type: 'string', value: 'N', help: 'list, search: maximum number (default: 50).' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle memory list',
    'trestle memory search package manager',
    'trestle memory add "package manager" "pnpm, never npm" --project ~/code/shop',
    'trestle memory delete 12',
    'trestle memory export > memory.md',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage. See docs/memory.md.',
}

/** `trestle alarm`, without `--help`. */
export const ALARM_COMMAND: CommandSpec = {
  summary: 'List, set, snooze, stop and cancel alarms and countdowns.',
  actions: ['list', 'set', 'snooze', 'stop', 'cancel', 'restore'],
  positionals: {
    name: 'list|set|snooze|stop|cancel|restore',
    help: [
      '  list            Alarms that ring or will ring, with their ids.',
      '  set WHEN LABEL  Set one: "18:30", "2026-12-01 09:00", 25m, 1h30m or 90s.',
      '  snooze ID       Let a ringing or missed one ring again later.',
      '  stop ID         Stop it ringing.',
      '  cancel ID...    Cancel alarms; restore undoes that.',
      '  restore ID      Restore a cancelled one.',
    ].join('\n'),
    max: 101,
    text: 'text',
  },
  options: {
    all: { type: 'boolean', help: 'list: include those that ended in the last 30 days.' },
    minutes: { type: 'string', value: 'N', help: 'snooze: for how long (default: 5).' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle alarm set 25m "Tea"', 'trestle alarm list --json', 'trestle alarm cancel alarm-0123456789abcdef'],
  exitCodes: '0 success, 1 failure, 2 incorrect usage. Alarms ring while a Trestle app is running.',
}

/** `trestle notification`, without `--help`. */
export const NOTIFICATION_COMMAND: CommandSpec = {
  summary: 'Read, mark and clear notifications.',
  actions: ['list', 'read', 'clear', 'restore'],
  positionals: {
    name: 'list|read|clear|restore',
    help: [
      '  list              The latest ones, with their numbers.',
      '  read [NUMBER...]  Mark these, or all, as read.',
      '  clear [NUMBER...] Clear these, or all; they can be restored for 30 days.',
      '  restore NUMBER... Restore cleared ones.',
    ].join('\n'),
    max: 1001,
    text: 'text',
  },
  options: {
    unread: { type: 'boolean', help: 'list: only unread ones.' },
    limit: { type: 'string', value: 'N', help: 'list: maximum number (default: 50).' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle notification list --unread', 'trestle notification read', 'trestle notification clear 12 --json'],
  exitCodes: '0 success, 1 failure, 2 incorrect usage.',
}

/** `trestle schedule`, without `--help`. */
export const SCHEDULE_COMMAND: CommandSpec = {
  summary: 'Create, list, change, pause and run schedules: prompts that run at set times or when mail arrives.',
  actions: [
    'list',
    'show',
    'create',
    'update',
    'delete',
    'restore',
    'pause',
    'resume',
    'run-now',
    'history',
    'run',
    'install',
    'uninstall',
  ],
  positionals: {
    name: 'list|show|create|update|delete|restore|pause|resume|run-now|history|run|install|uninstall',
    help: [
      '  list              All schedules, with their next and last runs.',
      '  show ID           One with its prompt.',
      '  create            A new one, with --name, --prompt, and --time or --on-mail.',
      '  update ID         Change the fields given as options.',
      '  delete ID         Delete one; it can be restored for 30 days.',
      '  restore ID        Restore a deleted one; list --deleted shows them.',
      '  pause ID          Start no more runs.',
      '  resume ID         Continue.',
      '  run-now ID        Run it here, until it ends or waits for you in the inbox.',
      '  history ID        Its latest runs.',
      '  run               Run schedules in this terminal until Ctrl-C; the service runs this.',
      '  install           Set up a service that runs schedules in the background, after showing it.',
      '  uninstall         Remove the service.',
    ].join('\n'),
    max: 2,
  },
  options: {
    name: { type: 'string', value: 'NAME', help: 'create, update: its name.' },
    time: {
      type: 'string',
      value: 'TIME',
      help: 'create, update: a cron pattern, 2026-12-01T09:00, "every 2 h" or "weekdays at 9:00".',
    },
    'on-mail': {
      type: 'boolean',
      help: 'create, update: run when mail arrives that matches the --mail options; replaces earlier ones.',
    },
    'mail-account': { type: 'string', value: 'ID', help: 'create, update: only of this account (default: all).' },
    'mail-folder': { type: 'string', value: 'NAME', help: 'create, update: in this folder (default: the inbox).' },
    'mail-from': { type: 'string', value: 'TEXT', help: "create, update: part of the sender's name or address." },
    'mail-subject': { type: 'string', value: 'TEXT', help: 'create, update: part of the subject.' },
    'mail-text': { type: 'string', value: 'TEXT', help: 'create, update: words of the subject or text.' },
    zone: { type: 'string', value: 'ZONE', help: 'create, update: the time zone (default: that of this machine).' },
    prompt: { type: 'string', value: 'TEXT', help: 'create, update: the prompt of each run.' },
    project: { type: 'string', value: 'DIR', help: 'create, update: the folder that runs work in.' },
    'no-project': { type: 'boolean', help: 'create, update: each run works in a private folder (default).' },
    agent: { type: 'string', value: 'NAME', help: 'create, update: the agent of a run.' },
    model: { type: 'string', value: 'M', help: 'create, update: the model, as provider/model.' },
    'permission-mode': {
      type: 'string',
      value: 'MODE',
      choices: PERMISSION_MODES,
      help: 'create, update: ask (default), accept-edits or auto.',
    },
    'max-steps': { type: 'string', value: 'N', help: 'create, update: maximum model requests in a run.' },
    'max-minutes': { type: 'string', value: 'N', help: 'create, update: maximum minutes of work in a run.' },
    'max-tokens': { type: 'string', value: 'N', help: 'create, update: maximum tokens of a run.' },
    heartbeat: { type: 'boolean', help: 'create, update: report only what needs attention.' },
    quiet: { type: 'string', value: 'HH:MM-HH:MM', help: 'create, update: quiet hours of a heartbeat.' },
    deleted: { type: 'boolean', help: 'list: the deleted ones.' },
    limit: { type: 'string', value: 'N', help: 'history: maximum number (default: 20).' },
    yes: { type: 'boolean', help: 'install, uninstall: without asking.' },
    home: { type: 'string', value: 'DIR', help: 'run: instead of TRESTLE_HOME.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle schedule list',
    'trestle schedule create ' +
      '--name "Dependency check" --time "weekdays at 2:00" --prompt "Check for outdated dependencies." --project .',
    'trestle schedule create --name "CI watch" --time "every 30 min" --heartbeat ' +
      '--quiet 22:00-07:00 --prompt "Has a build failed?"',
    'trestle schedule create --name "Failed builds" --on-mail --mail-from ci@example.com ' +
      '--mail-subject failed --prompt "Find out why the build failed."',
    'trestle schedule run-now "Dependency check"',
    'trestle schedule install',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage. See docs/schedules.md.',
}
