import { join } from 'node:path'
import { placeholdersIn } from '../sandbox/placeholders'
import { isWithin } from '../workspace/real-path'
import { parsePattern } from './rules/parse-pattern'
import { pathGlob } from './rules/path-glob'
import type { PermissionRule } from './rules/permission-rule'

export interface HiddenPathsOptions {
  rules: readonly PermissionRule[]
  /** The tool that lists or searches. */
  tool: 'Grep' | 'Glob' | 'ListDirectory'
  /** Real paths of the project and of the folders the user added. */
  root: string
  addedFolders: readonly string[]
  /** TRESTLE_HOME, and the folders in it that this session may read. */
  home: string
  ownOutput: readonly string[]
  /** What a sandbox has put into the project for as long as it runs; default: as the home's records say. */
  isPlaceholder?(path: string): boolean
}

/**
 * What a tool leaves out that lists or searches a folder: files that a rule denies, Trestle's own folder, and for contents also what a rule wants to be
 * asked about, since nobody was asked about each file. Such a call is judged by its folder alone.
 */
export function hiddenPaths({
  rules,
  tool,
  root,
  addedFolders,
  home,
  ownOutput,
  isPlaceholder = placeholdersIn(join(home, 'run', 'sandbox')),
}: HiddenPathsOptions): (path: string) => boolean {
  const projects = [root, ...addedFolders].filter((folder) => folder !== home && isWithin(folder, home))
  const readable = [...projects, ...ownOutput]
  const denied = rules.flatMap((rule) => {
    if (rule.decision === 'allow' || (rule.decision === 'ask' && tool !== 'Grep') || rule.mistake !== undefined) return []
    const parsed = parsePattern(rule.pattern)
    if ('mistake' in parsed || parsed.argument === undefined) return []
    return parsed.tool === 'Read' || parsed.tool === tool ? [pathGlob(parsed.argument, root, { broad: true })] : []
  })
  return (path) =>
    (isWithin(path, home) && !readable.some((folder) => isWithin(path, folder))) ||
    denied.some((pattern) => pattern.matches(path)) ||
    isPlaceholder(path)
}
