import { randomBytes, createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, rename, rm, stat, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { errorCode, errorText } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import type { PackagedRuntime } from './plain-node'
import { runtimesInUse } from './runtimes-in-use'

export interface InstallOptions {
  /** Real path. */
  home: string
  version: string
  packaged: PackagedRuntime
}

/** A younger runtime may be about to be used. */
const YOUNG_MS = 10 * 60_000
/** Age at which an unfinished copy counts as abandoned; copying takes far less. */
const ABANDONED_MS = 60 * 60_000
const [PART, OLD] = ['.part-', '.old-']

/**
 * The runtime of this app in `<home>/runtime/<version>-<build>`, copied there unless it exists: what is started from it
 * survives an update of the app, its removal, and the unmounting of an AppImage. The copy appears atomically, however
 * many processes copy at once, and a damaged one is replaced. Throws CodedError `task.host_unavailable` if it cannot be
 * copied.
 */
export async function installRuntime({ home, version, packaged }: InstallOptions): Promise<PackagedRuntime> {
  const base = join(home, 'runtime')
  const files = await filesOfPackage(packaged).catch((error: unknown) => {
    throw unavailable('The installation of Trestle is damaged; install it again.', error)
  })
  const name = `${version}-${fingerprintOf(files)}`
  const folder = join(base, name)
  try {
    if (!(await isWhole(folder, files))) await copyTo(folder, files)
    // Marks it as in use for cleanups.
    await utimes(folder, new Date(), new Date())
    if (process.platform !== 'win32') await makeCurrent(base, name)
  } catch (error) {
    throw unavailable(whyNot(error, base, files), error)
  }
  return { node: join(folder, 'bin', basename(packaged.node)), app: join(folder, 'app') }
}

/** Links `current` to this runtime, for programs that need a path that survives updates. */
async function makeCurrent(base: string, name: string): Promise<void> {
  const link = join(base, 'current')
  if ((await readlink(link).catch(() => undefined)) === name) return
  const aside = unusedName(base, PART)
  await symlink(name, aside)
  await rename(aside, link)
}

async function isWhole(folder: string, wanted: readonly RuntimeFile[]): Promise<boolean> {
  const found = await filesBelow(folder).catch(() => [])
  return found.length === wanted.length && fingerprintOf(found) === fingerprintOf(wanted)
}

async function copyTo(folder: string, files: readonly RuntimeFile[]): Promise<void> {
  const base = dirname(folder)
  await mkdir(base, { recursive: true, mode: 0o700 })
  const part = unusedName(base, PART)
  try {
    const folders = new Set(files.map(({ name }) => dirname(join(part, name))))
    for (const each of folders) await mkdir(each, { recursive: true, mode: 0o700 })
    await forEachLimited(files, ({ path, name }) => copyFile(path, join(part, name), constants.COPYFILE_FICLONE))
    await replace(part, folder, files)
  } finally {
    await rm(part, { recursive: true, force: true }).catch(() => {})
  }
}

async function replace(part: string, folder: string, files: readonly RuntimeFile[]): Promise<void> {
  try {
    return await rename(part, folder)
  } catch (error) {
    if (await isWhole(folder, files)) return
    // The existing one is damaged; or it does not exist, and the rename failed for another reason.
    const aside = unusedName(dirname(folder), OLD)
    await rename(folder, aside).catch(() => {
      throw error
    })
    await rename(part, folder)
  }
}

/**
 * Removes runtimes of other versions that no live process runs from, and unfinished copies. `keep`: path of a file in
 * the runtime to keep. Failures are left to the next run.
 */
export async function removeOldRuntimes(home: string, { app: keep }: PackagedRuntime): Promise<void> {
  const base = join(home, 'runtime')
  const used = await runtimesInUse(base)
  for (const entry of await readdir(base, { withFileTypes: true }).catch(() => [])) {
    const path = join(base, entry.name)
    if (!entry.isDirectory() || entry.name === 'users' || used.has(entry.name) || dirname(keep) === path) continue
    const age = Date.now() - (await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now))
    if (entry.name.startsWith(PART) ? age < ABANDONED_MS : !entry.name.startsWith(OLD) && age < YOUNG_MS) continue
    // Renaming first removes it atomically, and fails where the system protects running programs from being moved.
    const aside = entry.name.startsWith(OLD) ? path : unusedName(base, OLD)
    if (aside === path || (await rename(path, aside).then(succeeded, failed)))
      await rm(aside, { recursive: true, force: true }).catch(() => {})
  }
}

const succeeded = (): boolean => true
const failed = (): boolean => false

function unusedName(base: string, prefix: string): string {
  return join(base, prefix + randomBytes(8).toString('hex'))
}

function whyNot(error: unknown, base: string, files: readonly RuntimeFile[]): string {
  const code = errorCode(error)
  const megabytes = Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return (
      `The disk is full. Trestle keeps a copy of what runs commands in ${base}, which takes ${megabytes} MB. ` +
      'Free some space and try again.'
    )
  return `Trestle could not copy what runs commands to ${base}: ` + errorText(error)
}

function unavailable(message: string, cause: unknown): CodedError {
  return new CodedError('task.host_unavailable', message, { cause })
}

/** A file of a runtime. */
interface RuntimeFile {
  /** Its current path. */
  path: string
  /** Its path within a runtime's folder, with `/`. */
  name: string
  bytes: number
}

/** How many files are checked or copied concurrently. */
const AT_ONCE = 8

/** The files of the package that make up a runtime: Node, with the files next to it, and the app. */
async function filesOfPackage({ node, app }: PackagedRuntime): Promise<RuntimeFile[]> {
  await stat(node)
  return [...(await filesBelow(dirname(node), 'bin/')), ...(await filesBelow(app, 'app/'))]
}

/** The files in a folder and its subfolders. Links are followed. */
async function filesBelow(folder: string, prefix = ''): Promise<RuntimeFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: RuntimeFile[] = []
  await forEachLimited(entries, async (entry) => {
    if (entry.isDirectory()) return
    const path = join(entry.parentPath, entry.name)
    const found = await stat(path)
    if (found.isFile())
      files.push({ path, name: prefix + path.slice(folder.length + 1).replaceAll(sep, '/'), bytes: found.size })
  })
  return files
}

/** Identifies a build: the bundler puts content hashes into the names of the chunks. */
function fingerprintOf(files: readonly RuntimeFile[]): string {
  const hash = createHash('sha256')
  const lines = files.map(({ name, bytes }) => `${name} ${bytes}\n`)
  for (const line of lines.toSorted()) hash.update(line)
  return hash.digest('hex').slice(0, 12)
}

/** Runs `work` for every item with limited concurrency; rejects with the first failure. */
async function forEachLimited<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const failures: unknown[] = []
  const workOn = async (): Promise<void> => {
    for (const item of rest) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  // All workers have stopped before it rejects.
  await Promise.all(Array.from({ length: AT_ONCE }, workOn))
  if (failures.length > 0) throw failures[0]
}
