import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { findShell } from '../../task/find-shell'
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
const VERSION_MS = 1_000

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

let shell: Promise<string | undefined> | undefined

/** The shell commands run in, with its version, e.g. `bash 5.2.15`; asked once. Undefined where there is none. */
export function shellName(env: Record<string, string>, cwd: string): Promise<string | undefined> {
  return (shell ??= askShell(env, cwd))
}

async function askShell(env: Record<string, string>, cwd: string): Promise<string | undefined> {
  const found = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in found) return undefined
  const name = basename(found.path).replace(/\.exe$/i, '')
  if (name !== 'bash') return name
  const version = await new Promise<string>((resolve) => {
    execFile(found.path, ['--version'], { env, cwd, timeout: VERSION_MS, windowsHide: true }, (error, stdout) =>
      resolve(error ? '' : stdout),
    )
  })
  const number = /version (\d+(?:\.\d+)*)/.exec(version)?.[1]
  return number === undefined ? name : `${name} ${number}`
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
