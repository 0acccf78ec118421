import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { CodedError } from '../../../shared/errors'
import { worktreeRecords } from '../config/worktree-record'
import type { Repository } from '../git/run/find-repository'
import { readGitUser, requireGitTrust } from '../git/trust/git-trust'
import { openRepository, type OpenRepository } from '../git/repository/open-repository'
import { createRunGit } from '../git/run/run-git'
import { tryLock } from '../store/database/store-lock'

export interface WorktreePlaceDeps {
  home: string
  now(): number
  /** The environment of commands; waits until it is known. */
  env(): Promise<Readonly<Record<string, string | undefined>>>
  log(message: string): void
}

/** Git for worktrees, with one operation at a time per repository. */
export interface WorktreePlace extends WorktreePlaceDeps {
  /** The folder for temporary index files. */
  temporary: string
  /** Throws `git.untrusted` for a repository with programs that the user has not accepted. */
  open(repository: Repository): Promise<OpenRepository>
  /** Runs `work` while no other process and no other call of this one changes worktrees of the repository. */
  exclusively<Result>(commonDir: string, work: () => Promise<Result>): Promise<Result>
}

const LOCK_WAIT_MS = 120_000
const LOCK_STEP_MS = 50

export function createWorktreePlace(deps: WorktreePlaceDeps): WorktreePlace {
  const { home } = deps
  const neutralFolder = join(home, 'git', 'run')
  const queues = new Map<string, Promise<unknown>>()

  async function locked<Result>(commonDir: string, work: () => Promise<Result>): Promise<Result> {
    mkdirSync(worktreeRecords(home), { recursive: true, mode: 0o700 })
    const name = createHash('sha256').update(commonDir).digest('hex').slice(0, 16)
    const file = join(worktreeRecords(home), `${name}.lock`)
    for (let waited = 0; ; waited += LOCK_STEP_MS) {
      const release = tryLock(file)
      if (release) {
        try {
          return await work()
        } finally {
          release()
        }
      }
      if (waited >= LOCK_WAIT_MS)
        throw new CodedError('worktree.busy', 'Another Trestle is changing worktrees of this repository.')
      await pause(LOCK_STEP_MS)
    }
  }

  return {
    ...deps,
    temporary: join(worktreeRecords(home), 'temporary'),
    async open(repository) {
      const env = await deps.env()
      mkdirSync(neutralFolder, { recursive: true, mode: 0o700 })
      const run = createRunGit({ env: () => env, neutralFolder })
      requireGitTrust({ home, user: await readGitUser(run, env) }, repository)
      return openRepository(repository, run)
    },
    async exclusively(commonDir, work) {
      const before = queues.get(commonDir)
      const mine = (async () => {
        await before?.catch(() => undefined)
        return locked(commonDir, work)
      })()
      queues.set(commonDir, mine)
      try {
        return await mine
      } finally {
        if (queues.get(commonDir) === mine) queues.delete(commonDir)
      }
    },
  }
}
