import { differenceOf, similarPath, spelledOut } from '../workspace/similar-path'
import type { ResolvedPath, Workspace } from '../workspace/workspace'

/**
 * What to tell the model of a path that does not exist: the one on the disk whose name looks the same, as the model can repeat it (screenshots of macOS have a narrow
 * space, and accents two Unicode forms), or else `advice`.
 */
export async function missingPath(workspace: Workspace, path: ResolvedPath, advice: string): Promise<string> {
  const shown = workspace.display(path.path)
  const similar = await similarPath(path.path)
  if (similar === undefined || similar === path.path) return `${workspace.display(path.realPath)} does not exist. ${advice}`
  const there = workspace.display(similar)
  const difference = differenceOf(shown, there)
  if (/^[\x20-\x7e]*$/.test(there)) return `${shown} does not exist. There is ${JSON.stringify(there)}: ${difference}.`
  return `${shown} does not exist under this spelling. A name on the disk looks the same, but ${difference}. Call again with this path, with its \\u escapes as they are in JSON: ${spelledOut(there)}`
}
