import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import Module, { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { withDefaultV8Flags } from './v8-flags'

/** The folder with the compiled program, for all homes and versions of a user. */
export function codeCacheFolder(): string {
  return join(tmpdir(), `trestle-code-${process.getuid?.() ?? 'cache'}`)
}

/**
 * The same folder without symbolic links, whether or not it exists; commands and tools of an agent must not write to
 * it. Undefined if no such folder is possible.
 */
export function realCodeCacheFolder(): string | undefined {
  return withoutLinks(codeCacheFolder())
}

function withoutLinks(folder: string): string | undefined {
  try {
    return isAbsolute(folder) ? join(realpathSync(dirname(folder)), basename(folder)) : undefined
  } catch {
    return undefined
  }
}

/** What a process does, which decides the functions it needs compiled: the `work` of agents, or a short command. */
export type CodeUse = 'work' | 'command'

/** Commands whose process may run an agent. */
const WORKS: ReadonlySet<string | undefined> = new Set(['print', 'chat', 'acp', 'wire', 'serve', 'engine'])

export function codeUseOf(command: string | undefined): CodeUse {
  return WORKS.has(command) ? 'work' : 'command'
}

/** Node's method to run the text of a CommonJS file: not documented, but packages have relied on it for ten years. */
const COMPILE = '_compile'
interface Compiles {
  [COMPILE](this: NodeJS.Module, source: string, filename: string, ...rest: unknown[]): unknown
}

interface Compiled {
  file: string
  script: Script
  /** The cache file that it came from. */
  kept: string | undefined
}

let compiled: Compiled[] | undefined
let hasCalls = false

/**
 * Loads the program's files (those in `program`) with the functions that earlier processes had compiled when they
 * ended, and keeps them for later ones. Node's own cache is written before anything has run: it has either no function
 * or all of them, three times as many as a start needs. Does nothing if there is no safe folder for it: code in the
 * folder runs as this user, so no other user must be able to write to it.
 */
export function enableCodeCache(use: CodeUse, place = codeCacheFolder(), program = import.meta.dirname): void {
  const folder = withoutLinks(place)
  if (folder === undefined || !isPrivate(folder)) return
  const cache = join(folder, `${use}-${cachedDataVersionTag()}`)
  const scripts: Compiled[] = (compiled = [])
  const modules = Module.prototype as unknown as Compiles
  const { [COMPILE]: compile } = modules
  modules[COMPILE] = function (source, filename, ...rest) {
    if (dirname(filename) !== program) return compile.call(this, source, filename, ...rest)
    const { size, mtimeMs } = lstatSync(filename)
    const file = join(cache, `${basename(filename)}-${size}-${mtimeMs}`)
    const kept = isOwn(folder) ? keptFor(file) : undefined
    const script = withDefaultV8Flags(
      () => new Script(Module.wrap(source), { filename, ...(kept && { cachedData: kept.content }) }),
    )
    scripts.push({ file, script, kept: script.cachedDataRejected === true ? undefined : kept?.path })
    const run = script.runInThisContext() as (this: unknown, ...args: unknown[]) => unknown
    return run.call(this.exports, this.exports, createRequire(filename), this, filename, dirname(filename))
  }
  process.once('exit', () => {
    // Long after startup, the system may have removed the folder, and another user may have created it.
    if (isPrivate(folder)) keep(cache)
  })
}

/**
 * Records that this process ran tool calls: for each file of the program, the first such process saves its compiled
 * code, even if a process without calls has saved it before.
 */
export function usedForCalls(): void {
  hasCalls = true
}

/** Suffix of the files written by processes that ran tool calls. */
const CALLS = '.calls'

function keptFor(file: string): { path: string; content: Buffer } | undefined {
  for (const path of [`${file}${CALLS}`, file]) {
    const content = contentOf(path)
    if (content) return { path, content }
  }
  return undefined
}

function keep(cache: string): void {
  const missing = compiled?.filter(({ kept }) => kept === undefined || (hasCalls && !kept.endsWith(CALLS))) ?? []
  if (missing.length === 0) return
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    for (const { file, script } of missing) {
      writeWhole(
        hasCalls ? `${file}${CALLS}` : file,
        withDefaultV8Flags(() => script.createCachedData()),
      )
      if (hasCalls) rmSync(file, { force: true })
    }
    removeOld(dirname(cache))
  } catch {
    // Without it, the next start just takes longer.
  }
}

/** Maximum age of unused files, for programs that were updated or removed. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000

function removeOld(folder: string): void {
  const caches = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const cache of caches.map(({ name }) => join(folder, name)))
    for (const file of readdirSync(cache).map((name) => join(cache, name))) {
      const { atimeMs, mtimeMs } = lstatSync(file)
      if (Math.max(atimeMs, mtimeMs) < Date.now() - MAX_AGE_MS) rmSync(file, { recursive: true })
    }
}

const NO_LINKS = constants.O_NOFOLLOW ?? 0
const READ_FLAGS = constants.O_RDONLY | NO_LINKS
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_LINKS

/** Writes the whole file or nothing, even in a power failure: V8 does not detect missing data in the middle. */
function writeWhole(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}`
  try {
    const handle = openSync(temporary, WRITE_FLAGS, 0o600)
    try {
      writeFileSync(handle, content)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    // On a full disk, processes that end must not leave more files.
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Undefined for a file that is missing, or not this user's. */
function contentOf(file: string): Buffer | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, READ_FLAGS)
    return process.getuid === undefined || fstatSync(handle).uid === process.getuid() ? readFileSync(handle) : undefined
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

/**
 * Whether the folder is private; creates it if it is missing. On Windows, the folder for temporary files belongs to the
 * user. A relative TMPDIR could point into any project, whose files also belong to the user.
 */
function isPrivate(folder: string): boolean {
  try {
    if (canBeReplaced(folder)) return false
    if (!isThere(folder)) mkdirSync(folder, { mode: 0o700 })
    return isOwn(folder)
  } catch {
    return false
  }
}

/** Whether the folder exists, belongs to this user, and cannot be opened by other users. */
function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder)
    if (!found.isDirectory()) return false
    return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
  } catch {
    return false
  }
}

/** Whether other users could replace this folder or one of its parents. */
function canBeReplaced(folder: string): boolean {
  if (process.getuid === undefined || dirname(folder) === folder) return false
  const { uid, mode } = lstatSync(dirname(folder))
  const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  return isShared || (uid !== 0 && uid !== process.getuid()) || canBeReplaced(dirname(folder))
}
