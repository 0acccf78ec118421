import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'

/** A change in a folder. Changes that are not possible at that time are skipped. */
export type TreeChange =
  | { do: 'write'; path: string; content: string }
  | { do: 'append'; path: string; content: string }
  | { do: 'delete' | 'folder'; path: string }
  | { do: 'rename'; path: string; to: string }
  | { do: 'mode'; path: string; mode: number }
  | { do: 'link'; path: string; target: string }

const NAMES = ['a', 'b.txt', 'run.sh', 'ü ñ 名.md', 'dir', 'deep', "it's $(odd)"]
const name = fc.constantFrom(...NAMES)
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const content = fc.oneof(
  fc.constantFrom('', 'one\ntwo\n', 'one\r\ntwo\r\n', '\ufeffmark', '\0\u0001binary\0', 'x'.repeat(70_000)),
  fc.string({ maxLength: 40 }),
)

/** Any change that a command or another program can make. */
export const treeChange: fc.Arbitrary<TreeChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('append' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'folder' as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), path, to: path }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('mode' as const), path, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o400) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('link' as const),
      path,
      target: fc.constantFrom('a', '../b.txt', 'nowhere'),
    }),
  },
)

/** Applies the change below `root`. `sign` is part of what is written, to identify the writer. */
export function changeTree(root: string, change: TreeChange, sign: string): void {
  const at = join(root, change.path)
  try {
    switch (change.do) {
      case 'write':
      case 'append':
        mkdirSync(dirname(at), { recursive: true })
        if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(at)
        return writeFileSync(at, change.content + sign, { flag: change.do === 'write' ? 'w' : 'a' })
      case 'delete':
        return rmSync(at, { recursive: true })
      case 'folder':
        return void mkdirSync(at, { recursive: true })
      case 'rename':
        return renameSync(at, join(root, change.to))
      case 'mode':
        return chmodSync(at, lstatSync(at).isDirectory() ? 0o755 : change.mode)
      case 'link':
        mkdirSync(dirname(at), { recursive: true })
        return symlinkSync(change.target, at)
    }
  } catch {
    // A folder in place of a file, or nothing to delete: the change is skipped.
  }
}

/** Everything below a folder: kind, permissions and content by path. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {}
  const walk = (folder: string, inner: string): void => {
    for (const entry of readdirSync(folder).toSorted()) {
      const at = join(folder, entry)
      const stat = lstatSync(at)
      const mode = (stat.mode & 0o7777).toString(8)
      if (stat.isSymbolicLink()) tree[inner + entry] = `link ${readlinkSync(at)}`
      else if (stat.isDirectory()) {
        tree[inner + entry] = `folder ${mode}`
        walk(at, `${inner}${entry}/`)
      } else tree[inner + entry] = `file ${mode} ${readFileSync(at).toString('base64')}`
    }
  }
  walk(root, '')
  return tree
}

/** Every file of a project outside git's own folder, with its content. Git does not track folders. */
export const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(treeOf(folder)).filter(([path, what]) => !path.startsWith('.git/') && !what.startsWith('folder')),
  )
