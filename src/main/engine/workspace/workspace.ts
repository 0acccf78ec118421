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
   * Where a path the model wrote really is: absolute, `~` expanded, every symlink on the way resolved, as the system
   * does it (a link is followed before a `..` behind it counts; for a file that is not there yet: its nearest existing
   * parent). Throws nothing.
   */
  resolve(path: string): Promise<ResolvedPath>
  /** What the model and the user are shown: relative inside the root, else absolute. */
  display(absolutePath: string): string
  readonly reads: ReadState
  /** How its paths are written and compared. */
  readonly paths: PathFlavor
  /** What `~` means. */
  readonly userHome: string
  /** The editor that has files open beside the agent, with unsaved text; absent: no editor. */
  readonly editor?: EditorFiles | undefined
}

export interface ResolvedPath {
  /** As written, made absolute, with `..` removed as text: for showing and for rules, never for opening. */
  path: string
  /** With symlinks resolved; what decisions are made on. */
  realPath: string
  /** Whether `realPath` lies in the root or an added folder. */
  inside: boolean
  /** The rule that makes this a sensitive file (of either path), if one does: see reference/tools.md. */
  sensitive: string | undefined
  /** Why no file can have this path (a NUL byte, a loop of links, too long); such a path is never `inside`. */
  problem?: string
}

/** The lines of a file that the agent was shown. */
export interface SeenLines {
  first: number
  last: number
  /** Lines of the file; undefined when they were not counted. */
  total: number | undefined
  /** Lines that were not shown whole: their characters shown, from 1; `end`: up to the last. */
  cut?: readonly { line: number; from: number; to: number; end?: boolean }[]
}

/**
 * Which file contents the agent has seen; by real path and content (see content-mark.ts), kept for the life of the
 * session.
 */
export interface ReadState {
  /** Remembers that the agent has seen (or itself written) this content, or which part of it; default: all of it. */
  markRead(realPath: string, contentMark: string, seen?: SeenLines | 'all' | 'part'): void
  /** The mark last seen, or undefined when never read. */
  lastRead(realPath: string): string | undefined
  /** Whether the agent has seen all of what it has last read there; parts add up. */
  hasSeenAll(realPath: string): boolean
  /** Nothing has been read: the conversation has gone back. */
  forget(): void
}

/** What a workspace is made of. The folders may be given through symlinks; from then on their real paths count. */
export interface WorkspaceOptions {
  root: string
  addedFolders?: readonly string[]
  /** Default: nothing has been read. Pass the same one on when the folders of a session change. */
  reads?: ReadState
  /** What `~` means; default: the user's home folder. */
  home?: string
  /** Asked whenever a file is read or written; default: no editor. */
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
      // Not `path`: the system follows a link before it goes up with `..`, and so do we.
      const start = paths.isAbsolute(expanded)
        ? withRootDrive(paths.native(expanded), realRoot, paths)
        : `${realRoot}${sep}${expanded}`
      const { realPath, problem } = await realPathOf(start, paths, disk)
      return {
        // One place has one spelling, so that rules say the same of it however it was written.
        path: paths.isSame(path, realPath) ? realPath : path,
        realPath,
        inside: problem === undefined && folders.some((folder) => paths.isWithin(realPath, folder)),
        sensitive: sensitiveRule(path) ?? (realPath === path ? undefined : sensitiveRule(realPath)),
        ...(problem !== undefined && { problem }),
      }
    },
    display(absolutePath) {
      if (absolutePath === realRoot) return '.'
      // Nearly every path is written in the plainest way: what follows the root is the relative path.
      if (absolutePath.startsWith(below) && !NOT_PLAIN.test(absolutePath)) return absolutePath.slice(below.length)
      return paths.isWithin(absolutePath, realRoot) ? paths.path.relative(realRoot, absolutePath) || '.' : absolutePath
    },
  }
}

/** In a path: an empty name, `.` or `..`, or a separator at the end. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/

/** A folder that is gone keeps the path it was given; the engine says so when the session is opened. */
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

/** Only the user's own home: `~` and `~/x`. A file that is really called `~` can be written as `./~`. */
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
  /** Lines shown, as ranges that neither touch nor overlap, in order. */
  #ranges: [first: number, last: number][] = []
  /** Of lines that are shown in parts: up to which character. */
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
