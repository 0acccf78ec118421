import type { Access } from '../../tool/tool'
import type { Workspace } from '../../workspace/workspace'
import type { CommandPart } from '../shell/command-part'
import type { Rung } from './rung'

/** Tools that do the same to files: who may use one of them on a file may use the others. */
const CHANGING = ['Write', 'Edit', 'Patch']
/** Rules for Edit hold for apply_patch; models that have it have no Edit and no Patch. */
const PATCHING = ['Write', 'Edit']
const READING = ['Read', 'ReadMediaFile', 'ListDirectory', 'Grep', 'Glob']

type FileAccess = Extract<Access, { kind: 'file' | 'tree' }>

/** This file, its folder, the project: for a call that touches files. */
export function fileLadder(tool: string, accesses: readonly FileAccess[], workspace: Workspace): Rung[] {
  const paths = accesses.map((access) => ({
    path: access.path,
    folder: access.kind === 'tree' ? access.path : workspace.paths.path.dirname(access.path),
  }))
  const write = accesses.some((access) => access.write)
  if (tool === 'apply_patch') return ladder(PATCHING, paths, write, workspace)
  const tools = write ? CHANGING : READING
  return ladder(tools.includes(tool) ? tools : [tool], paths, write, workspace)
}

/** The same for what a command redirects to or from. */
export function redirectionLadder({ paths }: CommandPart, workspace: Workspace): Rung[] {
  const write = paths.some((path) => path.write)
  const places = paths.map(({ realPath }) => ({ path: realPath, folder: workspace.paths.path.dirname(realPath) }))
  return places.length === 0 ? [] : ladder([write ? 'Write' : 'Read'], places, write, workspace)
}

function ladder(
  tools: readonly string[],
  places: readonly { path: string; folder: string }[],
  write: boolean,
  workspace: Workspace,
): Rung[] {
  const { root, paths: flavor } = workspace
  const { dirname } = flavor.path
  const verb = write ? 'changes to' : 'reading'
  const rung = (paths: readonly string[], label: string): Rung => ({
    patterns: [...new Set(paths)].flatMap((path) => tools.map((tool) => `${tool}(${path})`)),
    label,
  })
  const folders = [...new Set(places.map(({ folder }) => folder))]
  const shown = (paths: readonly string[]): string => [...new Set(paths)].map((path) => workspace.display(path)).join(', ')
  const rungs: Rung[] = []
  if (places.every(({ path, folder }) => path !== folder))
    rungs.push(
      rung(
        places.map(({ path }) => globOf(path, workspace)),
        `${verb} ${shown(places.map(({ path }) => path))}`,
      ),
    )
  if (!folders.includes(root) && folders.every((folder) => dirname(folder) !== folder))
    rungs.push(
      rung(
        folders.map((folder) => `${globOf(folder, workspace)}/**`),
        `${verb} files in ${shown(folders)}`,
      ),
    )
  if (folders.every((folder) => flavor.isWithin(folder, root))) rungs.push(rung(['**'], `${verb} files of this project`))
  return rungs
}

/** A path as a pattern that matches it and nothing else, relative to the project where it lies in it. */
function globOf(path: string, { root, paths }: Workspace): string {
  const [text, folder] = [paths.comparable(path), paths.comparable(root).replace(/\/$/, '')]
  const inside = text !== folder && paths.isWithin(path, root)
  const escaped = (inside ? text.slice(folder.length + 1) : text).replace(/[*?[{]/g, '[$&]')
  return inside && /^[!~]/.test(escaped) ? `./${escaped}` : escaped
}
