import { isUtf8 } from 'node:buffer'
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitPath } from '../../../../shared/model/project/git'

/**
 * Names that mean `.git` on a file system that ignores case, invisible characters (macOS), or trailing dots and spaces
 * and anything after a colon (Windows), and its short name there. Git refuses them too.
 */
const REPOSITORY = /^(?:\.git|git~\d+)$/
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a path from a repository, as latin1, stays below the folder it is relative to and outside the repository
 * itself. A malicious one can have any names, even those git refuses to create.
 */
export function isSafeTreePath(latin1: string): boolean {
  return !latin1.includes('\0') && latin1.split('/').every(isSafeName)
}

function isSafeName(latin1: string): boolean {
  if (latin1 === '' || latin1 === '.' || latin1 === '..') return false
  const name = Buffer.from(latin1, 'latin1').toString('utf8')
  // On Windows these separate folders, or start a drive or a file stream.
  if (process.platform === 'win32' && /[\\:]/.test(name)) return false
  return name.split('\\').every((part) => {
    const folded = part
      .replaceAll(INVISIBLE, '')
      .toLowerCase()
      .replace(/:.*$/s, '')
      .replace(/[. ]+$/, '')
    return !REPOSITORY.test(folded)
  })
}

/** A path from its bytes as latin1. */
export function gitPath(latin1: string): GitPath {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : `\0${bytes.toString('hex')}`
}

/** The bytes of a path, as in git. */
export function pathBytes(path: GitPath): Buffer {
  return path.startsWith('\0') ? Buffer.from(path.slice(1), 'hex') : Buffer.from(path, 'utf8')
}

/** The same as latin1. */
export function rawPath(path: GitPath): string {
  return pathBytes(path).toString('latin1')
}

/** Whether a path names a folder, in the form git prints when it does not list the files. */
export function isFolderPath(path: GitPath): boolean {
  return pathBytes(path).at(-1) === 0x2f
}

/** Whether a path is inside a folder, whose path ends with `/`. */
export function isInFolder(path: GitPath, folder: GitPath): boolean {
  return pathBytes(path).toString('latin1').startsWith(pathBytes(folder).toString('latin1'))
}

/** Relative to the top, and never a pattern. */
const LITERAL = ':(top,literal)'

/** Paths for `--pathspec-from-file=- --pathspec-file-nul`, which accepts any bytes. */
export function pathList(paths: readonly GitPath[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(LITERAL), pathBytes(path), Buffer.from([0])]))
}

export const FROM_STDIN: readonly string[] = ['--pathspec-from-file=-', '--pathspec-file-nul']

/**
 * A path as an argument, for commands that accept no list. Bytes that an argument cannot contain are matched by `?`, so
 * more than one file may match: compare the names.
 */
export function pathArgument(path: GitPath): string {
  if (!path.startsWith('\0')) return `${LITERAL}${path}`
  const pattern = [...pathBytes(path)]
    .map((byte) => {
      if (byte >= 0x80) return '?'
      const character = String.fromCharCode(byte)
      return /[*?[\]\\]/.test(character) ? `\\${character}` : character
    })
    .join('')
  return `:(top,glob)${pattern}`
}

/**
 * The path in the repository of a file given as an absolute path or relative to a folder. Throws `request.invalid` if
 * it is outside.
 */
export function pathInRepository(top: string, folder: string, file: string): GitPath {
  let real = resolve(folder, file)
  try {
    // A link to the folder may be in the path, but a link that is itself tracked is not followed.
    real = join(realpathSync.native(dirname(real)), basename(real))
  } catch {
    // The file was deleted, but its history exists.
  }
  const path = relative(top, real).split(sep).join('/')
  if (path === '' || path === '..' || path.startsWith('../') || isAbsolute(path))
    throw new CodedError('request.invalid', `${file} is not in the repository.`)
  return path
}

/**
 * The path on disk. Throws `request.invalid` for a path that leaves the working tree through `..` or a link, or that is
 * inside the repository itself.
 */
export function diskPath(top: string, path: GitPath): Buffer | string {
  const bytes = pathBytes(path)
  const parts = bytes.toString('latin1').split('/')
  const refuse = (): never => {
    throw new CodedError('request.invalid', `${gitPathText(path)} is not a path in the repository.`)
  }
  if (!isSafeTreePath(bytes.toString('latin1'))) refuse()
  const at = (count: number): Buffer | string => joined(top, parts.slice(0, count).join('/'))
  for (let count = 1; count < parts.length; count += 1) {
    const stat = lstatSync(at(count), { throwIfNoEntry: false })
    if (stat && !stat.isDirectory()) refuse()
  }
  return at(parts.length)
}

/** Text if possible, because only that works on every system. */
function joined(top: string, latin1: string): Buffer | string {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? join(top, bytes.toString('utf8')) : Buffer.concat([Buffer.from(`${top}/`), bytes])
}
