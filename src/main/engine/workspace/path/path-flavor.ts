import { posix, win32, type PlatformPath } from 'node:path'
import { tmpdir } from 'node:os'
import { gitFolder } from '../../process/find-shell'

/**
 * How a system writes and compares paths. Passed in wherever paths are judged, so that the rules of each system can be
 * tested on every system.
 */
export interface PathFlavor {
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Node's functions for paths of this system. */
  readonly path: PlatformPath
  /** Whether the file system ignores case, as it usually does there. */
  readonly ignoresCase: boolean
  /** The path as the system itself writes it: on Windows `C:\x` for `/c/x` and `\\?\C:\x`. */
  native(written: string): string
  isAbsolute(written: string): boolean
  /** Absolute, with `..` removed as text. */
  resolve(root: string, written: string): string
  /**
   * The text by which paths are compared, with `/` between names. Two spellings of one location give the same text,
   * apart from case and links.
   */
  comparable(path: string): string
  /** Whether `path` is `folder` or is below it; both absolute, with links resolved. */
  isWithin(path: string, folder: string): boolean
  /** Whether both refer to the same location, without resolving links. */
  isSame(path: string, other: string): boolean
  /** Whether the path is a device, which is not in any folder. */
  isDevice(path: string): boolean
  /** Why an ordinary file cannot have this path. */
  nameProblem(path: string): string | undefined
}

/** macOS shows each of these folders at two locations. */
const PRIVATE = /^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/
const DATA_VOLUME = /^\/System\/Volumes\/Data(?=\/|$)/i

/** The path rules of a system. `places`: for Windows, the locations of Git Bash's folders. */
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

/** The same for characters that differ only in case, compatibility letters such as U+017F included. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase()
}

let places: WindowsPlaces | undefined

/** The path rules of this machine. */
export const SYSTEM_PATHS: PathFlavor = pathFlavor(
  process.platform,
  () => (places ??= { git: gitFolder(), temp: tmpdir() }),
)

/** The locations of the shell's own folders on this machine; Git Bash shows them as `/usr`, `/etc` and so on. */
interface WindowsPlaces {
  /** The folder Git for Windows is installed in; undefined: unknown. */
  git?: string | undefined
  /** The folder that `/tmp` refers to. */
  temp?: string | undefined
}

const VERBATIM = /^(?:[\\/]{2}[?.]|\\\?\?)[\\/]/
const DRIVE = /^[a-z]:(?=[\\/]|$)/i
/** `/c/x` of Git Bash, `/cygdrive/c/x` of Cygwin; both also support the second form below /proc. */
const SHELL_DRIVE = /^\/(?:(?:proc\/)?cygdrive\/)?([a-z])(?=\/|$)/i
const SHELL_FOLDER = /^\/(?:usr|bin|etc|lib|opt|var|cmd|mingw(?:32|64)|clang(?:32|64|arm64)|ucrt64)(?=\/|$)/
/** The administrative share of a drive of this same machine. */
const OWN_SHARE = /^[\\/]{2}(?:localhost|127(?:\.\d+){3}|0--1\.ipv6-literal\.net|\.)[\\/]([a-z])\$(?=[\\/]|$)/i
/** Names that Windows reserves for devices, with any extension; superscript digits count as digits. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])$/i

/**
 * Converts a path to the form that Windows and Node use, from any of these forms: `/c/x` and `/cygdrive/c/x` (Git
 * Bash), `\\?\C:\x`, `\\?\UNC\server\share`, `\\localhost\C$\x`. Devices of the shell (`/dev/null`) stay unchanged.
 * Does not make it absolute.
 */
function windowsPath(written: string, { git, temp }: WindowsPlaces = {}): string {
  const plain = withoutPrefix(written)
  const share = OWN_SHARE.exec(plain)
  if (share) return `${share[1]!.toUpperCase()}:${plain.slice(share[0].length) || '\\'}`
  if (DRIVE.test(plain))
    return plain.length === 2 ? `${plain.toUpperCase()}\\` : plain[0]!.toUpperCase() + plain.slice(1)
  if (!plain.startsWith('/') || plain.startsWith('//')) return plain
  // `/c/../d/x` is on drive D: the shell treats drives as folders.
  const [raw, normal] = [SHELL_DRIVE.exec(plain), SHELL_DRIVE.exec(posix.normalize(plain))]
  const [from, drive] = raw?.[0] === normal?.[0] ? [plain, raw] : [posix.normalize(plain), normal]
  if (drive) return `${drive[1]!.toUpperCase()}:${from.slice(drive[0].length) || '\\'}`
  if (/^\/tmp(?=\/|$)/.test(from) && temp !== undefined) return temp + from.slice(4)
  if (SHELL_FOLDER.test(from) && git !== undefined) return git + (from.startsWith('/bin') ? '/usr' : '') + from
  return from
}

/**
 * Whether the path is a device, or special to the shell, and thus not in any folder: `/dev/null`, `/proc/1/mem`,
 * `\\.\pipe\x`.
 */
function isWindowsDevice(native: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(native) || /^[\\/]{2}[.?][\\/]/.test(native)
}

/**
 * Why Windows doesn't allow this name for an ordinary file, as the end of a sentence "… because"; undefined: it does.
 */
function windowsNameProblem(native: string): string | undefined {
  if (isWindowsDevice(native)) return `${native} is a device`
  const { root } = win32.parse(native)
  for (const name of native.slice(root.length).split(/[\\/]+/)) {
    if (name === '' || name === '.' || name === '..') continue
    if (isReservedName(name)) return `${name} is a name that Windows keeps for a device`
    if (name.includes(':')) return `${name} names a data stream, not a file`
    if (/[. ]$/.test(name)) return `${name} ends with a dot or space, which Windows removes`
  }
  return undefined
}

function isReservedName(name: string): boolean {
  return RESERVED.test(name.split(/[.:]/)[0]!.trimEnd())
}

/**
 * The text by which paths are compared: `C:/Users/me`, `//server/share/x`; without what Windows ignores in names
 * (trailing dots and spaces, streams).
 */
function comparableWindowsPath(path: string, places?: WindowsPlaces): string {
  const native = windowsPath(path, places).normalize('NFC').replaceAll('\\', '/')
  const server = /^\/\/+([^/]+)(?:\/+([^/]+))?/.exec(native)
  const drive = /^[A-Z]:/.exec(native)?.[0] ?? ''
  const head = server ? `//${[server[1], server[2]].filter(Boolean).join('/').toLowerCase()}` : drive
  const names = native
    .slice(server ? server[0].length : drive.length)
    .split('/')
    .filter((name, index) => name !== '' || index === 0)
    .map(keptName)
  const text = head + names.join('/')
  return text === drive && drive !== '' ? `${drive}/` : text
}

function keptName(name: string): string {
  if (name === '.' || name === '..') return name
  return name.replace(/(?!^):.*$/s, '').replace(/(?<=[^. ])[. ]+$/, '')
}

/** `\\?\` and `\\.\` disable Windows' processing of a path; the rest still names the same location. */
function withoutPrefix(written: string): string {
  const prefix = VERBATIM.exec(written)?.[0]
  if (prefix === undefined) return written
  const rest = written.slice(prefix.length)
  if (/^unc[\\/]/i.test(rest)) return `\\\\${rest.slice(4)}`
  return DRIVE.test(rest) ? rest : written
}
