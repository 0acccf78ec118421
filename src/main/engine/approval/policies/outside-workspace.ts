import { pathsOf } from '../paths'
import type { Policy } from '../policy'

/**
 * Reaching outside the project and the folders the user added asks, reading included. In Auto it asks only where commands are sandboxed: then file tools have the same
 * limits, and of commands the sandbox says what is outside.
 */
export const outsideWorkspace: Policy = ({ call, part, mode, workspace, ownOutput, sandboxes }) => {
  if (mode === 'auto' && (part || !sandboxes || sandboxes.unavailable !== undefined)) return undefined
  const { isWithin } = workspace.paths
  const roots = [workspace.root, ...workspace.addedFolders]
  const outside = pathsOf({ call, ...(part && { part }) }).find(
    ({ path, write }) =>
      !roots.some((root) => isWithin(path, root)) &&
      (write || !ownOutput.some((folder) => isWithin(path, folder))) &&
      !(mode === 'auto' && !write && sandboxes?.isReadable(path)),
  )
  return outside && { decision: 'ask', reason: `${outside.path} lies outside the project folder and the folders you added.` }
}
