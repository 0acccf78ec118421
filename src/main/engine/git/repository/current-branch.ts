import type { OpenRepository } from './open-repository'

/**
 * The name of the branch that is checked out, below `refs/heads/`; undefined when HEAD is detached. Git's own short
 * name would differ if a tag has the same name.
 */
export async function currentBranch(repository: Pick<OpenRepository, 'maybe'>): Promise<string | undefined> {
  const ref = await repository.maybe(['symbolic-ref', '--quiet', 'HEAD'])
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}

/** The commit that HEAD names; undefined in a repository without commits. */
export function headCommit(repository: Pick<OpenRepository, 'maybe'>): Promise<string | undefined> {
  return repository.maybe(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
}
