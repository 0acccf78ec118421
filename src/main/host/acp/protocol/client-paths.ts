import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Maps paths for the client, which may have opened the project through a symlink while the engine uses real paths. */
export interface ClientPaths {
  /** The path as the client knows it. */
  shown(realPath: string): string
  /** The absolute path of a path that the model wrote. */
  absolute(path: string): string
  /** Whether the client has this folder open. */
  covers(realPath: string): boolean
}

export async function clientPaths(folders: readonly string[]): Promise<ClientPaths> {
  const roots = await Promise.all(
    folders.map(async (folder) => ({
      folder: resolve(folder),
      real: await realpath(folder).catch(() => resolve(folder)),
    })),
  )
  const first = roots[0]?.real ?? sep
  const rootOf = (path: string): { folder: string; real: string } | undefined =>
    roots.find(({ real }) => contains(real, path))
  return {
    shown(realPath) {
      const root = rootOf(realPath)
      return root ? join(root.folder, relative(root.real, realPath)) : realPath
    },
    absolute: (path) => resolve(first, path),
    covers: (realPath) => rootOf(realPath) !== undefined,
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
