import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { isWithin } from '../../workspace/path/real-path'
import { probeSandboxSupport } from '../../sandbox/sandbox-support'

/** File systems round their times down by up to this, in ms. */
const CLOCK_MS = 50
/** Where a dynamically linked program finds its libraries. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']

/**
 * The paths below `top` that a search which started at `began` (ms since the epoch) may have found elsewhere. The
 * search opens folders by name: a command that runs at the same time could replace a folder with a link for a moment,
 * and the search would read the target of the link. But that changes the ctime of the parent folder, which nothing can
 * reset.
 */
export function possiblyMoved(paths: Iterable<string>, top: string, began: number): Set<string> {
  const all = [...paths]
  const folders = new Map<string, boolean>()
  for (const path of all)
    for (let at = dirname(path); !folders.has(at) && isWithin(at, top); at = dirname(at)) folders.set(at, false)
  // Innermost first: if the folders above prove to be unchanged, those examined before were really theirs.
  const innermostFirst = [...folders.keys()].toSorted((a, b) => b.length - a.length)
  for (const folder of innermostFirst) {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    folders.set(folder, !stat?.isDirectory() || stat.ctimeMs >= began - CLOCK_MS)
  }
  for (const folder of innermostFirst.toReversed()) if (folders.get(dirname(folder)) === true) folders.set(folder, true)
  return new Set(all.filter((path) => folders.get(dirname(path)) === true))
}

/**
 * The start of a command line that runs `program` so that it sees only the files in `top`, itself and its libraries: no
 * link leads out. Undefined without sandboxes, where commands can read everything anyway.
 */
export async function seeingOnly(top: string, program: string): Promise<string[] | undefined> {
  const support = await probeSandboxSupport()
  if (support.kind !== 'bubblewrap') return undefined
  const libraries = LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path])
  const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent']
  return [support.bwrap, ...libraries, '--ro-bind', program, program, '--ro-bind', top, top, ...namespaces, '--chdir']
}
