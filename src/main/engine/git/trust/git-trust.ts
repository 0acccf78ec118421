import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'
import type { GitTrust, GitTrusted } from '../../../../shared/model/project/git'
import { writePrivateFile } from '../../config/write-private-file'
import type { RunGit } from '../run/run-git'
import type { Repository } from '../run/find-repository'
import { repositoryPrograms, type GitUser } from './repository-programs'
import { readSmallFile } from '../run/git-files'

const Decision = z.object({ repository: z.string(), hash: z.string(), at: z.number() })
const MAX_BYTES = 16 * 1024

/** Where decisions are stored, and which of the user's settings apply to repositories. */
export interface TrustPlace {
  home: string
  user: GitUser
}

/**
 * The state of trust in a repository: nothing runs until the user has seen exactly these programs and trusts them. A
 * repository without its own programs needs no decision.
 */
export function readGitTrust({ home, user }: TrustPlace, repository: Repository): GitTrust {
  const { lines, hash, problem } = repositoryPrograms(repository, user)
  if (lines.length === 0) return { state: 'none', programs: [], hash }
  const accepted = readDecision(home, repository)
  return { state: accepted === hash && problem === undefined ? 'trusted' : 'asked', programs: lines, hash }
}

/** The user's settings that apply to repositories. `env`: git's environment. */
export async function readGitUser(run: RunGit, env: Readonly<Record<string, string | undefined>>): Promise<GitUser> {
  const { stdout } = await run({
    args: ['config', '--path', '--get', 'core.hooksPath'],
    level: 'untrusted',
    // Reading commands override this setting.
    write: true,
    env: { GIT_CONFIG_NOSYSTEM: '0' },
    okCodes: [0, 1],
  })
  const hooks = stdout.toString('utf8').replace(/[\r\n]+$/, '')
  return { home: env['HOME'] ?? homedir(), ...(hooks !== '' && { hooks }) }
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

/** Trusts what was shown; throws `git.changed` if the repository has changed since. */
export function writeGitTrust({ home, user }: TrustPlace, repository: Repository, hash: string, at: number): void {
  const now = repositoryPrograms(repository, user)
  if (now.problem !== undefined)
    throw new CodedError('git.untrusted', `${repository.top} cannot be trusted as it is. ${now.problem}`)
  if (now.hash !== hash)
    throw new CodedError('git.changed', 'The repository’s hooks or settings changed since they were shown.')
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  const decision: z.infer<typeof Decision> = { repository: repository.commonDir, hash, at }
  writePrivateFile(fileOf(home, repository), `${JSON.stringify(decision, undefined, 2)}\n`)
}

/** All trusted repositories, latest first. */
export function trustedRepositories(home: string): GitTrusted[] {
  return decisionFiles(home)
    .flatMap((name) => decisionIn(join(folderOf(home), name)) ?? [])
    .map(({ repository, at }) => ({ repository, acceptedAt: at }))
    .toSorted((a, b) => b.acceptedAt - a.acceptedAt)
}

/** Revokes trust in a repository. The user is asked again before any of its programs run. */
export function forgetGitTrust(home: string, commonDir: string): void {
  rmSync(fileOf(home, { commonDir }), { force: true })
}

function decisionFiles(home: string): string[] {
  try {
    return readdirSync(folderOf(home)).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function readDecision(home: string, { commonDir }: Repository): string | undefined {
  const decision = decisionIn(fileOf(home, { commonDir }))
  return decision?.repository === commonDir ? decision.hash : undefined
}

/** Undefined if missing or damaged. */
function decisionIn(file: string): z.infer<typeof Decision> | undefined {
  try {
    return Decision.parse(JSON.parse(readSmallFile(file, MAX_BYTES) ?? ''))
  } catch {
    return undefined
  }
}

function folderOf(home: string): string {
  return join(home, 'git', 'trust')
}

function fileOf(home: string, { commonDir }: Pick<Repository, 'commonDir'>): string {
  return join(folderOf(home), `${createHash('sha256').update(commonDir).digest('hex').slice(0, 32)}.json`)
}
