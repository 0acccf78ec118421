import { homedir } from 'node:os'
import type { EditorFiles } from './file/editor-files'
import { type PathFlavor, SYSTEM_PATHS } from './path/path-flavor'
import { DISK, realPathOf, expandShortNames, type PathLookup } from './path/real-path'
import { sensitiveRule } from './path/sensitive-file'

/**
 * The folders a session works in, and what its agent has read of them.
 */
export interface Workspace {
  /** Real path of the project folder: relative paths start here. */
  readonly root: string
  /** Real paths of further folders the user added to the session. */
  readonly addedFolders: readonly string[]
  /**
   * Resolves a path that the model wrote: makes it absolute, expands `~`, and resolves every symlink as the system does
   * (a link is followed before a `..` after it applies; for a missing file, below its nearest existing parent). Never
   * throws.
   */
  resolve(path: string): Promise<ResolvedPath>
  /** The path as shown to the model and the user: relative inside the root, otherwise absolute. */
  display(absolutePath: string): string
  readonly reads: ReadState
  /** How its paths are written and compared. */
  readonly paths: PathFlavor
  /** The home folder that `~` refers to. */
  readonly userHome: string
  /** The editor that also has files open, with unsaved text; absent: no editor. */
  readonly editor?: EditorFiles | undefined
}

export interface ResolvedPath {
  /** As written, made absolute, with `..` removed as text: for showing and for rules, never for opening. */
  path: string
  /** With symlinks resolved; decisions are based on it. */
  realPath: string
  /** Whether `realPath` is in the root or an added folder. */
  inside: boolean
  /** The rule that makes this a sensitive file (by either path), if any: see `sensitiveRule`. */
  sensitive: string | undefined
  /** Why no file can have this path (a NUL byte, a loop of links, too long); such a path is never `inside`. */
  problem?: string
}

/** The lines of a file that the agent was shown. */
export interface SeenLines {
  first: number
  last: number
  /** Total lines of the file; undefined if they were not counted. */
  total: number | undefined
  /** Lines that were only partly shown: the characters shown, from 1; `end`: up to the last. */
  cut?: readonly { line: number; from: number; to: number; end?: boolean }[]
}

/**
 * Which file contents the agent has seen, by real path and content (see `contentMark`), kept for the life of the
 * session.
 */
export interface ReadState {
  /** Records that the agent has seen (or written) this content, or part of it; default: all of it. */
  markRead(realPath: string, contentMark: string, seen?: SeenLines | 'all' | 'part'): void
  /** The mark last seen, or undefined if it was never read. */
  lastRead(realPath: string): string | undefined
  /** Whether the agent has seen all of the version that it last read; parts add up. */
  hasSeenAll(realPath: string): boolean
  /** Forgets all reads, because the conversation was rewound. */
  forget(): void
}

/** Options of a workspace. The folders can be specified through symlinks; afterwards, their real paths are used. */
export interface WorkspaceOptions {
  root: string
  addedFolders?: readonly string[]
  /** Default: nothing has been read. Pass the same one when the folders of a session change. */
  reads?: ReadState
  /** The home folder that `~` refers to; default: the user's. */
  home?: string
  /** Called whenever a file is read or written; default: no editor. */
  editor?: () => EditorFiles | undefined
  /** How paths are written and compared; default: as on this machine. */
  paths?: PathFlavor
  /** Default: the file system of this machine. */
  disk?: PathLookup
}

export function createWorkspace({
  root,
  addedFolders = [],
  reads = createReadState(),
  home = homedir(),
  editor,
  paths = SYSTEM_PATHS,
  disk = DISK,
}: WorkspaceOptions): Workspace {
  const { sep } = paths.path
  const realRoot = realFolder(root, paths, disk)
  const realAdded = addedFolders.map((folder) => realFolder(folder, paths, disk))
  const folders = [realRoot, ...realAdded]
  const below = realRoot.endsWith(sep) ? realRoot : realRoot + sep

  return {
    root: realRoot,
    addedFolders: realAdded,
    reads,
    paths,
    userHome: home,
    get editor() {
      return editor?.()
    },
    async resolve(written) {
      const expanded = expandHome(written, home, sep)
      const path = expandShortNames(paths.resolve(realRoot, expanded), paths, disk)
      // Not `path`, because the system follows a link before it goes up with `..`, and so do we.
      const start = paths.isAbsolute(expanded)
        ? withRootDrive(paths.native(expanded), realRoot, paths)
        : `${realRoot}${sep}${expanded}`
      const { realPath, problem } = await realPathOf(start, paths, disk)
      return {
        // Use one spelling for each location, so that rules apply to it however it was written.
        path: paths.isSame(path, realPath) ? realPath : path,
        realPath,
        inside: problem === undefined && folders.some((folder) => paths.isWithin(realPath, folder)),
        sensitive: sensitiveRule(path) ?? (realPath === path ? undefined : sensitiveRule(realPath)),
        ...(problem !== undefined && { problem }),
      }
    },
    display(absolutePath) {
      if (absolutePath === realRoot) return '.'
      // Fast path: nearly every path is in normal form, so the rest after the root is the relative path.
      if (absolutePath.startsWith(below) && !NOT_PLAIN.test(absolutePath)) return absolutePath.slice(below.length)
      return paths.isWithin(absolutePath, realRoot) ? paths.path.relative(realRoot, absolutePath) || '.' : absolutePath
    },
  }
}

/** Matches an empty name, `.` or `..`, or a trailing separator in a path. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/

/** A missing folder keeps its specified path; the engine reports it when the session is opened. */
function realFolder(folder: string, paths: PathFlavor, disk: PathLookup): string {
  const native = paths.native(folder)
  try {
    return paths.native(disk.realpath(native))
  } catch {
    return paths.path.resolve(native)
  }
}

/** `\\x` is on the drive of the project. */
function withRootDrive(native: string, root: string, paths: PathFlavor): string {
  const hasNoDrive = paths.platform === 'win32' && /^[\\/](?![\\/])/.test(native) && !paths.isDevice(native)
  return hasNoDrive ? paths.path.parse(root).root + native.slice(1) : native
}

/** Only the user's own home: `~` and `~/x`. A file named `~` can be written as `./~`. */
function expandHome(path: string, home: string, sep: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || (sep === '\\' && path.startsWith('~\\')) ? home + path.slice(1) : path
}

/** A read state initialized from earlier events of the session: pairs of real path and content mark, oldest first. */
export function createReadState(earlier: Iterable<readonly [realPath: string, contentMark: string]> = []): ReadState {
  const files = new Map<string, SeenContent>()
  const markRead: ReadState['markRead'] = (realPath, mark, seen = 'all') => {
    const known = files.get(realPath)
    const content = known?.mark === mark ? known : new SeenContent(mark)
    files.set(realPath, content)
    content.add(seen)
  }
  for (const [realPath, mark] of earlier) markRead(realPath, mark)
  return {
    markRead,
    lastRead: (realPath) => files.get(realPath)?.mark,
    hasSeenAll: (realPath) => files.get(realPath)?.isWhole ?? false,
    forget: () => files.clear(),
  }
}

/** How much of one version of a file the agent has been shown; reads of several parts add up. */
class SeenContent {
  readonly mark: string
  isWhole = false
  /** Lines shown, as ordered ranges that don't touch or overlap. */
  #ranges: [first: number, last: number][] = []
  /** For partly shown lines: the last character shown. */
  readonly #partly = new Map<number, number>()

  constructor(mark: string) {
    this.mark = mark
  }

  add(seen: SeenLines | 'all' | 'part'): void {
    if (seen === 'all') this.isWhole = true
    if (typeof seen === 'string') return
    const cut = new Set(seen.cut?.map(({ line }) => line))
    for (let [line, first] = [seen.first, seen.first]; line <= seen.last + 1; line++) {
      if (line <= seen.last && !cut.has(line)) continue
      if (line > first) this.#addRange(first, line - 1)
      first = line + 1
    }
    for (const each of seen.cut ?? []) this.#addPart(each)
    const [only, ...more] = this.#ranges
    if (seen.total === undefined || more.length > 0) return
    if (seen.total === 0 || (only && only[0] <= 1 && only[1] >= seen.total)) this.isWhole = true
  }

  #addPart({ line, from, to, end }: NonNullable<SeenLines['cut']>[number]): void {
    const before = this.#partly.get(line) ?? 0
    if (from > before + 1) return
    const now = Math.max(before, to)
    this.#partly.set(line, now)
    if (end) this.#addRange(line, line)
  }

  #addRange(first: number, last: number): void {
    const apart = this.#ranges.filter(([from, to]) => to < first - 1 || from > last + 1)
    const joined = this.#ranges.filter(([from, to]) => to >= first - 1 && from <= last + 1)
    const range: [number, number] = [
      Math.min(first, ...joined.map(([from]) => from)),
      Math.max(last, ...joined.map(([, to]) => to)),
    ]
    this.#ranges = [...apart, range].toSorted(([a], [b]) => a - b)
  }
}
