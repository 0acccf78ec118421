import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { IgnoreRules } from './ignore-rules'

const FOLDERS_AT_ONCE = 8

export interface TreeEntry {
  /** Absolute. */
  path: string
  /** From the folder the walk began in, with `/` on every system. */
  inner: string
  /** A symlink is a `file` here whatever it points to: links are never followed. */
  isFolder: boolean
}

export interface Walk {
  rules: IgnoreRules
  /** Told of every entry that the rules do not hide, in no particular order; true: go into this folder. */
  visit(entry: TreeEntry): boolean
  /** As of `performance.now()`. */
  deadline: number
  signal: AbortSignal
}

export interface WalkResult {
  /** False when time ran out or `signal` aborted. */
  complete: boolean
  /** Folders that could not be listed. */
  unreadable: string[]
}

/** Walks the tree below `folder`. Rejects only when `folder` itself cannot be listed. */
export async function walkTree(folder: string, walk: Walk): Promise<WalkResult> {
  const waiting: { path: string; inner: string; rules: IgnoreRules }[] = []
  const unreadable: string[] = []
  const goOn = (): boolean => !walk.signal.aborted && performance.now() < walk.deadline

  const list = async (path: string, inner: string, rules: IgnoreRules): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const found = { path: join(path, entry.name), inner: inner + entry.name, isFolder: entry.isDirectory() }
      if (rules.ignores(found.path, found.isFolder)) continue
      if (walk.visit(found) && found.isFolder) waiting.push({ path: found.path, inner: `${found.inner}/`, rules })
    }
  }
  await list(folder, '', walk.rules)
  await new Promise<void>((resolve) => {
    let active = 0
    const pump = (): void => {
      for (let next = goOn() ? waiting.pop() : undefined; next; next = active < FOLDERS_AT_ONCE && goOn() ? waiting.pop() : undefined) {
        const { path, inner, rules } = next
        active++
        void list(path, inner, rules.into(path))
          .catch(() => unreadable.push(path))
          .finally(() => {
            active--
            pump()
          })
      }
      if (active === 0) resolve()
    }
    pump()
  })
  return { complete: waiting.length === 0 && goOn(), unreadable }
}
