import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type { GitChange, GitChangeKind, GitConflict, GitStatus } from '../../../../shared/model/project/git'
import { gitPath } from '../run/git-path'
import { currentBranch, headCommit } from '../repository/current-branch'
import type { OpenRepository } from '../repository/open-repository'
import { readSmallFile, operationOf } from '../run/git-files'

/** Maximum number of files listed in each group. */
const MAX_LISTED = 2_000
/** If git prints more than this about new files, their folders are listed instead. */
const MAX_BYTES = 8 * 1024 * 1024

const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--show-stash',
  '--ignore-submodules=dirty',
  '--find-renames',
]

/** Branch, changes, conflicts and special features of a repository. */
export async function readStatus(repository: OpenRepository): Promise<GitStatus> {
  const { top, gitDir, commonDir, bare } = repository
  const [remotes, { status, foldersOnly }] = await Promise.all([
    repository.text(['remote']).then((text) => text.split('\n').filter((name) => name !== '')),
    bare ? bareStatus(repository).then((found) => ({ status: found, foldersOnly: false })) : statusOf(repository),
  ])
  const operation = operationOf(repository)
  const attributes = readSmallFile(join(top, '.gitattributes'), 256 * 1024) ?? ''
  const isSparse = existsSync(join(gitDir, 'info', 'sparse-checkout'))
  return {
    ...status,
    top,
    ...(operation && { operation }),
    ...(foldersOnly && { foldersOnly: true as const }),
    ...(isSparse &&
      (await repository.maybe(['config', '--bool', 'core.sparseCheckout'])) === 'true' && { sparse: true as const }),
    ...(existsSync(join(commonDir, 'shallow')) && { shallow: true as const }),
    ...(!bare && existsSync(join(top, '.gitmodules')) && { hasSubmodules: true as const }),
    ...(/\bfilter=lfs\b/.test(attributes) && { lfs: true as const }),
    remotes,
  }
}

async function statusOf(repository: OpenRepository): Promise<{ status: StatusPart; foldersOnly: boolean }> {
  try {
    const { stdout } = await repository.read([...STATUS, '--untracked-files=all'], { maxBytes: MAX_BYTES })
    return { status: parseStatus(stdout), foldersOnly: false }
  } catch (error) {
    if (!(error instanceof CodedError) || (error.code !== 'git.too_large' && error.code !== 'git.timeout')) throw error
  }
  const { stdout } = await repository.read([...STATUS, '--untracked-files=normal'])
  return { status: parseStatus(stdout), foldersOnly: true }
}

async function bareStatus(repository: OpenRepository): Promise<StatusPart> {
  const branch = await currentBranch(repository)
  const commit = await headCommit(repository)
  return {
    bare: true,
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
    stashes: 0,
    staged: [],
    unstaged: [],
    conflicts: [],
    hidden: 0,
  }
}

type StatusPart = Omit<GitStatus, 'top' | 'remotes'>

const KINDS: Readonly<Record<string, GitChangeKind>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type',
}

const CONFLICTS: Readonly<Record<string, { what: string; ours: boolean; theirs: boolean }>> = {
  DD: { what: 'deleted by both', ours: false, theirs: false },
  AU: { what: 'added by us', ours: true, theirs: false },
  UD: { what: 'deleted by them', ours: true, theirs: false },
  UA: { what: 'added by them', ours: false, theirs: true },
  DU: { what: 'deleted by us', ours: false, theirs: true },
  AA: { what: 'added by both', ours: true, theirs: true },
  UU: { what: 'changed by both', ours: true, theirs: true },
}

/** Reads `git status --porcelain=v2 -z --branch --show-stash`. */
export function parseStatus(output: Buffer): StatusPart {
  const status: StatusPart = { stashes: 0, staged: [], unstaged: [], conflicts: [], hidden: 0 }
  const records = output.toString('latin1').split('\0')
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at]!
    switch (record.slice(0, 1)) {
      case '#':
        readHeader(status, Buffer.from(record, 'latin1').toString('utf8'))
        break
      case '1':
      case '2': {
        const isRename = record[0] === '2'
        const fields = record.split(' ')
        const path = gitPath(fields.slice(isRename ? 9 : 8).join(' '))
        if (isRename) at += 1
        const from = isRename ? gitPath(records[at] ?? '') : undefined
        const [, xy = '..', sub = '', headMode, indexMode, , headHash, indexHash] = fields
        const submodule = sub.startsWith('S') && { submodule: true as const }
        const [x = '.', y = '.'] = xy
        if (x !== '.')
          add(status, status.staged, {
            path,
            kind: KINDS[x] ?? 'modified',
            ...((x === 'R' || x === 'C') && from !== undefined && { from }),
            ...(x === 'M' && headHash === indexHash && headMode !== indexMode && { modeOnly: true as const }),
            ...submodule,
          })
        if (y !== '.')
          add(status, status.unstaged, {
            path,
            kind: KINDS[y] ?? 'modified',
            ...((y === 'R' || y === 'C') && from !== undefined && { from }),
            ...submodule,
          })
        break
      }
      case 'u': {
        const fields = record.split(' ')
        const known = CONFLICTS[fields[1] ?? ''] ?? { what: 'in conflict', ours: true, theirs: true }
        const conflict: GitConflict = { path: gitPath(fields.slice(10).join(' ')), ...known }
        status.conflicts.push(conflict)
        break
      }
      case '?':
        add(status, status.unstaged, { path: gitPath(record.slice(2)), kind: 'untracked' })
    }
  }
  return status
}

function add(status: StatusPart, list: GitChange[], change: GitChange): void {
  if (list.length < MAX_LISTED) list.push(change)
  else status.hidden += 1
}

function readHeader(status: StatusPart, line: string): void {
  const [, name = '', ...rest] = line.split(' ')
  const value = rest.join(' ')
  if (name === 'branch.oid' && value !== '(initial)') status.commit = value
  else if (name === 'branch.head' && value !== '(detached)') status.branch = value
  else if (name === 'branch.upstream') status.upstream = value
  else if (name === 'stash') status.stashes = Number(value)
  else if (name === 'branch.ab') {
    const [ahead, behind] = value.split(' ').map((part) => Math.abs(Number(part)))
    status.ahead = ahead ?? 0
    status.behind = behind ?? 0
  }
}
