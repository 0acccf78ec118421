import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { dirname } from 'node:path'
import { errorCode, errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { PLAIN_DIFF } from '../../git/run/run-git'
import type { OpenRepository } from '../../git/repository/open-repository'
import { isSafeTreePath } from '../../git/run/git-path'
import { FileProblem } from '../../workspace/path/file-problem'
import { inPlainFolder, type RawPath } from '../../git/run/plain-path'

const MAX_PATCH_BYTES = 1024 * 1024 * 1024
const MAX_CONTENT_BYTES = 1024 * 1024 * 1024
const MAX_LIST_BYTES = 256 * 1024 * 1024
/** Files that are read from git at a time. */
const BATCH = 100

/**
 * Writes the difference between a commit and a tree as a patch for `git apply`, binary files included. Rejects with
 * `worktree.not_saved`, and never leaves an incomplete file.
 */
export async function writePatch(
  repository: OpenRepository,
  { commit, tree, file }: { commit: string; tree: string; file: string },
): Promise<void> {
  const { stdout } = await repository.read(
    [
      'diff-tree',
      '-p',
      '--binary',
      '--full-index',
      '--no-renames',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      ...PLAIN_DIFF,
      commit,
      tree,
    ],
    { maxBytes: MAX_PATCH_BYTES },
  )
  const head = `Changes on the commit ${commit}. To apply them: git apply --binary THIS-FILE\n\n`
  const temporary = `${file}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const handle = openSync(temporary, 'wx', 0o600)
    try {
      for (const part of [Buffer.from(head), stdout])
        for (let at = 0; at < part.length;) at += writeSync(handle, part, at)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new CodedError('worktree.not_saved', `The patch could not be written to ${file}: ${errorText(error)}`, {
      cause: error,
    })
  }
}

interface Change {
  path: RawPath
  mode: string
  hash: string
}

/** The files that differ between two trees, as in the second; a `hash` of zeros: deleted there. */
async function changesBetween(repository: OpenRepository, from: string, to: string): Promise<Change[]> {
  const { stdout } = await repository.read(
    ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to],
    {
      maxBytes: MAX_LIST_BYTES,
    },
  )
  const fields = stdout.toString('latin1').split('\0')
  const changes: Change[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , hash = ''] = fields[at]!.split(' ')
    changes.push({ path: fields[at + 1]!, mode, hash })
  }
  return changes.filter(({ mode, path }) => mode !== '160000' && isSafeTreePath(path))
}

/**
 * Changes the files of a working tree from the tree `from` to the tree `to`, byte for byte. Only for a working tree
 * that was just created: existing files are replaced.
 */
export async function writeFiles(repository: OpenRepository, from: string, to: string): Promise<number> {
  const changes = await changesBetween(repository, from, to)
  for (const { path, hash } of changes) if (isGone(hash)) removeOne(repository.top, path)
  const written = changes.filter(({ hash }) => !isGone(hash))
  for (let at = 0; at < written.length; at += BATCH) {
    const batch = written.slice(at, at + BATCH)
    const contents = await contentsOf(
      repository,
      batch.map(({ hash }) => hash),
    )
    for (const [index, change] of batch.entries()) writeOne(repository.top, change, contents[index]!)
  }
  return changes.length
}

function removeOne(top: string, path: RawPath): void {
  try {
    inPlainFolder(top, path, {}, (place) => rmSync(place, { force: true }))
  } catch (error) {
    // If its folder is missing, so is the file; a file behind a link is not this one.
    const isAway = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
    if (!isAway && !(error instanceof FileProblem && error.kind === 'changed')) throw error
  }
}

function writeOne(top: string, { path, mode }: Change, content: Buffer): void {
  inPlainFolder(top, path, { make: true }, (place) => {
    rmSync(place, { force: true, recursive: true })
    if (mode === '120000') symlinkSync(isUtf8(content) ? content.toString('utf8') : content, place)
    else writeFileSync(place, content, { flag: 'wx', mode: mode === '100755' ? 0o777 : 0o666 })
  })
}

/** What `git cat-file --batch` prints: a line for each object, and its bytes. */
async function contentsOf(repository: OpenRepository, hashes: readonly string[]): Promise<Buffer[]> {
  const { stdout } = await repository.read(['cat-file', '--batch'], {
    input: `${hashes.join('\n')}\n`,
    maxBytes: MAX_CONTENT_BYTES,
  })
  const contents: Buffer[] = []
  let at = 0
  for (const hash of hashes) {
    const end = stdout.indexOf(10, at)
    const size = Number(/ blob (\d+)$/.exec(stdout.subarray(at, end).toString('latin1'))?.[1])
    if (!Number.isInteger(size)) throw new CodedError('git.not_found', `The repository no longer has ${hash}.`)
    contents.push(stdout.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return contents
}

function isGone(hash: string): boolean {
  return /^0+$/.test(hash)
}
