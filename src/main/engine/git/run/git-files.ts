import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainText } from '../../workspace/path/plain-file'
import type { GitOperation } from '../../../../shared/model/project/git'
import type { Repository } from './find-repository'

/** The text of a plain file of at most `maxBytes`; undefined for anything else, such as a pipe, which would block. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  return readPlainText(path, maxBytes)
}

/** The operation in progress, from git's own files about it. */
export function operationOf({ gitDir }: Repository): GitOperation | undefined {
  const has = (name: string): boolean => existsSync(join(gitDir, name))
  const read = (name: string): string | undefined => readSmallFile(join(gitDir, name), 4_096)?.trim()
  if (has('rebase-merge') || has('rebase-apply')) {
    if (has('rebase-apply/applying')) return { kind: 'am' }
    const folder = has('rebase-merge') ? 'rebase-merge' : 'rebase-apply'
    const branch = read(`${folder}/head-name`)?.replace(/^refs\/heads\//, '')
    const step = Number(read(`${folder}/${folder === 'rebase-merge' ? 'msgnum' : 'next'}`))
    const steps = Number(read(`${folder}/${folder === 'rebase-merge' ? 'end' : 'last'}`))
    return {
      kind: 'rebase',
      ...(step > 0 && steps > 0 && { step, steps }),
      ...(branch !== undefined && branch !== 'detached HEAD' && { branch }),
    }
  }
  if (has('MERGE_HEAD')) return { kind: 'merge' }
  if (has('CHERRY_PICK_HEAD')) return { kind: 'cherry-pick' }
  if (has('REVERT_HEAD')) return { kind: 'revert' }
  if (has('BISECT_LOG')) return { kind: 'bisect' }
  return undefined
}

/** What a repository has checked out. */
interface Head {
  /** Branch name; absent if detached or unreadable. */
  branch?: string
  /** Hash, if detached. */
  commit?: string
}

const MAX_HEAD_BYTES = 4_096

/** Reads HEAD without git, so that it is safe for a repository that is not trusted. */
export function readHead(gitDir: string): Head {
  const file = join(gitDir, 'HEAD')
  const text = (linkOf(file) ?? readSmallFile(file, MAX_HEAD_BYTES) ?? '').trim()
  const branch = /^(?:ref: ?)?refs\/heads\/(.+)$/.exec(text)?.[1]
  if (branch !== undefined) return isBranchName(branch) ? { branch } : {}
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? { commit: text } : {}
}

/** In old repositories HEAD is a symbolic link. */
function linkOf(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined
  } catch {
    return undefined
  }
}

/** Whether git would accept the name and it can be displayed unchanged. */
function isBranchName(name: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}\s~^:?*[\\]|\.\.|@\{/u.test(name)
}
