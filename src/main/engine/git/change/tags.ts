import { CodedError } from '../../../../shared/errors'
import type { GitTag } from '../../../../shared/model/project/git'
import type { OpenRepository } from '../repository/open-repository'
import { commitOf } from './branches'
import { targetRemote, type RemoteRun } from './remotes'

const MAX_TAGS = 5_000
const FIELDS = [
  'refname:lstrip=2',
  'objectname',
  '*objectname',
  'objecttype',
  'creatordate:unix',
  'contents:subject',
  '*contents:subject',
]

/** Tags, newest first. */
export async function listTags(repository: OpenRepository): Promise<GitTag[]> {
  const format = FIELDS.map((field) => `%(${field})`).join('%00')
  const text = await repository.text([
    'for-each-ref',
    `--format=${format}`,
    '--sort=-creatordate',
    `--count=${MAX_TAGS}`,
    'refs/tags',
  ])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): GitTag => {
      const [name = '', object = '', peeled = '', kind, at, message = '', subject = ''] = line.split('\0')
      const isAnnotated = kind === 'tag'
      return {
        name,
        object,
        commit: isAnnotated ? peeled : object,
        at: Number(at) * 1_000,
        subject: isAnnotated ? subject : message,
        ...(isAnnotated && { message }),
      }
    })
}

export interface NewTag {
  name: string
  /** A commit or branch. Default: what is checked out. */
  at?: string
  /** Makes an annotated tag. */
  message?: string
}

/** Creates a tag; never replaces another. */
export async function createTag(repository: OpenRepository, { name, at = 'HEAD', message }: NewTag): Promise<void> {
  await requireTagName(repository, name)
  const commit = await commitOf(repository, at)
  const annotated = message === undefined || message.trim() === '' ? [] : ['--annotate', `--message=${message}`]
  await repository.write(['tag', ...annotated, '--', name, commit])
}

/** Deletes a tag locally, not at a remote. Returns what `restoreTag` needs. */
export async function deleteTag(repository: OpenRepository, name: string): Promise<{ name: string; object: string }> {
  await requireTagName(repository, name)
  const object = await repository.maybe(['rev-parse', '--verify', '--quiet', `refs/tags/${name}`])
  if (object === undefined || object === '') throw new CodedError('git.not_found', `There is no tag ${name}.`)
  await repository.write(['update-ref', '-d', `refs/tags/${name}`, object])
  return { name, object }
}

/** Restores a deleted tag with its message; never replaces another. */
export async function restoreTag(
  repository: OpenRepository,
  { name, object }: { name: string; object: string },
): Promise<void> {
  await requireTagName(repository, name)
  if ((await repository.maybe(['rev-parse', '--verify', '--quiet', `refs/tags/${name}`])) !== undefined)
    throw new CodedError('git.exists', `There is a tag ${name} already.`)
  await repository.write(['update-ref', `refs/tags/${name}`, object, '0'.repeat(object.length)])
}

/** Pushes one tag to the remote of the branch, or the only one. An existing tag there is not replaced. */
export async function pushTag(repository: OpenRepository, name: string, run: RemoteRun): Promise<void> {
  await requireTagName(repository, name)
  const remote = await targetRemote(repository)
  await repository.write(['push', '--progress', '--', remote, `refs/tags/${name}:refs/tags/${name}`], run)
}

async function requireTagName(repository: OpenRepository, name: string): Promise<void> {
  const valid = await repository.maybe(['check-ref-format', `refs/tags/${name}`])
  if (valid === undefined || name.startsWith('-'))
    throw new CodedError('git.bad_name', `${JSON.stringify(name)} is no name for a tag.`)
}
