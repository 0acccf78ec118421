import { sep } from 'node:path'
import type { Policy } from '../policy'

/** Reaching outside the project and the folders the user added asks, reading included, in every mode but auto. */
export const outsideWorkspace: Policy = ({ call, mode, workspace }) => {
  if (mode === 'auto') return undefined
  const roots = [workspace.root, ...workspace.addedFolders]
  const outside = call.accesses
    .map((access) => (access.kind === 'file' || access.kind === 'tree' ? access.path : access.kind === 'command' ? access.cwd : undefined))
    .find((path) => path !== undefined && !roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)))
  return outside === undefined
    ? undefined
    : { decision: 'ask', reason: `${outside} lies outside the project folder and the folders you added.` }
}
