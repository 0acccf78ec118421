import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitKept, type GitPath } from '../../../../shared/model/project/git'
import { writePrivateFile } from '../../config/write-private-file'
import type { Repository } from '../run/find-repository'
import { diskPath, gitPath, isFolderPath, rawPath } from '../run/git-path'
import { copyPlainFile, inPlainFolder } from '../run/plain-path'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Retention of kept content. */
const KEEP_MS = 30 * DAY_MS
const MAX_LISTED = 100

const Meta = z.object({
  id: z.string(),
  at: z.number(),
  reason: z.string(),
  top: z.string(),
  files: z.array(z.object({ path: z.string(), link: z.string().optional(), mode: z.number() })),
})
type Meta = z.infer<typeof Meta>

/** Copies of what is about to be removed or overwritten in a working tree, kept in the home for 30 days. */
export interface KeptContent {
  /**
   * Copies the files at these paths, including the contents of folders. Returns the id of the copies, or undefined if
   * nothing exists at these paths. Call before anything is changed.
   */
  keep(repository: Repository, paths: readonly GitPath[], reason: string): string | undefined
  list(repository: Repository): GitKept[]
  /** Restores the copies. The current content is kept first, under the returned id. */
  restore(repository: Repository, id: string): { paths: GitPath[]; kept?: string }
}

export function createKeptContent({ home, now }: { home: string; now(): number }): KeptContent {
  const folderOf = ({ top }: Repository): string =>
    join(home, 'git', 'kept', createHash('sha256').update(top).digest('hex').slice(0, 32))

  function keep(repository: Repository, paths: readonly GitPath[], reason: string): string | undefined {
    const files = paths.flatMap((path) => filesAt(repository.top, path))
    if (files.length === 0) return undefined
    const at = now()
    const id = `${at}-${randomBytes(4).toString('hex')}`
    const parent = folderOf(repository)
    const temporary = join(parent, `.${id}`)
    mkdirSync(temporary, { recursive: true, mode: 0o700 })
    try {
      const meta: Meta = { id, at, reason, top: repository.top, files: [] }
      files.forEach((path, index) => {
        meta.files.push({ path, ...copyOf(repository.top, path, join(temporary, String(index))) })
      })
      writePrivateFile(join(temporary, 'meta.json'), JSON.stringify(meta))
      renameSync(temporary, join(parent, id))
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true })
      throw error
    }
    prune(parent, at)
    return id
  }

  function metaOf(repository: Repository, id: string): Meta | undefined {
    try {
      return Meta.parse(JSON.parse(readFileSync(join(folderOf(repository), id, 'meta.json'), 'utf8')))
    } catch {
      return undefined
    }
  }

  return {
    keep,
    list(repository) {
      let names: string[]
      try {
        names = readdirSync(folderOf(repository))
      } catch {
        return []
      }
      return names
        .filter((name) => /^\d/.test(name))
        .toSorted((a, b) => Number(b.split('-')[0]) - Number(a.split('-')[0]))
        .slice(0, MAX_LISTED)
        .flatMap((id) => {
          const meta = metaOf(repository, id)
          return meta ? [{ id, at: meta.at, reason: meta.reason, paths: meta.files.map(({ path }) => path) }] : []
        })
    },
    restore(repository, id) {
      const meta = /^[\w-]+$/.test(id) ? metaOf(repository, id) : undefined
      if (!meta) throw new CodedError('git.not_found', 'These copies are no longer kept.')
      const folder = join(folderOf(repository), id)
      const targets = meta.files.map((file, index) => ({
        file,
        copy: join(folder, String(index)),
        disk: diskPath(repository.top, file.path),
      }))
      for (const { file, disk } of targets)
        if (lstatSync(disk, { throwIfNoEntry: false })?.isDirectory())
          throw new CodedError('git.would_overwrite', `A folder has taken the place of ${gitPathText(file.path)}.`)
      const kept = keep(
        repository,
        meta.files.map(({ path }) => path),
        'Replaced by a restore',
      )
      for (const { file, copy } of targets)
        inPlainFolder(repository.top, rawPath(file.path), { make: true }, (place) => putBack(file, copy, place))
      return { paths: meta.files.map(({ path }) => path), ...(kept !== undefined && { kept }) }
    },
  }
}

/** Removes copies past their retention. */
function prune(parent: string, at: number): void {
  for (const name of readdirSync(parent)) {
    const time = Number(name.replace(/^\./, '').split('-')[0])
    if (time > 0 && time < at - KEEP_MS) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

type MetaFile = Meta['files'][number]

/** Copies a file, or records a link's target. Throws if neither exists any longer. */
function copyOf(top: string, path: GitPath, copy: string): Omit<MetaFile, 'path'> {
  const file = copyPlainFile(top, rawPath(path), copy)
  if (file) return file
  return inPlainFolder(top, rawPath(path), {}, (place) => ({
    mode: lstatSync(place).mode & 0o777,
    link: readlinkSync(place, 'latin1'),
  }))
}

/** `place`: in a folder that is kept open. */
function putBack({ link, mode }: MetaFile, copy: string, place: string | Buffer): void {
  rmSync(place, { force: true })
  if (link !== undefined) return symlinkSync(Buffer.from(link, 'latin1'), place)
  copyFileSync(copy, place, constants.COPYFILE_EXCL)
  const handle = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    fchmodSync(handle, mode)
  } finally {
    closeSync(handle)
  }
}

/**
 * Files and links at a path, or below it. Throws if a folder contains a repository, because copying its files would not
 * be enough.
 */
function filesAt(top: string, given: GitPath): GitPath[] {
  const path = isFolderPath(given) ? gitPath(rawPath(given).slice(0, -1)) : given
  const disk = diskPath(top, path)
  const stat = lstatSync(disk, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return stat.isFile() || stat.isSymbolicLink() ? [path] : []
  const names = readdirSync(disk, { encoding: 'buffer' })
  if (names.some((name) => name.toString('latin1').toLowerCase() === '.git'))
    throw new CodedError('git.nested', `${gitPathText(path)} holds a repository of its own.`)
  return names.flatMap((name) => filesAt(top, gitPath(`${rawPath(path)}/${name.toString('latin1')}`)))
}
