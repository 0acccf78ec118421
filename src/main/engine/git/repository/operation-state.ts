import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitOperation } from '../../../../shared/model/git'
import type { Repository } from './find-repository'
import { readSmallFile } from './small-file'

/** What git has started and not finished, from the files it keeps about it. */
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
