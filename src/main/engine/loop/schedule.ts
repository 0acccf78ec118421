import { sep } from 'node:path'
import type { Access } from '../tool/tool'

/** Whether two calls must not overlap: they touch the same thing and one of them may change it. */
export function conflict(a: readonly Access[], b: readonly Access[]): boolean {
  return a.some((left) => b.some((right) => meet(left, right)))
}

function meet(a: Access, b: Access): boolean {
  if (a.kind === 'all' || b.kind === 'all') return true
  if (a.kind === 'network' || b.kind === 'network') return false
  if (a.kind === 'server' && b.kind === 'server') return (a.write || b.write) && a.server === b.server
  // One on another machine has nothing to do with the files of this one.
  if ((a.kind === 'server' && !a.local) || (b.kind === 'server' && !b.local)) return false
  if (!mayWrite(a) && !mayWrite(b)) return false
  // A command can touch any file, as a server here can, so it is kept apart from whatever reads or writes files.
  if (a.kind === 'command' || b.kind === 'command' || a.kind === 'server' || b.kind === 'server') return true
  if (a.kind === 'file' && b.kind === 'file') return fold(a.path) === fold(b.path)
  return (a.kind === 'tree' && within(b.path, a.path)) || (b.kind === 'tree' && within(a.path, b.path))
}

/** Whether something may be changed by what is accessed so. */
export function mayWrite(access: Exclude<Access, { kind: 'all' | 'network' }>): boolean {
  return access.kind === 'command' ? !onlyReads(access.command) : access.write
}

function within(path: string, tree: string): boolean {
  const [inner, outer] = [fold(path), fold(tree)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

/** Two spellings may be one file where names ignore case; treating them as one costs at most some overlap. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

const READERS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'ls',
  'pwd',
  'cat',
  'wc',
  'head',
  'stat',
  'file',
  'date',
  'whoami',
  'uname',
  'which',
  'du',
  'df',
  'echo',
  'id',
  'hostname',
  'basename',
  'dirname',
])

/**
 * A deliberately small list: one plain command without any shell syntax, from programs that cannot write. It only lets calls overlap; it
 * allows nothing.
 */
function onlyReads(command: string): boolean {
  const words = /^[\w./=@:, -]+$/.test(command) ? command.trim().split(/ +/) : []
  return words[0] !== undefined && READERS.has(words[0])
}

/** Runs jobs in order of the list, each as soon as no earlier one that conflicts with it is unfinished. `run` must not reject. */
export async function runScheduled<Job extends { accesses: readonly Access[] }>(
  jobs: readonly Job[],
  run: (job: Job, waited: boolean) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  for (const [index, job] of jobs.entries()) {
    const before = running.filter((_, earlier) => conflict(jobs[earlier]!.accesses, job.accesses))
    running[index] = before.length === 0 ? run(job, false) : Promise.all(before).then(() => run(job, true))
  }
  await Promise.all(running)
}
