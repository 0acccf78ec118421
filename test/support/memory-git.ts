import { CodedError } from '../../src/shared/errors'
import type { GitActions } from '../../src/main/engine/git/git-actions'

const noRepository = async (): Promise<never> => {
  throw new CodedError('git.no_repository', 'The folder is not in a Git repository.')
}

/** Git for folders without a repository. */
export const NO_GIT: GitActions = new Proxy<GitActions>(Object.create(null), {
  get(_, name) {
    if (name === 'then') return undefined
    if (name === 'summary') return async () => ({ state: 'none' })
    if (name === 'trusted') return async () => []
    if (name === 'forgetTrust') return async () => undefined
    if (name === 'progress') return () => undefined
    return noRepository
  },
})
