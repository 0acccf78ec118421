import { readlink } from 'node:fs/promises'
import { differenceOf, similarPath, spelledOut } from '../workspace/similar-path'
import type { ResolvedPath, Workspace } from '../workspace/workspace'

/**
 * What to tell the model of a path that does not exist: the one on the disk whose name looks the same, as the model can repeat it (screenshots of macOS have a narrow
 * space, and accents two Unicode forms), or else `advice`.
 */
export async function missingPath(workspace: Workspace, path: ResolvedPath, advice: string): Promise<string> {
  const shown = workspace.display(path.path)
  if (/^file:\/+/.test(shown)) return `${shown} does not exist. A path is not a URL: leave out file:// and call again.`
  if (shown.includes('\ufffd'))
    return `${shown} does not exist. A name that is not valid UTF-8 cannot be given to this tool: use the file with Bash, or rename it there.`
  const target = await readlink(path.path).catch(() => undefined)
  if (target !== undefined) return `${shown} is a symbolic link to ${JSON.stringify(target)}, which does not exist. ${advice}`
  const similar = await similarPath(path.path)
  if (similar === undefined || similar === path.path) return `${workspace.display(path.realPath)} does not exist. ${advice}`
  const there = workspace.display(similar)
  const difference = differenceOf(shown, there)
  if (/^[\x20-\x7e]*$/.test(there)) return `${shown} does not exist. There is ${JSON.stringify(there)}: ${difference}.`
  return `${shown} does not exist under this spelling. A name on the disk looks the same, but ${difference}. Call again with this path, with its \\u escapes as they are in JSON: ${spelledOut(there)}`
}
