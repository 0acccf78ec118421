import type { ConfigProblem } from '../../../../shared/model/settings'
import type { TrustView } from '../../../../shared/model/trust'
import { hashOf, projectFiles, type ProjectFile } from './project-files'
import { readEntry, type TrustEntry } from './trust-entry'

/** Whether a project's own configuration counts now. */
export interface Standing {
  state: TrustView['state']
  files: ProjectFile[]
  hash: string
  accepted?: NonNullable<TrustEntry['accepted']>
  /** Why what was decided cannot be read. */
  problem?: ConfigProblem
}

/** Looks at the project and at what the user decided about it. `folder` is a real path. Reads nothing more when the project has no files. */
export function standingOf(home: string, folder: string): Standing {
  const files = projectFiles(folder, home)
  const hash = hashOf(folder, files)
  if (files.length === 0) return { state: 'nothing', files, hash }
  const found = readEntry(home, folder)
  if ('problem' in found) return { state: 'asked', files, hash, problem: found.problem }
  const { accepted, refused } = found.entry
  const state = accepted?.hash === hash ? 'trusted' : refused === hash ? 'refused' : accepted ? 'changed' : 'asked'
  return { state, files, hash, ...(accepted && { accepted }) }
}
