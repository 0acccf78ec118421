import { posix, win32, type PlatformPath } from 'node:path'
import { tmpdir } from 'node:os'
import {
  comparableWindowsPath,
  isWindowsDevice,
  windowsNameProblem,
  windowsPath,
  type WindowsPlaces,
} from './windows-path'
import { gitFolder } from '../../process/find-shell'

/**
 * How a system writes and compares paths. Passed in wherever paths are judged, so that the rules of every system are
 * tested on each.
 */
export interface PathFlavor {
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Node's functions for paths of this system. */
  readonly path: PlatformPath
  /** Whether the file system takes upper and lower case for the same, as it usually does there. */
  readonly ignoresCase: boolean
  /** The path as the system itself writes it: on Windows `C:\x` for `/c/x` and `\\?\C:\x`. */
  native(written: string): string
  isAbsolute(written: string): boolean
  /** Absolute, with `..` removed as text. */
  resolve(root: string, written: string): string
  /**
   * The text by which paths are compared, with `/` between names. Two spellings of one place give the same text, but
   * for upper and lower case and links.
   */
  comparable(path: string): string
  /** Whether `path` is `folder` or lies below it; both absolute, with links resolved. */
  isWithin(path: string, folder: string): boolean
  /** Whether both mean the same place, links aside. */
  isSame(path: string, other: string): boolean
  /** Whether the path is a device and in no folder. */
  isDevice(path: string): boolean
  /** Why no ordinary file can have this path. */
  nameProblem(path: string): string | undefined
}

/** macOS shows these folders at two places each. */
const PRIVATE = /^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/
const DATA_VOLUME = /^\/System\/Volumes\/Data(?=\/|$)/i

/** The path rules of a system. `places`: for Windows, where the folders of Git Bash are. */
export function pathFlavor(platform: NodeJS.Platform, places: () => WindowsPlaces = () => ({})): PathFlavor {
  if (platform === 'win32') return windowsFlavor(places)
  const isMac = platform === 'darwin'
  const comparable = isMac ? comparableMacPath : (path: string): string => path.normalize('NFC')
  const { isAbsolute, resolve } = posix
  return {
    platform: isMac ? 'darwin' : 'linux',
    path: posix,
    ignoresCase: isMac,
    native: (written) => written,
    isAbsolute,
    resolve,
    comparable,
    isWithin: (path, folder) => isBelow(comparable(path), comparable(folder)),
    isSame: (path, other) => sameText(comparable(path), comparable(other), isMac),
    isDevice: () => false,
    nameProblem: () => undefined,
  }
}

function windowsFlavor(places: () => WindowsPlaces): PathFlavor {
  const native = (written: string): string => windowsPath(written, written.startsWith('/') ? places() : {})
  const comparable = (path: string): string => comparableWindowsPath(path, path.startsWith('/') ? places() : {})
  return {
    platform: 'win32',
    path: win32,
    ignoresCase: true,
    native,
    isAbsolute: (written) => win32.isAbsolute(native(written)),
    resolve(root, written) {
      const path = native(written)
      return isWindowsDevice(path) ? path : win32.resolve(root, path)
    },
    comparable,
    isWithin: (path, folder) => isBelow(foldCase(comparable(path)), foldCase(comparable(folder))),
    isSame: (path, other) => sameText(comparable(path), comparable(other), true),
    isDevice: (path) => isWindowsDevice(native(path)),
    nameProblem: (path) => windowsNameProblem(native(path)),
  }
}

function comparableMacPath(path: string): string {
  const text = path.normalize('NFC').replace(DATA_VOLUME, '').replace(PRIVATE, '')
  return text === '' ? '/' : text
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function sameText(one: string, other: string, ignoresCase: boolean): boolean {
  return one === other || (ignoresCase && foldCase(one) === foldCase(other))
}

function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase()
}

let places: WindowsPlaces | undefined

/** The path rules of this machine. */
export const SYSTEM_PATHS: PathFlavor = pathFlavor(
  process.platform,
  () => (places ??= { git: gitFolder(), temp: tmpdir() }),
)
