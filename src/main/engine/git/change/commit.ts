import { CodedError } from '../../../../shared/errors'
import type { GitCommitted } from '../../../../shared/model/git'
import type { OpenRepository } from '../repository/open-repository'

const MAX_OUTPUT = 8_000

export interface CommitRequest {
  message: string
  /** Replaces the last commit, which stays in the reflog. */
  amend: boolean
}

/** Commits what is staged. The user's hooks run and commits are signed as configured. */
export async function commit(
  repository: OpenRepository,
  { message, amend }: CommitRequest,
  signal?: AbortSignal,
): Promise<GitCommitted> {
  if (message.trim() === '') throw new CodedError('request.invalid', 'The commit needs a message.')
  const { stdout, stderr, hooks } = await repository.write(
    ['commit', '--quiet', '--cleanup=whitespace', '--file=-', ...(amend ? ['--amend'] : [])],
    { input: message, ...(signal && { signal }) },
  )
  const [hash = '', subject = ''] = (
    await repository.text(['log', '-1', '--format=%H%x00%s', '--encoding=UTF-8'])
  ).split('\0')
  const printed = hooks.length === 0 ? '' : `${stderr}\n${stdout.toString('utf8')}`.trim().slice(-MAX_OUTPUT)
  return { hash, subject, output: printed, hooks: hooks.map(({ name }) => name) }
}

/** The whole message of the last commit, to be amended. */
export async function lastMessage(repository: OpenRepository): Promise<string> {
  return (await repository.maybe(['log', '-1', '--format=%B', '--encoding=UTF-8']))?.trimEnd() ?? ''
}
