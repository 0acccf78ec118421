import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import { isOpenedAt } from '../workspace/file/pinned-folder'

/** A file of a plugin, read once, so that the same content is shown, hashed and used. */
export interface PluginFile {
  /** Path in the plugin's folder, with slashes. */
  path: string
  bytes: Buffer
  isExecutable: boolean
}

/** All files of a plugin, sorted by path. */
export interface PluginContent {
  files: readonly PluginFile[]
  /** Hash of the names, modes and bytes of all files. */
  hash: string
}

export const PLUGIN_LIMITS = {
  files: 500,
  /** As many as the files can be in, at most; a project's plugins are read again at each use. */
  folders: 4000,
  fileBytes: 1024 * 1024,
  totalBytes: 8 * 1024 * 1024,
  depth: 8,
  pathChars: 200,
}

// Does not wait for a FIFO, and does not follow a link that has replaced the file.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY
/** A folder is read again each time for this long after its last change, because file system times are coarse. */
const SETTLED_MS = 2_000

/** Checks the files of a plugin against the limits and computes their hash. Throws `plugin.refused`. */
export function pluginContent(found: readonly PluginFile[]): PluginContent {
  const { files: most, totalBytes } = PLUGIN_LIMITS
  if (found.length > most) refuse(`It has ${found.length} files; at most ${most} are allowed.`)
  const files = found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const names = new Set<string>()
  const hash = createHash('sha256')
  let total = 0
  for (const { path, bytes, isExecutable } of files) {
    checkPath(path)
    checkSize(path, bytes.length)
    total += bytes.length
    // On some systems, both names would be the same file.
    const name = path.normalize('NFC').toLowerCase()
    if (names.has(name)) refuse(`${path} appears twice, differing only in upper and lower case.`)
    names.add(name)
    hash.update(JSON.stringify([path, isExecutable, bytes.length])).update(bytes)
  }
  if (total > totalBytes) refuse(`Its files have more than ${megabytes(totalBytes)} MB together.`)
  return { files, hash: hash.digest('hex') }
}

/** Refuses paths that could leave the folder or mean another file on other systems. */
export function checkPath(path: string): void {
  const parts = path.split('/')
  if (path.length > PLUGIN_LIMITS.pathChars) refuse(`The path ${path.slice(0, 60)}… is too long.`)
  if (parts.length > PLUGIN_LIMITS.depth) refuse(`${path} is nested too deeply.`)
  if (/[\\:\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(path))
    refuse(`The name of ${JSON.stringify(path)} has a character that is not allowed.`)
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part) || /[. ]$/.test(part)))
    refuse(`The path ${JSON.stringify(path)} is not allowed.`)
}

export function checkSize(path: string, bytes: number): void {
  if (bytes > PLUGIN_LIMITS.fileBytes) refuse(`${path} is larger than ${megabytes(PLUGIN_LIMITS.fileBytes)} MB.`)
}

export function refuse(why: string): never {
  throw new CodedError('plugin.refused', why)
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024
}

const kept = new Map<string, { signature: string; content: PluginContent }>()
const MAX_KEPT = 64

/**
 * Reads the folder of a plugin (a real path); a `.git` at its top is skipped. Throws `plugin.refused` for links,
 * special files, forbidden names and exceeded limits. Unchanged folders are not read again.
 */
export function readPluginFolder(folder: string): PluginContent {
  const found = filesIn(folder)
  const signature = found.map(({ path, mark }) => `${path}\0${mark}`).join('\n')
  const known = kept.get(folder)
  if (known?.signature === signature) return known.content
  const content = pluginContent(
    found.map(({ path, isExecutable }) => ({ path, isExecutable, bytes: read(folder, path) })),
  )
  const isSettled = found.every(({ changedMs }) => changedMs < Date.now() - SETTLED_MS)
  const isSame = filesIn(folder).every(
    ({ path, mark }, index) => found[index]?.path === path && found[index].mark === mark,
  )
  kept.delete(folder)
  if (isSettled && isSame) kept.set(folder, { signature, content })
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
  return content
}

interface FoundFile {
  path: string
  isExecutable: boolean
  /** A value that changes whenever the file does. */
  mark: string
  changedMs: number
}

function filesIn(folder: string): FoundFile[] {
  const found: FoundFile[] = []
  let folders = 0
  const look = (inside: string): void => {
    for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (path === '.git') continue
      checkPath(path)
      if (entry.isSymbolicLink()) refuse(`${path} is a symbolic link. A plugin consists of plain files only.`)
      if (entry.isDirectory()) {
        folders += 1
        if (folders > PLUGIN_LIMITS.folders) refuse(`It has more than ${PLUGIN_LIMITS.folders} folders.`)
        look(path)
        continue
      }
      const stat = lstatSync(join(folder, path), { bigint: true })
      if (!stat.isFile()) refuse(`${path} is not a plain file.`)
      checkSize(path, Number(stat.size))
      const { dev, ino, size, mode, mtimeNs, ctimeNs } = stat
      found.push({
        path,
        isExecutable: (mode & 0o100n) !== 0n,
        mark: [dev, ino, size, mode, mtimeNs, ctimeNs].join(' '),
        changedMs: Number(ctimeNs / 1_000_000n),
      })
      if (found.length > PLUGIN_LIMITS.files) refuse(`It has more than ${PLUGIN_LIMITS.files} files.`)
    }
  }
  look('')
  return found
}

function read(folder: string, path: string): Buffer {
  const file = join(folder, path)
  const fd = openSync(file, OPEN_FLAGS)
  try {
    const { size } = fstatSync(fd)
    checkSize(path, size)
    if (!fstatSync(fd).isFile() || !isOpenedAt(fd, file)) refuse(`${path} was replaced while it was being read.`)
    const buffer = Buffer.alloc(size + 1)
    let length = 0
    for (let bytes = -1; bytes !== 0 && length < buffer.length; length += bytes)
      bytes = readSync(fd, buffer, length, buffer.length - length, null)
    if (length > size) refuse(`${path} grows while it is being read.`)
    return buffer.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}

/** The text of a file; undefined if it is missing or not UTF-8 text. */
export function textOf(content: PluginContent, path: string): string | undefined {
  const file = content.files.find((one) => one.path === path)
  return file && decode(file.bytes)
}

/** Undefined if it is not UTF-8 text. */
export function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
