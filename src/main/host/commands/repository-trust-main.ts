import { resolve } from 'node:path'
import { findRepository } from '../../engine/git/repository/find-repository'
import { forgetGitTrust, trustedRepositories } from '../../engine/git/trust/git-trust'
import { agentTrace } from '../../engine/runtime/agent-trace'

/**
 * `trestle permission repositories`, and `untrust --repository`: the Git repositories whose own hooks, filters and settings
 * the user trusts. Returns 0; 1 for a repository that is not trusted; 2 when an agent asks to change that.
 */
export async function repositoriesMain(
  home: string,
  { json, forget }: { json: boolean; forget?: string | undefined },
): Promise<number> {
  const all = trustedRepositories(home)
  if (forget === undefined) {
    const lines = all.map(({ repository, acceptedAt }) => `${new Date(acceptedAt).toISOString()}  ${repository}\n`)
    process.stdout.write(
      json ? `${JSON.stringify(all)}\n` : lines.join('') || 'No repository is trusted to run programs of its own.\n',
    )
    return 0
  }
  const trace = await agentTrace({ home })
  if (trace !== undefined) {
    process.stderr.write(
      `trestle: only you can decide which repositories to trust, and this looks like a command of an agent: ${trace}. Run this in a terminal of your own.\n`,
    )
    return 2
  }
  const path = resolve(forget)
  const known = new Set([path, resolve(path, '.git'), findRepository(path)?.commonDir])
  const found = all.filter(({ repository }) => known.has(repository))
  if (found.length === 0) {
    process.stderr.write(`trestle: ${path} is not trusted. See: trestle permission repositories\n`)
    return 1
  }
  for (const { repository } of found) {
    forgetGitTrust(home, repository)
    process.stdout.write(json ? `${JSON.stringify({ repository })}\n` : `${repository} is not trusted any more.\n`)
  }
  return 0
}

/** Withdraws the trust in the repository of a folder; undefined when it was not trusted. */
export function forgetRepositoryOf(folder: string, home: string): string | undefined {
  const commonDir = findRepository(folder)?.commonDir
  if (commonDir === undefined || !trustedRepositories(home).some(({ repository }) => repository === commonDir))
    return undefined
  forgetGitTrust(home, commonDir)
  return commonDir
}
