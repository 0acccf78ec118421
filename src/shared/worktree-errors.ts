/** The expected failures of worktrees. Part of `ERRORS`, which says what the fields mean. */
export const WORKTREE_ERRORS = {
  'worktree.not_found': {
    title: 'There is no such worktree',
    retryable: false,
    advice: 'Settings, Worktrees, or "trestle worktree list" shows those that there are.',
  },
  'worktree.no_commit': {
    title: 'The repository has no commit yet',
    retryable: false,
    advice: 'Commit something first: a worktree starts from a commit.',
  },
  'worktree.not_ours': {
    title: 'Trestle did not make this worktree',
    retryable: false,
    advice: 'Look at it with "git worktree list", and remove it yourself with "git worktree remove".',
  },
  'worktree.missing': {
    title: 'The folder of the worktree is missing',
    retryable: false,
    advice: 'Move it back to where it was, or run "git worktree repair" in the project.',
  },
  'worktree.no_project': {
    title: 'The project of the worktree is missing',
    retryable: false,
    advice: 'Move the project back to where it was, then try again. Nothing was removed.',
  },
  'worktree.locked': {
    title: 'The worktree is locked',
    retryable: false,
    advice: 'Unlock it with "git worktree unlock", then try again. Nothing was removed.',
  },
  'worktree.busy': {
    title: 'The worktree is in use',
    retryable: true,
    advice: 'Wait until its sessions and tasks have ended, or stop them, then try again. Nothing was changed.',
  },
  'worktree.operation': {
    title: 'The worktree is in the middle of something',
    retryable: false,
    advice: 'Continue or abort it in the Git pane or in a terminal, then try again. Nothing was changed.',
  },
  'worktree.nested': {
    title: 'The worktree contains a repository of its own',
    retryable: false,
    advice: 'Its commits cannot be saved as a patch. Move it elsewhere, then try again. Nothing was removed.',
  },
  'worktree.too_large': {
    title: 'There is too much to save',
    retryable: false,
    advice: 'Move or delete what the message names, then try again. Nothing was removed.',
  },
  'worktree.not_saved': {
    title: 'The changes could not be saved',
    retryable: true,
    advice: 'Free some disk space or check the permissions of the folder, then try again. Nothing was removed.',
  },
  'worktree.dirty': {
    title: 'There are uncommitted changes',
    retryable: false,
    advice: 'Commit them first. Nothing was changed.',
  },
  'worktree.base_dirty': {
    title: 'The branch is checked out with changes',
    retryable: false,
    advice: 'Commit or stash the changes there, or merge into another branch. Nothing was changed.',
  },
  'worktree.taken': {
    title: 'The place of the worktree is taken',
    retryable: false,
    advice: 'Move what is there elsewhere, then try again.',
  },
} as const
