import { pathsOf, treesOf } from '../paths'
import type { Policy } from '../policy'

/**
 * Trestle's own folder holds keys, sessions and the very settings that decide what is asked: no tool reads or changes it, in any mode. What
 * this session's calls have left there for the model can be read. A command that goes through a folder above it would reach it as well, and asks; tools
 * that do so leave it out by themselves.
 */
export const trestleHome: Policy = ({ call, part, workspace, home, ownOutput }) => {
  const { isWithin, isSame, comparable } = workspace.paths
  // A project may lie in there, as the scratch folders do.
  const projects = [workspace.root, ...workspace.addedFolders].filter((root) => !isSame(root, home) && isWithin(root, home))
  const reached = pathsOf({ call, ...(part && { part }) }).find(
    ({ path, write }) =>
      isWithin(path, home) &&
      !projects.some((root) => isWithin(path, root)) &&
      (write || !ownOutput.some((folder) => isWithin(path, folder))),
  )
  if (reached) return { decision: 'deny', reason: `${reached.path} belongs to Trestle itself.` }
  const above =
    part &&
    treesOf(part).find(
      (path) =>
        !isSame(path.realPath, home) && isWithin(home, path.realPath) && !leavesOut(path, comparable(home), comparable(path.realPath)),
    )
  if (!above) return undefined
  const what = above.write ? 'changes' : 'reads'
  return {
    decision: 'ask',
    reason: `It ${what} everything in ${above.realPath}, and Trestle's own folder with your keys is in there.`,
    everyTime: true,
  }
}

/** Whether a program that leaves out hidden folders does not come to this one. */
function leavesOut({ tree }: ReturnType<typeof treesOf>[number], home: string, folder: string): boolean {
  return tree.skipsHidden === true && home.slice(folder.length).includes('/.')
}
