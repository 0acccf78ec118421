import { sep } from 'node:path'
import type { JudgedCall } from './policy'

/** Whether `path` is `folder` or lies in it. Both absolute, with symlinks resolved. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Whether a call writes files itself; what commands do is judged by their parts. */
export function writesFiles({ accesses }: JudgedCall['call']): boolean {
  return accesses.some((access) => (access.kind === 'file' || access.kind === 'tree') && access.write)
}

/** The real paths a call names; for a command the folder it runs in and what the judged part of it touches. */
export function pathsOf({ call, part }: Pick<JudgedCall, 'call' | 'part'>): { path: string; write: boolean }[] {
  const named = call.accesses.flatMap((access) => {
    if (access.kind === 'file' || access.kind === 'tree') return [{ path: access.path, write: access.write }]
    return access.kind === 'command' ? [{ path: access.cwd, write: true }] : []
  })
  return part
    ? [...named, ...part.paths.map(({ realPath, write }) => ({ path: realPath, write: write || (!part.readOnly && part.kind === 'run') }))]
    : named
}
