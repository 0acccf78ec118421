import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isEmptyFolder } from '../../sandbox/file-facts'
import { RESERVED_NAMES } from '../../sandbox/protected-names'
import { sensitiveRule } from '../../workspace/sensitive-rule'
import { gitState, type GitState } from './git-state'

/** What is only told when a conversation begins. */
export interface ProjectLook {
  git?: GitState
  entries: string[]
}

/** Names of the project folder that tell nothing. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.DS_Store', '__pycache__', '.venv'])
/** Sandboxes put empty folders of these names where nothing has them. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(RESERVED_NAMES)

/** Looks at a project's folder and its repository. Never rejects: what cannot be seen is left out. `hidden`: what permission rules keep from the model. */
export async function lookAtProject(
  { folder, top }: { folder: string; /** The repository's top. */ top: string | undefined },
  { env, cwd, hidden }: { env: Record<string, string>; cwd: string; hidden?: (path: string) => boolean },
): Promise<ProjectLook> {
  const [git, entries] = await Promise.all([top === undefined ? undefined : gitState(top, { env, cwd }), entriesOf(folder, hidden)])
  return { ...(git && { git }), entries }
}

async function entriesOf(folder: string, hidden?: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter(({ name }) => !LEFT_OUT.has(name) && sensitiveRule(join(folder, name)) === undefined && hidden?.(join(folder, name)) !== true)
    .filter(({ name }) => !PLACEHOLDERS.has(name) || !isEmptyFolder(join(folder, name)))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
}
