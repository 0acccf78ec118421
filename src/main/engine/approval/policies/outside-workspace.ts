import { isWithin, pathsOf } from '../paths'
import type { Policy } from '../policy'

/** Reaching outside the project and the folders the user added asks, reading included, in every mode but auto. */
export const outsideWorkspace: Policy = ({ call, part, mode, workspace, ownOutput }) => {
  if (mode === 'auto') return undefined
  const roots = [workspace.root, ...workspace.addedFolders]
  const outside = pathsOf({ call, ...(part && { part }) }).find(
    ({ path, write }) => !roots.some((root) => isWithin(path, root)) && (write || !ownOutput.some((folder) => isWithin(path, folder))),
  )
  return outside && { decision: 'ask', reason: `${outside.path} lies outside the project folder and the folders you added.` }
}
