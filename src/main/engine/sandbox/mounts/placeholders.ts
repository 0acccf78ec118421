import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ReservedFile } from './project-scan'
import { isRunning } from '../../process/process-identity'
import { errorCode } from '../../../../shared/error-text'

/** What a process has created in projects. */
interface Made {
  folders: string[]
  files: ReservedFile[]
}

/**
 * Empty folders and a few files at protected names that do not exist yet, because a mount needs a mount point. They are
 * removed when no sandbox needs them, including those that a killed process left behind.
 */
export class Placeholders {
  private readonly record: string
  private readonly folder: string
  /** The holders of each placeholder. */
  private readonly holders = new Map<string, Set<object>>()
  /** The contents of placeholder files. */
  private readonly contents = new Map<string, string>()
  private static readonly known = new Map<string, Placeholders>()

  /** This process's placeholders recorded in `folder`: one shared list per folder. */
  static in(folder: string): Placeholders {
    const known = Placeholders.known.get(folder) ?? new Placeholders(folder)
    Placeholders.known.set(folder, known)
    return known
  }

  constructor(folder: string) {
    this.folder = folder
    this.record = join(folder, `placeholders-${process.pid}.json`)
    this.removeLeft()
  }

  /** Creates what is missing. It is kept as long as `holder` or another holder needs it. */
  make(folders: readonly string[], files: readonly ReservedFile[], holder: object = this): void {
    const isNew = (path: string): boolean => !this.holders.has(path) || !existsSync(path)
    const newFolders = folders.filter(isNew)
    const newFiles = files.filter(({ path }) => isNew(path))
    for (const path of [...folders, ...files.map((file) => file.path)])
      this.holders.set(path, (this.holders.get(path) ?? new Set()).add(holder))
    for (const { path, content } of files) this.contents.set(path, content)
    if (newFolders.length + newFiles.length === 0) return
    // Recorded first, so that a crash leaves no unknown placeholders behind.
    this.write()
    for (const path of newFolders) unlessThere(() => inItsFolder(path, (exact) => mkdirSync(exact)))
    for (const { path, content } of newFiles)
      unlessThere(() => inItsFolder(path, (exact) => writeFileSync(exact, content, { flag: 'wx', mode: 0o644 })))
  }

  /** Removes the placeholders that only `holder` needs. */
  remove(holder: object = this): void {
    const free = [...this.holders].flatMap(([path, holders]) =>
      holders.delete(holder) && holders.size === 0 ? [path] : [],
    )
    if (free.length === 0) return
    const others = new Set(
      this.records().flatMap(({ pid, made }) => (pid === process.pid || !isRunning(pid) ? [] : pathsOf(made))),
    )
    removeUnused(this.made(free), others)
    for (const path of free) {
      this.holders.delete(path)
      this.contents.delete(path)
    }
    if (this.holders.size > 0) this.write()
    else rmSync(this.record, { force: true })
  }

  private made(paths: Iterable<string>): Made {
    const all = [...paths]
    return {
      folders: all.filter((path) => !this.contents.has(path)),
      files: all.flatMap((path) => (this.contents.has(path) ? [{ path, content: this.contents.get(path)! }] : [])),
    }
  }

  private write(): void {
    // The folder may have been removed since, such as a test's home.
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.record, JSON.stringify(this.made(this.holders.keys())), { mode: 0o600 })
  }

  private removeLeft(): void {
    const records = this.records()
    const living = new Set(records.filter(({ pid }) => isRunning(pid)).flatMap(({ made }) => pathsOf(made)))
    for (const { file, pid, made } of records) {
      if (isRunning(pid)) continue
      removeUnused(made, living)
      rmSync(file, { force: true })
    }
  }

  private records(): { file: string; pid: number; made: Made }[] {
    return recordFiles(this.folder).map(({ file, pid }) => ({ file, pid, made: readRecord(file) }))
  }
}

/**
 * Removes what sandboxes of killed processes left in projects. `folder` has their records.
 */
export function removeOrphanedPlaceholders(folder: string): void {
  if (existsSync(folder)) Placeholders.in(folder)
}

/**
 * Recognizes the placeholders that sandboxes of any Trestle process of this home have put into projects; they are not
 * the project's content. `folder` has their records.
 */
export function placeholdersIn(folder: string): (path: string) => boolean {
  const made = recordFiles(folder).map(({ file }) => readRecord(file))
  const contents = new Map(made.flatMap(({ files }) => files.map(({ path, content }) => [path, content] as const)))
  const folders = new Set(made.flatMap((one) => one.folders))
  return (path) => {
    try {
      // Only while it is empty.
      if (folders.has(path)) return readdirSync(path).length === 0
      return contents.has(path) && readFileSync(path, 'utf8') === contents.get(path)
    } catch {
      return false
    }
  }
}

function recordFiles(folder: string): { file: string; pid: number }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    const pid = /^placeholders-(\d+)\.json$/.exec(name)?.[1]
    return pid === undefined ? [] : [{ file: join(folder, name), pid: Number(pid) }]
  })
}

/**
 * Calls `use` with an alias of `path` that cannot be redirected: a command may be turning folders of the project into
 * links at this moment. Throws when the folder of `path` is missing or reached through a link.
 */
function inItsFolder(path: string, use: (exact: string) => void): void {
  const folder = dirname(path)
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`) !== folder)
      throw new Error(`${folder} changed while the sandbox was being set up. Try again.`)
    use(`/proc/self/fd/${fd}/${basename(path)}`)
  } finally {
    closeSync(fd)
  }
}

function unlessThere(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function readRecord(file: string): Made {
  try {
    const { folders, files } = JSON.parse(readFileSync(file, 'utf8')) as Made
    return { folders: [...folders], files: [...files] }
  } catch {
    return { folders: [], files: [] }
  }
}

function pathsOf({ folders, files }: Made): string[] {
  return [...folders, ...files.map(({ path }) => path)]
}

/** Removes only empty folders and unchanged files, so that no user data is lost. */
function removeUnused({ folders, files }: Made, used: ReadonlySet<string>): void {
  for (const { path, content } of files) {
    try {
      if (used.has(path)) continue
      inItsFolder(path, (exact) => {
        if (lstatSync(exact).isFile() && readFileSync(exact, 'utf8') === content) unlinkSync(exact)
      })
    } catch {
      // Already deleted, or its folder was replaced.
    }
  }
  for (const path of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      if (!used.has(path)) inItsFolder(path, (exact) => rmdirSync(exact))
    } catch {
      // No longer empty, already deleted, or its folder was replaced.
    }
  }
}
