import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CodedError } from '../../../shared/errors'

/** The facts that determine which Node is used. */
export interface NodeSurroundings {
  execPath: string
  versions: { electron?: string }
  platform: NodeJS.Platform
  /** URL of the calling module. */
  here: string
}

/** The parts of an installed desktop app for plain Node, which cannot read the app's archive. */
export interface PackagedRuntime {
  node: string
  /** Folder with `out`, `resources`, `node_modules` and `package.json`, as in the repository. */
  app: string
}

/**
 * The Node to start our own programs with. Electron does not qualify: the packaged app disables the fuse `runAsNode`,
 * so its binary would just open the app again. Throws CodedError `task.host_unavailable` if there is no Node.
 */
export function plainNode(surroundings: NodeSurroundings = ours()): string {
  const { execPath, versions, platform, here } = surroundings
  if (!('electron' in versions)) return execPath
  const packaged = packagedRuntime(here, platform)
  if (packaged) return packaged.node
  try {
    return join(
      dirname(createRequire(here).resolve('node/package.json')),
      'bin',
      platform === 'win32' ? 'node.exe' : 'node',
    )
  } catch (error) {
    throw new CodedError(
      'task.host_unavailable',
      'There is no Node to run commands with: the package `node` is not installed. Run `npm install`.',
      {
        cause: error,
      },
    )
  }
}

function ours(): NodeSurroundings {
  const { execPath, versions, platform } = process
  return { execPath, versions, platform, here: import.meta.url }
}

/** The packaged Node and its files for the app that this code belongs to; undefined for code outside of a package. */
export function packagedRuntime(
  here: string = import.meta.url,
  platform: NodeJS.Platform = process.platform,
): PackagedRuntime | undefined {
  const resources = /^(.*)[\\/]app\.asar(?:\.unpacked)?[\\/]/.exec(fileURLToPath(here))?.[1]
  if (resources === undefined) return undefined
  return {
    node: join(resources, 'bin', platform === 'win32' ? 'trestle-node.exe' : 'trestle-node'),
    app: join(resources, 'app.asar.unpacked'),
  }
}

/** The unpacked counterpart of a file in the app's archive, which programs other than Electron can read. */
export function outsideArchive(path: string): string {
  return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2')
}

/**
 * The file of a program or worker with its own build entry. `source` is its path relative to the calling TypeScript
 * file; in the built program all entries are in one folder, and the caller is one of them or a chunk.
 */
export function programFile(here: string, source: string): string {
  if (here.endsWith('.ts')) return fileURLToPath(new URL(source, here))
  const name = source.slice(source.lastIndexOf('/') + 1).replace(/\.ts$/, '.js')
  return outsideArchive(fileURLToPath(new URL(here.includes('/chunks/') ? `../${name}` : `./${name}`, here)))
}

/**
 * The program's root folder, which has its `package.json` next to `out` or `src`. The folder of the built files has
 * another one, which only declares them as CommonJS.
 */
export function programRoot(here: string = import.meta.dirname): string {
  let folder = here
  while (!isProgramRoot(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

function isProgramRoot(folder: string): boolean {
  return existsSync(join(folder, 'package.json')) && ['out', 'src'].some((part) => existsSync(join(folder, part)))
}
