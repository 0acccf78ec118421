import { dirname } from 'node:path'
import { statAt } from './file-state'
import type { PreparedCall, Tool } from '../../tool/tool'
import type { Workspace } from '../../workspace/workspace'

/** What a call may change: certain files, or anything in the workspace. Undefined: nothing. */
export type CallScope = { kind: 'files'; paths: string[] } | { kind: 'workspace' } | undefined

export interface ScopedCall {
  tool: Pick<Tool, 'annotations'>
  call: Pick<PreparedCall, 'accesses'>
}

/** Commands that never change anything and run so often that they are not parsed. */
const DOES_NOTHING = /^\s*(?:true|false|pwd|:)\s*$/

/** Whether it is obvious, without parsing commands, that the call changes nothing. */
export function changesNothing({ tool, call }: ScopedCall): boolean {
  return call.accesses.every((access) => {
    if (access.kind === 'file' || access.kind === 'tree') return !access.write
    if (access.kind === 'command') return DOES_NOTHING.test(access.command)
    if (access.kind === 'server') return !access.local || !access.write
    return access.kind === 'network' || tool.annotations.readOnly
  })
}

/** What the call may change, according to its accesses. */
export async function scopeOf(scoped: ScopedCall, workspace: Workspace): Promise<CallScope> {
  if (changesNothing(scoped)) return undefined
  const paths: string[] = []
  for (const access of scoped.call.accesses) {
    if (access.kind === 'file') {
      if (access.write) paths.push(...missingAbove(access.path), access.path)
    } else if (access.kind === 'command') {
      if (!(await onlyReads(access.command, access.cwd, workspace))) return { kind: 'workspace' }
    } else if (access.kind === 'server') {
      if (access.local && access.write) return { kind: 'workspace' }
    } else if (access.kind === 'tree' ? access.write : access.kind === 'all' && !scoped.tool.annotations.readOnly) {
      return { kind: 'workspace' }
    }
  }
  return paths.length > 0 ? { kind: 'files', paths: [...new Set(paths)] } : undefined
}

/** Whether the permission engine considers the whole command read-only. */
async function onlyReads(command: string, cwd: string, workspace: Workspace): Promise<boolean> {
  const { inspectCommand } = await import('../../approval/command/inspect-command')
  const parts = await inspectCommand(command, cwd, workspace)
  return parts.every((part) => {
    if (part.kind === 'redirection')
      return part.paths.length > 0 && part.paths.every(({ write, realPath }) => !write || realPath === '/dev/null')
    return part.readOnly || (part.neutral && !part.steered)
  })
}

/** Missing parent folders that would be created, outermost first. */
function missingAbove(path: string): string[] {
  const missing: string[] = []
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) {
    if (statAt(at)) break
    missing.unshift(at)
  }
  return missing
}
