import { dirname } from 'node:path'
import type { Workspace } from '../workspace/workspace'
import type { Remember } from './tool'

/**
 * Permission to edit (or read) files in a folder for the session. It covers what lies below the folder: a call is covered by the keys of its
 * own folder and of all folders above it, and who may edit somewhere may read there.
 */
export function rememberFolder(workspace: Workspace, verb: 'edit' | 'read', folder: string): Remember {
  const folders = [folder]
  for (let above = dirname(folder); above !== folders.at(-1); above = dirname(above)) folders.push(above)
  const verbs = verb === 'read' ? ['read', 'edit'] : ['edit']
  const [key, ...coveredBy] = verbs.flatMap((word) => folders.map((path) => `${word}:${path}`))
  const shown = workspace.display(folder)
  const what = verb === 'edit' ? 'edits' : 'reading'
  return {
    key: key ?? `${verb}:${folder}`,
    label: `Allow ${what} in ${shown === '.' ? 'the whole project' : shown} for this session`,
    coveredBy,
  }
}
