import { CodedError } from '../../src/shared/errors'
import type { WorktreeActions } from '../../src/main/engine/worktree/worktree-actions'

const none = async (): Promise<never> => {
  throw new CodedError('worktree.not_found', 'There is no worktree.')
}

/** No worktrees, and folders without a repository. */
export const NO_WORKTREES: WorktreeActions = {
  offer: async () => ({ branch: '', branches: [], changed: 0, problem: 'The folder has no Git repository.' }),
  list: async () => [],
  status: none,
  create: none,
  remove: none,
  restore: none,
  purge: none,
  forget: none,
  merge: none,
  update: none,
  setup: none,
}
