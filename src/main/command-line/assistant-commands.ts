import type { CommandSpec } from '../console/parse-command'

/** `trestle memory`, without `--help`. */
export const MEMORY_COMMAND: CommandSpec = {
  summary: 'Read, search, correct, delete, restore and export what is remembered across sessions.',
  actions: ['list', 'search', 'show', 'add', 'edit', 'delete', 'restore', 'export'],
  positionals: {
    name: 'list|search|show|add|edit|delete|restore|export',
    help: [
      'what to do, and with which entry.',
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
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage. See docs/memory.md.',
}

/** `trestle alarm`, without `--help`. */
export const ALARM_COMMAND: CommandSpec = {
  summary: 'List, set, snooze, stop and cancel alarms and countdowns.',
  actions: ['list', 'set', 'snooze', 'stop', 'cancel', 'restore'],
  positionals: {
    name: 'list|set|snooze|stop|cancel|restore',
    help: [
      'what to do, and with which alarm.',
      '  list            Alarms that ring or will ring, with their ids.',
      '  set WHEN LABEL  Set one: "18:30", "2026-12-01 09:00", 25m, 1h30m or 90s.',
      '  snooze ID       Let a ringing or missed one ring again later.',
      '  stop ID         End the ringing.',
      '  cancel ID...    Cancel alarms; restore undoes that.',
      '  restore ID      Restore a cancelled one.',
    ].join('\n'),
    max: 101,
    text: 'text',
  },
  options: {
    all: { type: 'boolean', help: 'list: those of the last 30 days that ended, too.' },
    minutes: { type: 'string', value: 'N', help: 'snooze: for how long (default: 5).' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle alarm set 25m "Tea"', 'trestle alarm list --json', 'trestle alarm cancel alarm-0123456789abcdef'],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage. Alarms ring while a Trestle app is running.',
}

/** `trestle notification`, without `--help`. */
export const NOTIFICATION_COMMAND: CommandSpec = {
  summary: 'Read, mark and clear what you were notified of.',
  actions: ['list', 'read', 'clear', 'restore'],
  positionals: {
    name: 'list|read|clear|restore',
    help: [
      'what to do, and with which notifications.',
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
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage.',
}
