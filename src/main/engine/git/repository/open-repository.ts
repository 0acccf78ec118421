import { CodedError } from '../../../../shared/errors'
import type { GitResult, GitRun, RunGit } from '../run/run-git'
import type { Repository } from '../run/find-repository'
import { submodulesOff } from './submodules-off'
import { isFoundByGit, isOwn, repositoryQuestion } from '../run/git-start'

type Options = Omit<GitRun, 'args' | 'level' | 'folder' | 'write' | 'repository'>

/** A repository that can be used. */
export interface OpenRepository extends Repository {
  /** Runs a command that only reads. */
  read(args: readonly string[], options?: Options): Promise<GitResult>
  /** The output of a reading command, without the final line break. */
  text(args: readonly string[], options?: Options): Promise<string>
  /** Like `text`; undefined when the command fails with 1 or 128, such as for a name that does not exist. */
  maybe(args: readonly string[], options?: Options): Promise<string | undefined>
  /** Runs a command that may write; the user's hooks run. */
  write(args: readonly string[], options?: Options): Promise<GitResult>
}

/** Runs commands of git in one repository. The caller has checked that it is trusted. */
export function openRepository(repository: Repository, run: RunGit): OpenRepository {
  const isChecked = isOwn(repository)
  let checked: Promise<void> | undefined
  const start =
    (write: boolean) =>
    async (args: readonly string[], options: Options = {}) => {
      if (!isChecked || (write && isFoundByGit(repository))) await (checked ??= requireSame(repository, run))
      // Each time, because an earlier command may have written the list.
      const off = await submodulesOff(repository, run, { write })
      return run({ ...options, args, level: 'trusted', repository, write, env: { ...off, ...options.env } })
    }
  const read = start(false)
  return {
    ...repository,
    read,
    write: start(true),
    text: async (args, options) => lineOf((await read(args, options)).stdout),
    async maybe(args, options) {
      const { code, stdout } = await read(args, { ...options, okCodes: [0, 1, 128] })
      return code === 0 ? lineOf(stdout) : undefined
    },
  }
}

/** Throws unless git finds the same repository that was checked, and accepts its ownership. */
export async function requireSame(repository: Repository, run: RunGit): Promise<void> {
  const { args, answer } = repositoryQuestion(repository)
  const { stdout } = await run({
    args,
    level: 'trusted',
    repository,
    asFound: true,
    // A bare repository is expected if one was found.
    settings: ['safe.bareRepository=all'],
  })
  // Git prints forward slashes on Windows.
  const printed = Buffer.from(stdout.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  const expected = process.platform === 'win32' ? answer.toString('utf8').replaceAll('\\', '/') : answer
  if (!printed.equals(Buffer.from(expected)))
    throw new CodedError(
      'git.no_repository',
      `Git finds another repository in ${repository.top} than ${repository.gitDir}.`,
    )
}

function lineOf(stdout: Buffer): string {
  return stdout.toString('utf8').replace(/\r?\n$/, '')
}
