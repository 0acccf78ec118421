import { isWithin, pathsOf } from '../paths'
import type { Policy } from '../policy'

/**
 * Trestle's own folder holds keys, sessions and the very settings that decide what is asked: no tool reads or changes it, in any mode. What
 * this session's calls have left there for the model can be read.
 */
export const trestleHome: Policy = ({ call, part, workspace, home, ownOutput }) => {
  // A project may lie in there, as the scratch folders do.
  const projects = [workspace.root, ...workspace.addedFolders].filter((root) => root !== home && isWithin(root, home))
  const reached = pathsOf({ call, ...(part && { part }) }).find(
    ({ path, write }) =>
      isWithin(path, home) &&
      !projects.some((root) => isWithin(path, root)) &&
      (write || !ownOutput.some((folder) => isWithin(path, folder))),
  )
  return reached && { decision: 'deny', reason: `${reached.path} belongs to Trestle itself.` }
}
