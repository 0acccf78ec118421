import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFile } from './small-file'

/** What a repository has checked out. */
export interface Head {
  /** Name of the branch; absent: detached, or not readable. */
  branch?: string
  /** Hash, when detached. */
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

/** Whether git would accept it, and it is shown as it is. */
function isBranchName(name: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}\s~^:?*[\\]|\.\.|@\{/u.test(name)
}
