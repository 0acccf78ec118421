import type { ResolvedPath, Workspace } from '../workspace/workspace'
import { refuse, type Refusal } from './tool'

/** Why no file tool may touch a path at all: it cannot exist, or it is a sensitive file. Undefined when it may. */
export function pathRefusal(workspace: Workspace, path: ResolvedPath): Refusal | undefined {
  const shown = workspace.display(path.path)
  if (path.problem !== undefined) return refuse(`The path ${JSON.stringify(shown.slice(0, 500))} cannot be used: ${path.problem}.`)
  if (path.sensitive === undefined) return undefined
  return refuse(
    `${shown} is protected: file tools never read or change ${path.sensitive}. Do not look for a way round; ask the person if something in it matters.`,
  )
}

/** How a path is shown to people: where it really is, and through which link when it was written otherwise. */
export function shownPath(workspace: Workspace, path: ResolvedPath): string {
  const real = workspace.display(path.realPath)
  const written = workspace.display(path.path)
  // `/tmp/project/x` for `/private/tmp/project/x` is no link worth telling: only one below the project is.
  return written === real || written === path.path ? real : `${written} -> ${real}`
}
