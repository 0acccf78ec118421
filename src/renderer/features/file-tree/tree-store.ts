import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import type { FolderEntries } from '../../../shared/model/project/file-view'
import { failureFrom } from '../../client/failure-from'
import type { TreeState } from './tree-rows'

/** Maximum number of folders refreshed at a time. */
const MAX_REFRESHED = 60

/** The folders of one session's tree that were opened. */
export interface Tree extends TreeState {
  /** The row with the keyboard focus. */
  active: string | undefined
}

const EMPTY: Tree = { folders: new Map(), problems: new Map(), open: new Set(), active: undefined }

interface Trees {
  bySession: Readonly<Record<string, Tree>>
}

export const useTrees = create<Trees>()(() => ({ bySession: {} }))

function change(sessionId: string, next: (tree: Tree) => Partial<Tree>): void {
  useTrees.setState(({ bySession }) => {
    const tree = bySession[sessionId] ?? EMPTY
    return { bySession: { ...bySession, [sessionId]: { ...tree, ...next(tree) } } }
  })
}

export function useTree(sessionId: string): Tree {
  return useTrees(({ bySession }) => bySession[sessionId] ?? EMPTY)
}

export function setActive(sessionId: string, active: string): void {
  change(sessionId, () => ({ active }))
}

/** Lists a folder of the session's project. */
export async function loadFolder(client: TrestleClient, sessionId: string, path: string): Promise<void> {
  try {
    const entries = await client.file.folder({ sessionId, path })
    change(sessionId, ({ folders, problems }) => {
      const known = folders.get(path)
      if (known && isSame(known, entries) && !problems.has(path)) return {}
      return { folders: new Map(folders).set(path, entries), problems: without(problems, path) }
    })
  } catch (error) {
    const { message } = failureFrom(error)
    change(sessionId, ({ folders, problems }) => ({
      folders: without(folders, path),
      problems: new Map(problems).set(path, message.replace(/^path: /, '')),
    }))
  }
}

export function openFolder(client: TrestleClient, sessionId: string, path: string): void {
  change(sessionId, ({ open }) => ({ open: new Set(open).add(path) }))
  void loadFolder(client, sessionId, path)
}

export function closeFolder(sessionId: string, path: string): void {
  change(sessionId, ({ open }) => {
    const next = new Set(open)
    next.delete(path)
    return { open: next }
  })
}

/** Refreshes the open folders. */
export async function refreshTree(client: TrestleClient, sessionId: string, root: string): Promise<void> {
  const { open } = useTrees.getState().bySession[sessionId] ?? EMPTY
  for (const path of [root, ...open].slice(0, MAX_REFRESHED)) await loadFolder(client, sessionId, path)
}

function isSame(a: FolderEntries, b: FolderEntries): boolean {
  return a.more === b.more && a.entries.length === b.entries.length && JSON.stringify(a) === JSON.stringify(b)
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const next = new Map(map)
  next.delete(key)
  return next
}
