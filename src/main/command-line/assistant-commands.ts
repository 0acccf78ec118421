import type { CommandSpec } from '../console/parse-command'

/** `trestle plugin`, without `--help`. */
export const PLUGIN_COMMAND: CommandSpec = {
  summary: 'Add, review, enable, update and remove plugins.',
  actions: ['list', 'show', 'diff', 'add', 'enable', 'disable', 'update', 'remove', 'restore'],
  positionals: {
    name: 'list|show|diff|add|enable|disable|update|remove|restore',
    help: [
      'what to do, and with which plugin.',
      '  list             Your plugins and those of the project.',
      '  show NAME        Everything a plugin would do, and all its files.',
      '  diff NAME        What has changed since you accepted it.',
      '  add PATH|GIT-URL Install from a folder or a repository (#branch at its end). It is off until you enable it.',
      '  enable NAME      Show all of it; you accept it by typing the start of its fingerprint.',
      '  disable NAME     Turn it off; nothing of it is active any more.',
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
  exitCodes: '0 it worked, 1 it failed or was not accepted, 2 wrong usage or not allowed. See docs/plugins.md.',
}

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
