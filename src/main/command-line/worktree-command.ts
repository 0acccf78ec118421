import type { CommandSpec, OptionSpec } from '../console/parse-command'

/** Options of `trestle print` and `trestle chat`. */
export const WORKTREE_OPTIONS: Record<string, OptionSpec> = {
  worktree: { type: 'boolean', help: 'Work in a new Git worktree of the project.' },
  branch: { type: 'string', value: 'NAME', help: '--worktree: its branch (default: named after the prompt).' },
  from: { type: 'string', value: 'NAME', help: '--worktree: the branch or commit it starts from (default: HEAD).' },
  changes: { type: 'boolean', help: '--worktree: copy your uncommitted changes into it.' },
}

/** `trestle worktree`, without `--help`. */
export const WORKTREE_COMMAND: CommandSpec = {
  summary: 'List, merge, remove and restore the Git worktrees of sessions.',
  actions: ['list', 'show', 'merge', 'update', 'remove', 'restore', 'purge'],
  positionals: {
    name: 'list|show|merge|update|remove|restore|purge',
    help: [
      '  list        All of them, removed ones included.',
      '  show ID     One, compared with the branch it started from.',
      '  merge ID    Merge its branch into that branch.',
      '  update ID   Bring the new commits of that branch into it.',
      '  remove ID   Save its commits and changes, then remove it.',
      '  restore ID  Restore a removed one, with everything that was saved.',
      '  purge ID    Permanently delete the saved changes of a removed one.',
    ].join('\n'),
    max: 2,
    text: 'ID',
  },
  options: {
    into: {
      type: 'string',
      value: 'BRANCH',
      help: 'merge, update: the other branch (default: the one it started from).',
    },
    squash: { type: 'boolean', help: 'merge: as one commit.' },
    rebase: { type: 'boolean', help: 'merge, update: by a rebase.' },
    commit: { type: 'string', value: 'MESSAGE', help: 'merge, update: commit everything uncommitted first.' },
    message: { type: 'string', value: 'TEXT', help: 'merge: the message of the merge.' },
    'keep-conflicts': { type: 'boolean', help: 'update: leave conflicts in the worktree, to be resolved there.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle worktree list',
    'trestle worktree merge shop-1a2b3c --squash --commit "Fix the login form"',
    'trestle worktree update shop-1a2b3c --rebase',
    'trestle worktree remove shop-1a2b3c --json',
    'trestle worktree restore shop-1a2b3c',
  ],
  exitCodes: '0 success, 1 failure or conflicts, 2 incorrect usage or not allowed. See docs/worktrees.md.',
}
