import type { GitResult, GitRun, RunGit } from '../run-git'
import type { Repository } from './find-repository'

type Options = Omit<GitRun, 'args' | 'level' | 'folder' | 'write'>

/** A repository that may be used. */
export interface OpenRepository extends Repository {
  /** Runs a command that only reads. */
  read(args: readonly string[], options?: Options): Promise<GitResult>
  /** What a reading command prints, without the line break at the end. */
  text(args: readonly string[], options?: Options): Promise<string>
  /** Like `text`; undefined when the command fails with 1 or 128, such as for a name that does not exist. */
  maybe(args: readonly string[], options?: Options): Promise<string | undefined>
  /** Runs a command that may write; the user's hooks run. */
  write(args: readonly string[], options?: Options): Promise<GitResult>
}

/** Runs commands of git in one repository. The caller has checked that it is trusted. */
export function openRepository(repository: Repository, run: RunGit): OpenRepository {
  const place = repository.bare ? [`--git-dir=${repository.gitDir}`] : []
  const start =
    (write: boolean) =>
    (args: readonly string[], options: Options = {}) =>
      run({ ...options, args: [...place, ...args], level: 'trusted', folder: repository.top, write })
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

function lineOf(stdout: Buffer): string {
  return stdout.toString('utf8').replace(/\r?\n$/, '')
}
