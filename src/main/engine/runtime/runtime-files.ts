import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { PackagedRuntime } from './plain-node'

/** A file of a runtime. */
export interface RuntimeFile {
  /** Where it lies. */
  path: string
  /** Where it belongs in a runtime's folder, with `/`. */
  name: string
  bytes: number
}

/** How many files are looked at, or copied, at once. */
const AT_ONCE = 8

/** The files of the package that a runtime consists of: Node, with what lies beside it, and the app. */
export async function filesOfPackage({ node, app }: PackagedRuntime): Promise<RuntimeFile[]> {
  await stat(node)
  return [...(await filesBelow(dirname(node), 'bin/')), ...(await filesBelow(app, 'app/'))]
}

/** The files in a folder and the folders in it. A link counts as what it leads to. */
export async function filesBelow(folder: string, prefix = ''): Promise<RuntimeFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: RuntimeFile[] = []
  await eachOf(entries, async (entry) => {
    if (entry.isDirectory()) return
    const path = join(entry.parentPath, entry.name)
    const found = await stat(path)
    if (found.isFile()) files.push({ path, name: prefix + path.slice(folder.length + 1).replaceAll(sep, '/'), bytes: found.size })
  })
  return files
}

/** Tells one build from another: the bundler puts a digest of their contents into the names of the chunks. */
export function fingerprintOf(files: readonly RuntimeFile[]): string {
  const hash = createHash('sha256')
  const lines = files.map(({ name, bytes }) => `${name} ${bytes}\n`)
  for (const line of lines.toSorted()) hash.update(line)
  return hash.digest('hex').slice(0, 12)
}

/** Does the work for every item, for a few at a time; rejects with the first failure. */
export async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const failures: unknown[] = []
  const workOn = async (): Promise<void> => {
    for (const item of rest) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  // When it rejects, nothing is at work any longer.
  await Promise.all(Array.from({ length: AT_ONCE }, workOn))
  if (failures.length > 0) throw failures[0]
}
