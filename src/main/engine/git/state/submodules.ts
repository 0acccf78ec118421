import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { failureOf } from '../../../../shared/errors'
import { plural } from '../../../../shared/language/plural'
import { gitPathText, type GitSubmoduleChanges } from '../../../../shared/model/project/git'
import type { OpenRepository } from '../repository/open-repository'
import type { ReadableRepository } from '../repository/open-to-read'
import { diskPath, gitPath } from '../run/git-path'
import { parseStatus } from './status'

const MAX_BYTES = 256 * 1024 * 1024
/** Each needs a few processes, and the status is read often. */
const MAX_SUBMODULES = 20
const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignore-submodules=dirty']

/** Paths of submodules in the index, as latin1. */
export async function submodulePaths(repository: Pick<OpenRepository, 'read'>): Promise<string[]> {
  const { stdout } = await repository.read(['ls-files', '--stage', '--full-name', '-z'], { maxBytes: MAX_BYTES })
  if (!stdout.includes('160000 ')) return []
  const lines = stdout.toString('latin1').split('\0')
  return [...new Set(lines.flatMap((line) => /^160000 [0-9a-f]+ \d\t([^]*)$/.exec(line)?.[1] ?? []))]
}

/** Changes inside submodules; `unread`: how many others were not checked. */
export interface SubmoduleStatus {
  submodules: GitSubmoduleChanges[]
  unread: number
}

/**
 * Which submodules have files that differ from their commit. Git itself must not look for them, because it would use
 * the submodules' settings and filters. Each is opened as a separate repository, so its filters run only if the user
 * trusts it.
 */
export async function submoduleChanges(
  repository: Pick<ReadableRepository, 'top' | 'read'>,
  open: (folder: string) => Promise<ReadableRepository>,
): Promise<SubmoduleStatus> {
  const { top } = repository
  if (!existsSync(join(top, '.gitmodules'))) return { submodules: [], unread: 0 }
  const paths = (await submodulePaths(repository)).map(gitPath)
  const submodules: GitSubmoduleChanges[] = []
  for (const path of paths.slice(0, MAX_SUBMODULES)) {
    const folder = diskPath(top, path)
    // A link could lead anywhere, and a submodule without its own `.git` is not checked out.
    if (typeof folder !== 'string' || !existsSync(join(folder, '.git'))) continue
    if (realpathSync(folder) !== diskPath(realpathSync(top), path)) continue
    try {
      const opened = await open(folder)
      if (realpathSync(opened.top) !== realpathSync(folder)) continue
      const { staged, unstaged, conflicts, hidden } = parseStatus((await opened.read(STATUS)).stdout)
      const tracked = [...staged, ...unstaged.filter(({ kind }) => kind !== 'untracked'), ...conflicts]
      const changed = new Set(tracked.map((change) => change.path)).size + hidden
      const untracked = unstaged.filter(({ kind }) => kind === 'untracked').length
      if (changed + untracked > 0) submodules.push({ path, changed, untracked })
    } catch (error) {
      submodules.push({ path, changed: 0, untracked: 0, problem: failureOf(error).message })
    }
  }
  return { submodules, unread: Math.max(0, paths.length - MAX_SUBMODULES) }
}

/** A sentence about changes inside submodules; undefined without changes. */
export function submoduleNote({ submodules }: SubmoduleStatus): string | undefined {
  if (submodules.length === 0) return undefined
  const each = submodules.map(({ path, changed, untracked, problem }) =>
    problem === undefined
      ? `${gitPathText(path)} (${changed + untracked} ${plural(changed + untracked, 'file', 'files')})`
      : `${gitPathText(path)} (cannot be read)`,
  )
  return `Not shown: changes inside of submodules that are not committed there: ${each.join(', ')}.`
}
