import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'
import type { GitTrust } from '../../../../shared/model/git'
import { writePrivateFile } from '../../config/write-private-file'
import type { RunGit } from '../run-git'
import type { Repository } from './find-repository'
import { repositoryPrograms } from './repository-programs'
import { readSmallFile } from './small-file'

const Decision = z.object({ repository: z.string(), hash: z.string(), at: z.number() })
const MAX_BYTES = 16 * 1024

/** Where decisions are kept, and `core.hooksPath` of the user's own settings. */
export interface TrustPlace {
  home: string
  userHooks: string | undefined
}

/**
 * What of a repository may run: nothing until the user has seen exactly these programs and trusts them. A repository
 * without programs of its own needs no decision.
 */
export function readGitTrust({ home, userHooks }: TrustPlace, repository: Repository): GitTrust {
  const { lines, hash } = repositoryPrograms(repository, userHooks)
  if (lines.length === 0) return { state: 'none', programs: [], hash }
  const accepted = readDecision(home, repository)
  return { state: accepted === hash ? 'trusted' : 'asked', programs: lines, hash }
}

/** `core.hooksPath` of the user's own settings: a folder of hooks that is in each repository. */
export async function readUserHooks(run: RunGit, neutralFolder: string): Promise<string | undefined> {
  const { stdout } = await run({
    args: ['config', '--path', '--get', 'core.hooksPath'],
    level: 'untrusted',
    folder: neutralFolder,
    // Commands that only read have a value of their own for it.
    write: true,
    env: { GIT_CONFIG_NOSYSTEM: '0' },
    okCodes: [0, 1],
  })
  return stdout.toString('utf8').trim() || undefined
}

/** Throws `git.untrusted` unless the user's decision covers what the repository would run now. */
export function requireGitTrust(place: TrustPlace, repository: Repository): void {
  const { state, programs } = readGitTrust(place, repository)
  if (state !== 'asked') return
  throw new CodedError(
    'git.untrusted',
    `${repository.top} has programs of its own: ${programs.slice(0, 5).join('; ')}.`,
  )
}

/** Trusts what was shown; `git.changed` when the repository has something else by now. */
export function writeGitTrust({ home, userHooks }: TrustPlace, repository: Repository, hash: string, at: number): void {
  const now = repositoryPrograms(repository, userHooks)
  if (now.hash !== hash)
    throw new CodedError('git.changed', 'The repository’s hooks or settings changed since they were shown.')
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  const decision: z.infer<typeof Decision> = { repository: repository.commonDir, hash, at }
  writePrivateFile(fileOf(home, repository), `${JSON.stringify(decision, undefined, 2)}\n`)
}

function readDecision(home: string, repository: Repository): string | undefined {
  try {
    const decision = Decision.parse(JSON.parse(readSmallFile(fileOf(home, repository), MAX_BYTES) ?? ''))
    return decision.repository === repository.commonDir ? decision.hash : undefined
  } catch {
    return undefined
  }
}

function folderOf(home: string): string {
  return join(home, 'git', 'trust')
}

function fileOf(home: string, { commonDir }: Repository): string {
  return join(folderOf(home), `${createHash('sha256').update(commonDir).digest('hex').slice(0, 32)}.json`)
}
