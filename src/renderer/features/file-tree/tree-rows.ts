import type { FolderEntries } from '../../../shared/model/project/file-view'

/** One row of the file tree. */
export interface TreeRow {
  /** Absolute. */
  path: string
  name: string
  /** From 1. */
  level: number
  isFolder: boolean
  isOpen: boolean
  isIgnored: boolean
  isLink: boolean
  /** Why it cannot be opened, a sentence. */
  closed: string | undefined
  /** A line instead of entries: that they are loading, why loading failed, or how many more there are. */
  note?: string
  position: number
  siblings: number
}

export interface TreeState {
  folders: ReadonlyMap<string, FolderEntries>
  problems: ReadonlyMap<string, string>
  open: ReadonlySet<string>
}

/** The path of an entry in a folder, with the folder's separator. */
export function pathIn(folder: string, name: string): string {
  const sep = folder.includes('\\') && !folder.includes('/') ? '\\' : '/'
  return folder.endsWith(sep) ? folder + name : `${folder}${sep}${name}`
}

/** The visible rows below a folder, in order. */
export function treeRows(root: string, state: TreeState): TreeRow[] {
  const rows: TreeRow[] = []
  addRows(rows, root, state, 1, false)
  return rows
}

function addRows(rows: TreeRow[], folder: string, state: TreeState, level: number, inIgnored: boolean): void {
  const listed = state.folders.get(folder)
  const base = { level, isFolder: false, isOpen: false, isIgnored: inIgnored, isLink: false, closed: undefined }
  const problem = state.problems.get(folder)
  if (!listed) {
    const note = problem ?? 'Loading…'
    rows.push({ ...base, path: `${folder}\0`, name: note, note, position: 1, siblings: 1 })
    return
  }
  const { entries, more } = listed
  const siblings = entries.length + (more === undefined ? 0 : 1)
  for (const [index, entry] of entries.entries()) {
    const path = pathIn(folder, entry.name)
    const isOpen = entry.isFolder && entry.closed === undefined && state.open.has(path)
    const isIgnored = inIgnored || entry.isIgnored === true
    rows.push({
      path,
      name: entry.name,
      level,
      isFolder: entry.isFolder,
      isOpen,
      isIgnored,
      isLink: entry.isLink === true,
      closed: entry.closed,
      position: index + 1,
      siblings,
    })
    if (isOpen) addRows(rows, path, state, level + 1, isIgnored)
  }
  if (entries.length === 0)
    rows.push({ ...base, path: `${folder}\0`, name: 'Empty', note: 'Empty', position: 1, siblings: 1 })
  if (more !== undefined) {
    const note = `${more.toLocaleString('en-US')} more not shown`
    rows.push({ ...base, path: `${folder}\0more`, name: note, note, position: siblings, siblings })
  }
}

/** The row that typing goes to: the next one whose name starts with the typed text. */
export function rowStartingWith(rows: readonly TreeRow[], from: number, typed: string): number | undefined {
  const wanted = typed.toLowerCase()
  // A single letter goes to the next row; further letters narrow the search.
  const start = wanted.length === 1 ? from + 1 : from
  for (let n = 0; n < rows.length; n++) {
    const index = (start + n) % rows.length
    const row = rows[index]
    if (row && row.note === undefined && row.name.toLowerCase().startsWith(wanted)) return index
  }
  return undefined
}

/** A file to open: in the viewer, or in the user's editor. */
export interface FileOpening {
  path: string
  inEditor: boolean
}

/** A path as in links: relative to the project folder. */
export function shownPath(path: string, roots: readonly string[]): string {
  const root = roots.find((each) => path.startsWith(`${each}/`) || path.startsWith(`${each}\\`))
  return root === undefined ? path : path.slice(root.length + 1)
}

/** A file change that the user requested. Paths are absolute. */
export type RequestedChange =
  | { kind: 'new'; folder: string }
  | { kind: 'rename'; path: string; isFolder: boolean }
  | { kind: 'delete'; path: string }

/** The actions on the rows of the tree. */
export interface TreeActions {
  open(opening: FileOpening): void
  ask(change: RequestedChange): void
  refresh(): void
}
