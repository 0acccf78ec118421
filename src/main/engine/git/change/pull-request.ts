import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type { GitPullRequest } from '../../../../shared/model/project/git'
import { comparePage, hostOfRemote, type GitHostRepository } from '../../../../shared/model/project/git-hosts'
import { spawnedOrThrow } from '../../process/spawn'
import { currentBranch } from '../repository/current-branch'
import type { OpenRepository } from '../repository/open-repository'

const LIMIT_MS = 120_000
const MAX_COMMITS = 50

type Env = Readonly<Record<string, string | undefined>>

/** The pull request that the current branch would make, and how to create it. */
export async function pullRequestOf(repository: OpenRepository, env: Env): Promise<GitPullRequest> {
  const branch = await currentBranch(repository)
  if (branch === undefined)
    throw new CodedError('git.no_upstream', 'No branch is checked out. Create one for these commits first.')
  const { remote, host } = await remoteOf(repository, branch)
  const base = await baseOf(repository, remote)
  if (base === branch)
    throw new CodedError(
      'git.nothing',
      `${branch} is the branch that pull requests go into. Create another branch first.`,
    )
  const log = await repository.maybe([
    'log',
    '-z',
    '--reverse',
    `--max-count=${MAX_COMMITS}`,
    '--format=%s%x00%b',
    '--encoding=UTF-8',
    `refs/remotes/${remote}/${base}..HEAD`,
    '--',
  ])
  const fields = (log ?? '').split('\0')
  const commits: { subject: string; body: string }[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) commits.push({ subject: fields[at]!, body: fields[at + 1]!.trim() })
  const [first] = commits
  const unpushed = await repository.maybe(['rev-list', '--count', `refs/remotes/${remote}/${branch}..HEAD`, '--'])
  const tool = host?.kind === 'github' ? 'gh' : host?.kind === 'gitlab' ? 'glab' : undefined
  return {
    ...(tool && programOnPath(tool, env) !== undefined && { tool }),
    branch,
    base,
    title: commits.length === 1 && first ? first.subject : titleOf(branch),
    body: commits.length === 1 && first ? first.body : commits.map(({ subject }) => `- ${subject}`).join('\n'),
    ...(host && { url: comparePage(host, branch, base) }),
    needsPush: unpushed !== '0',
  }
}

export interface NewPullRequest {
  title: string
  body: string
  base: string
  draft: boolean
}

/** Creates a pull request with `gh` or `glab`, and returns its address. The branch must have been pushed. */
export async function createPullRequest(
  repository: OpenRepository,
  { title, body, base, draft }: NewPullRequest,
  env: Env,
  signal?: AbortSignal,
): Promise<string> {
  const { tool, branch } = await pullRequestOf(repository, env)
  const program = tool && programOnPath(tool, env)
  if (program === undefined)
    throw new CodedError('git.failed', 'Neither gh nor glab can be used for this remote: open its page instead.')
  const args =
    tool === 'gh'
      ? ['pr', 'create', '--head', branch, '--base', base, '--title', title, '--body-file', '-']
      : [
          'mr',
          'create',
          '--source-branch',
          branch,
          '--target-branch',
          base,
          '--title',
          title,
          '--description',
          body,
          '--yes',
        ]
  const printed = await run(program, [...args, ...(draft ? ['--draft'] : [])], {
    cwd: repository.top,
    env,
    input: tool === 'gh' ? body : '',
    ...(signal && { signal }),
  })
  const url = printed.match(/https?:\/\/\S+/g)?.at(-1)
  if (url === undefined) throw new CodedError('git.failed', printed.slice(-2_000) || `${tool} printed no address.`)
  return url
}

async function remoteOf(
  repository: OpenRepository,
  branch: string,
): Promise<{ remote: string; host: GitHostRepository | undefined }> {
  const remotes = (await repository.text(['remote'])).split('\n').filter((name) => name !== '')
  const own = await repository.maybe(['config', '--get', `branch.${branch}.remote`])
  const remote = own !== undefined && remotes.includes(own) ? own : remotes.includes('origin') ? 'origin' : remotes[0]
  if (remote === undefined) throw new CodedError('git.no_upstream', 'The repository has no remote.')
  const address = (await repository.maybe(['remote', 'get-url', '--', remote])) ?? ''
  return { remote, host: hostOfRemote(address) }
}

/** The remote's default branch. */
async function baseOf(repository: OpenRepository, remote: string): Promise<string> {
  const named = await repository.maybe(['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`])
  if (named?.startsWith(`${remote}/`)) return named.slice(remote.length + 1)
  for (const name of ['main', 'master', 'develop', 'trunk'])
    if ((await repository.maybe(['rev-parse', '--verify', '--quiet', `refs/remotes/${remote}/${name}`])) !== undefined)
      return name
  return 'main'
}

function titleOf(branch: string): string {
  const words = branch.split('/').at(-1)!.replaceAll(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Finds a program in the absolute folders of PATH. */
export function programOnPath(name: string, env: Env): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name]
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(isAbsolute))
    for (const file of names) {
      try {
        accessSync(join(folder, file), constants.X_OK)
        // Folders have the same permission, for entering them.
        if (statSync(join(folder, file)).isFile()) return join(folder, file)
      } catch {
        // Not in this folder, or not executable.
      }
    }
  return undefined
}

interface ProgramRun {
  cwd: string
  env: Env
  input: string
  signal?: AbortSignal
}

function run(program: string, args: readonly string[], { cwd, env, input, signal }: ProgramRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawnedOrThrow(
      spawn(program, [...args], {
        cwd,
        env: { ...env, GH_PROMPT_DISABLED: '1', GLAB_CHECK_UPDATE: 'false', NO_COLOR: '1' },
        stdio: 'pipe',
        windowsHide: true,
        timeout: LIMIT_MS,
        ...(signal && { signal }),
      }),
    )
    let printed = ''
    const take = (chunk: Buffer): void => void (printed = (printed + chunk.toString('utf8')).slice(-8_000))
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', (error) =>
      reject(
        signal?.aborted
          ? new CodedError('request.cancelled', 'Creating the pull request was cancelled.')
          : new CodedError('git.failed', `${program} could not be started: ${error.message}`, { cause: error }),
      ),
    )
    child.once('close', (code) =>
      code === 0
        ? resolve(printed.trim())
        : reject(new CodedError('git.failed', printed.trim() || `${program} failed.`)),
    )
  })
}
