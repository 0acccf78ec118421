import { headCommit } from '../repository/current-branch'
import { CodedError } from '../../../../shared/errors'
import type {
  GitChange,
  GitCommit,
  GitCommitDetails,
  GitFileDiff,
  GitLogPage,
  GitPath,
  GitRef,
} from '../../../../shared/model/project/git'
import { gitPath, pathArgument } from '../run/git-path'
import type { OpenRepository } from '../repository/open-repository'
import { DIFF, shownDiff } from './file-diff'
import { parseDiff } from './parse-diff'

const FIELDS = ['%H', '%P', '%an', '%ae', '%at', '%D', '%s']
const MAX_FILES = 2_000

export interface LogRequest {
  /** All branches and tags; otherwise only HEAD. */
  all: boolean
  /** Only commits that changed this file. */
  path?: GitPath
  /** Text to find in messages. */
  query?: string
  skip: number
  limit: number
}

/** A page of the history, newest first. */
export async function readLog(
  repository: OpenRepository,
  { all, path, query, skip, limit }: LogRequest,
): Promise<GitLogPage> {
  const argument = path === undefined ? undefined : pathArgument(path)
  const head = await headCommit(repository)
  if (head === undefined && !all) return { commits: [], more: false }
  const { stdout } = await repository.read([
    'log',
    '-z',
    `--format=${FIELDS.join('%x00')}`,
    '--encoding=UTF-8',
    '--decorate=full',
    `--skip=${skip}`,
    `--max-count=${limit + 1}`,
    ...(query ? ['--regexp-ignore-case', '--fixed-strings', `--grep=${query}`] : []),
    ...(all ? ['--branches', '--remotes', '--tags', ...(head === undefined ? [] : ['HEAD'])] : []),
    ...(argument === undefined ? ['--'] : ['--full-history', '--simplify-merges', '--', argument]),
  ])
  const fields = stdout.toString('utf8').split('\0')
  const commits: GitCommit[] = []
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length)
    commits.push(commitOf(fields.slice(at, at + FIELDS.length)))
  return { commits: commits.slice(0, limit), more: commits.length > limit }
}

function commitOf([
  hash = '',
  parents = '',
  author = '',
  email = '',
  at = '',
  refs = '',
  subject = '',
]: string[]): GitCommit {
  return {
    hash,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author,
    email,
    at: Number(at) * 1_000,
    subject,
    refs: refs.split(', ').flatMap(refOf),
  }
}

function refOf(text: string): GitRef[] {
  if (text === '') return []
  if (text === 'HEAD') return [{ name: 'HEAD', kind: 'head' }]
  if (text.startsWith('HEAD -> ')) return [{ name: 'HEAD', kind: 'head' }, ...refOf(text.slice(8))]
  if (text.startsWith('tag: ')) return [{ name: text.slice(5).replace(/^refs\/tags\//, ''), kind: 'tag' }]
  if (text.startsWith('refs/heads/')) return [{ name: text.slice(11), kind: 'branch' }]
  if (text.startsWith('refs/remotes/')) return text.endsWith('/HEAD') ? [] : [{ name: text.slice(13), kind: 'remote' }]
  if (text === 'refs/stash') return [{ name: 'stash', kind: 'stash' }]
  return []
}

function requireHash(hash: string): void {
  if (!/^[0-9a-f]{4,64}$/.test(hash))
    throw new CodedError('request.invalid', `${JSON.stringify(hash)} is not a commit hash.`)
}

/** A commit with its full message and its files, compared with its first parent. */
export async function commitDetails(repository: OpenRepository, hash: string): Promise<GitCommitDetails> {
  requireHash(hash)
  const format = [...FIELDS, '%cn', '%ct', '%B'].join('%x00')
  const text = await repository.text([
    'log',
    '-1',
    `--format=${format}`,
    '--encoding=UTF-8',
    '--decorate=full',
    '--end-of-options',
    hash,
  ])
  const fields = text.split('\0')
  const commit = commitOf(fields)
  const range =
    commit.parents[0] === undefined ? ['--root', '--no-commit-id', commit.hash] : [commit.parents[0], commit.hash]
  const tree = ['diff-tree', '-r', '-z', '--find-renames', '--ignore-submodules=dirty']
  const [raw, counts] = await Promise.all([
    repository.read([...tree, '--raw', ...range]),
    repository.read([...tree, '--numstat', ...range]),
  ])
  const lines = countsOf(counts.stdout)
  const files = changesOf(raw.stdout)
  return {
    ...commit,
    committer: fields[7] ?? '',
    committedAt: Number(fields[8]) * 1_000,
    message: fields.slice(9).join('\0').trimEnd(),
    files: files.slice(0, MAX_FILES).map((file) => ({ ...file, ...lines.get(file.path) })),
    hidden: Math.max(0, files.length - MAX_FILES),
  }
}

const KINDS: Readonly<Record<string, GitChange['kind']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type',
}

function changesOf(output: Buffer): GitChange[] {
  const records = output.toString('latin1').split('\0')
  const changes: GitChange[] = []
  for (let at = 0; at < records.length - 1; at += 1) {
    const [oldMode = '', mode, oldHash, hash, letter = ''] = records[at]!.slice(1).split(' ')
    const kind = KINDS[letter[0] ?? ''] ?? 'modified'
    const first = gitPath(records[(at += 1)] ?? '')
    const isPair = kind === 'renamed' || kind === 'copied'
    const path = isPair ? gitPath(records[(at += 1)] ?? '') : first
    changes.push({
      path,
      kind,
      ...(isPair && { from: first }),
      ...(kind === 'modified' && oldHash === hash && oldMode !== mode && { modeOnly: true as const }),
      ...((mode === '160000' || oldMode === '160000') && { submodule: true as const }),
    })
  }
  return changes
}

function countsOf(output: Buffer): Map<GitPath, { added: number; removed: number }> {
  const records = output.toString('latin1').split('\0')
  const counts = new Map<GitPath, { added: number; removed: number }>()
  for (let at = 0; at < records.length - 1; at += 1) {
    const [added = '', removed = '', ...rest] = records[at]!.split('\t')
    let path = rest.join('\t')
    // A renamed file has its two names in separate records.
    if (path === '') {
      path = records[at + 2] ?? ''
      at += 2
    }
    if (added !== '-') counts.set(gitPath(path), { added: Number(added), removed: Number(removed) })
  }
  return counts
}

/** The diff of one file of a commit, compared with its first parent. */
export async function commitFileDiff(
  repository: OpenRepository,
  { hash, path, from }: { hash: string; path: GitPath; from?: GitPath },
): Promise<GitFileDiff> {
  requireHash(hash)
  const [commit = '', parent] = (
    await repository.text(['rev-list', '--parents', '--max-count=1', '--end-of-options', hash])
  ).split(' ')
  const names = [path, ...(from === undefined ? [] : [from])].map(pathArgument)
  const args = parent === undefined ? ['--root', '--no-commit-id', commit] : [parent, commit]
  const { stdout } = await repository.read(['diff-tree', '-r', ...DIFF.slice(1), ...args, '--', ...names], {
    maxBytes: 4 * 1024 * 1024,
  })
  const diff = shownDiff(path, parseDiff(stdout).find((file) => file.newName !== undefined) ?? parseDiff(stdout)[0])
  return { ...diff, byHunk: false }
}
