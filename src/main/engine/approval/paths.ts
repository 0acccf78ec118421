import { sep } from 'node:path'
import type { PreparedCall } from '../tool/tool'

/** Whether `path` is `folder` or lies in it. Both absolute, with symlinks resolved. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The paths a call names; for a command the folder it runs in. */
export function pathsOf(call: PreparedCall): { path: string; write: boolean }[] {
  return call.accesses.flatMap((access) => {
    if (access.kind === 'file' || access.kind === 'tree') return [{ path: access.path, write: access.write }]
    return access.kind === 'command' ? [{ path: access.cwd, write: true }] : []
  })
}
