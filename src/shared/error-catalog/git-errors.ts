/** The expected failures of git. Part of `ERRORS`, which explains the fields. */
export const GIT_ERRORS = {
  'git.missing': {
    title: 'Git is not installed',
    retryable: false,
    advice: 'Install Git (https://git-scm.com/downloads), then try again.',
  },
  'git.no_repository': {
    title: 'This folder has no Git repository',
    retryable: false,
    advice: 'Initialize a repository in the Git pane, or open a folder that has one.',
  },
  'git.untrusted': {
    title: 'This repository is not trusted yet',
    retryable: false,
    advice: 'Review what its settings and hooks run, and trust it in the Git pane.',
  },
  'git.not_user': {
    title: 'Only you can trust a repository',
    retryable: false,
    advice: 'Decide in the app, or in a terminal you opened yourself.',
  },
  'git.ownership': {
    title: 'The repository belongs to another user',
    retryable: false,
    advice: 'If you trust its owner, run: git config --global --add safe.directory PATH.',
  },
  'git.locked': {
    title: 'Another Git process is using the repository',
    retryable: true,
    advice: 'Wait until it has finished. If none is running, delete the lock file that the message names.',
  },
  'git.identity': {
    title: 'Your name and email are not set in Git',
    retryable: false,
    advice: 'Run: git config --global user.name "Your Name" and git config --global user.email you@example.com.',
  },
  'git.conflicts': {
    title: 'There are conflicts',
    retryable: false,
    advice: 'Resolve them in the Git pane, then continue or abort.',
  },
  'git.hook': {
    title: 'A Git hook failed',
    retryable: false,
    advice: 'See its output, fix what it reports, and try again.',
  },
  'git.nested': {
    title: 'The folder contains another repository',
    retryable: false,
    advice: 'Delete it in a terminal if it is not needed. Nothing was changed.',
  },
  'git.would_overwrite': {
    title: 'Your changes would be overwritten',
    retryable: false,
    advice: 'Commit or stash your changes first. Nothing was changed.',
  },
  'git.changed': {
    title: 'The file has changed in the meantime',
    retryable: false,
    advice: 'Review the current changes, then decide again. Nothing was changed.',
  },
  'git.not_merged': {
    title: 'The branch is not fully merged',
    retryable: false,
    advice: 'Merge it first, or confirm that it should be deleted.',
  },
  'git.in_use': {
    title: 'The branch is checked out',
    retryable: false,
    advice: 'Switch to another branch first.',
  },
  'git.exists': {
    title: 'The name is taken',
    retryable: false,
    advice: 'Choose another name.',
  },
  'git.bad_name': {
    title: 'The name cannot be used',
    retryable: false,
    advice: 'Use letters, digits, ".", "-", "_" and "/".',
  },
  'git.not_found': {
    title: 'Not found in this repository',
    retryable: false,
    advice: 'It may have been changed or deleted in the meantime. Check the current state.',
  },
  'git.nothing': {
    title: 'There is nothing to do',
    retryable: false,
    advice: 'Check the current state in the Git pane.',
  },
  'git.diverged': {
    title: 'The branches have diverged',
    retryable: false,
    advice: 'Pull with rebase, or merge, then push again.',
  },
  'git.no_upstream': {
    title: 'The branch has no upstream',
    retryable: false,
    advice: 'Push it to a remote first.',
  },
  'git.sign_in': {
    title: 'The remote refused the sign-in',
    retryable: false,
    advice: 'Sign in to the remote in a terminal (for example: git fetch, or ssh-add), then try again.',
  },
  'git.unreachable': {
    title: 'The remote could not be reached',
    retryable: true,
    advice: 'Check the network and the address of the remote, then try again.',
  },
  'git.rejected': {
    title: 'The remote rejected the push',
    retryable: false,
    advice: "Check the remote's message.",
  },
  'git.too_large': {
    title: 'Too much to show',
    retryable: false,
    advice: 'Use git in a terminal for this.',
  },
  'git.timeout': {
    title: 'Git took too long',
    retryable: true,
    advice: 'Try again, or run it in a terminal.',
  },
  'git.busy': {
    title: 'An operation is in progress',
    retryable: false,
    advice: 'Continue or abort it first.',
  },
  'git.failed': {
    title: 'Git failed',
    retryable: false,
    advice: "Check Git's message.",
  },
} as const

/** The expected failures of worktrees. Part of `ERRORS`, which explains the fields. */
export const WORKTREE_ERRORS = {
  'worktree.not_found': {
    title: 'Worktree not found',
    retryable: false,
    advice: 'Settings, Worktrees, or "trestle worktree list" lists all worktrees.',
  },
  'worktree.no_commit': {
    title: 'The repository has no commits yet',
    retryable: false,
    advice: 'Commit something first: a worktree starts from a commit.',
  },
  'worktree.not_ours': {
    title: 'Trestle did not make this worktree',
    retryable: false,
    advice: 'Check it with "git worktree list", and remove it yourself with "git worktree remove".',
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
    title: 'An operation is in progress in the worktree',
    retryable: false,
    advice: 'Continue or abort it in the Git pane or in a terminal, then try again. Nothing was changed.',
  },
  'worktree.nested': {
    title: 'The worktree contains another repository',
    retryable: false,
    advice: 'Its commits cannot be saved as a patch. Move it elsewhere, then try again. Nothing was removed.',
  },
  'worktree.too_large': {
    title: 'Too much to save',
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
    title: 'The folder for the worktree already exists',
    retryable: false,
    advice: 'Move or rename that folder, then try again.',
  },
} as const
