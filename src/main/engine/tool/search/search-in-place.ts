import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { isWithin } from '../../workspace/path/real-path'
import { probeSandboxSupport } from '../../sandbox/sandbox-support'

/** File systems round their times down, by up to this. */
const CLOCK_MS = 50
/** A program that is linked to libraries finds them here. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']

/**
 * Those of the paths below `top` that a search which began then (ms since the epoch) may have found elsewhere. It reads
 * folders by their names: a command that runs beside it could put a link in the place of one for a moment, and the
 * search would read what the link leads to. But that changes the time of the folder above, which nothing sets back.
 */
export function possiblyMoved(paths: Iterable<string>, top: string, began: number): Set<string> {
  const all = [...paths]
  const folders = new Map<string, boolean>()
  for (const path of all)
    for (let at = dirname(path); !folders.has(at) && isWithin(at, top); at = dirname(at)) folders.set(at, false)
  // The innermost first: once those above are known to be unchanged, so is what was looked at before.
  const innermostFirst = [...folders.keys()].toSorted((a, b) => b.length - a.length)
  for (const folder of innermostFirst) {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    folders.set(folder, !stat?.isDirectory() || stat.ctimeMs >= began - CLOCK_MS)
  }
  for (const folder of innermostFirst.toReversed()) if (folders.get(dirname(folder)) === true) folders.set(folder, true)
  return new Set(all.filter((path) => folders.get(dirname(path)) === true))
}

/**
 * The words that start `program` so that of all files it sees only those in `top`: no link leads out of it. Undefined
 * where there are no sandboxes; there commands can read everything themselves.
 */
export async function seeingOnly(top: string, program: string): Promise<string[] | undefined> {
  const support = await probeSandboxSupport()
  if (support.kind !== 'bubblewrap') return undefined
  const libraries = LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path])
  const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent']
  return [support.bwrap, ...libraries, '--ro-bind', program, program, '--ro-bind', top, top, ...namespaces, '--chdir']
}
