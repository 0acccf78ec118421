import type { JudgedCall } from './policy'
import type { CommandPart, TouchedPath } from './shell/command-part'

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

/** The folders that a part of a command goes through, with all that is in them. */
export function treesOf(part: CommandPart): (TouchedPath & { tree: NonNullable<TouchedPath['tree']> })[] {
  return part.paths.flatMap((path) => (path.tree ? [{ ...path, tree: path.tree }] : []))
}

/** What a part of a command is known to write outside of the project and the folders the user added. */
export function writesOutside(part: CommandPart): TouchedPath[] {
  return part.paths.filter(({ write, unsure, inside, realPath }) => write && !unsure && !inside && !isSink(realPath))
}

/** Where nothing is kept. */
function isSink(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|pts\/\d+)$/.test(path)
}
