import type { FileAccess } from './file-access'
import type { PathFlavor } from './path-flavor'

/**
 * The folders a session works in, and what its agent has read of them.
 */
export interface Workspace {
  /** Real path of the project folder: relative paths start here. */
  readonly root: string
  /** Real paths of further folders the user added to the session. */
  readonly addedFolders: readonly string[]
  /**
   * Where a path the model wrote really is: absolute, `~` expanded, every symlink on the way resolved, as the system does it (a link is followed
   * before a `..` behind it counts; for a file that is not there yet: its nearest existing parent). Throws nothing.
   */
  resolve(path: string): Promise<ResolvedPath>
  /** What the model and the user are shown: relative inside the root, else absolute. */
  display(absolutePath: string): string
  readonly reads: ReadState
  /** How its paths are written and compared. */
  readonly paths: PathFlavor
  /** What `~` means. */
  readonly userHome: string
  /** Whoever has files open beside the agent, with text that is not saved; absent: nobody. */
  readonly editor?: FileAccess | undefined
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

/** Which file contents the agent has seen; by real path and content (see content-mark.ts), kept for the life of the session. */
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
