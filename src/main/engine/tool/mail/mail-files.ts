import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  unlinkSync,
  type WriteStream,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { refuseSpecial } from '../../workspace/file/open-file'
import { isOpenedAt, pinFolder, replacedProblem } from '../../workspace/file/pinned-folder'
import type { ResolvedPath } from '../../workspace/workspace'
import { sizeText } from './mail-result'
import type { Attached } from './session-mail'
import { errorCode } from '../../../../shared/error-text'

/** Maximum total size of attachments; servers refuse larger messages. */
const MAX_TOTAL_BYTES = 20_000_000

/** A file with its content as shown and sent. */
export interface LoadedFile {
  name: string
  content: Buffer
  /** Name, size and digest, for the card: a file that changes later asks again. */
  label: string
}

/** Reads the files of a message. Throws a `FileProblem`. */
export function loadFiles(files: readonly Attached[]): LoadedFile[] {
  let total = 0
  return files.map(({ path, shown }) => {
    let fd: number | undefined
    try {
      refuseSpecial(lstatSync(path.realPath), shown)
      fd = openSync(path.realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      const stat = fstatSync(fd)
      if (!stat.isFile()) throw new FileProblem(`${shown} is not a regular file.`)
      if (!isOpenedAt(fd, path.realPath)) throw replacedProblem(shown)
      total += stat.size
      if (total > MAX_TOTAL_BYTES)
        throw new FileProblem(
          `The attachments are larger than ${sizeText(MAX_TOTAL_BYTES)} together, which mail servers refuse.`,
        )
      const content = readFileSync(fd)
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
      return {
        name: basename(path.realPath),
        content,
        label: `${shown} (${sizeText(content.length)}, SHA-256 ${digest}…)`,
      }
    } catch (error) {
      throw fileProblem(error, shown)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  })
}

/**
 * Creates a file in a folder that is kept open. Missing folders are created, and an existing file is never replaced.
 */
export function newFile(
  { realPath }: ResolvedPath,
  shown: string,
): { stream: WriteStream; discard(): void; close(): void } {
  const folder = pinFolder(dirname(realPath), { shown: dirname(shown), made: () => undefined })
  const path = folder.at(basename(realPath))
  let fd: number
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
  } catch (error) {
    folder.close()
    if (errorCode(error) === 'EEXIST')
      throw new FileProblem(`${shown} exists already, and attachments never replace a file. Choose another name.`)
    throw fileProblem(error, shown)
  }
  return {
    stream: createWriteStream(path, { fd }),
    discard() {
      try {
        unlinkSync(path)
      } catch {
        // Another process has already removed it.
      }
    },
    close: () => folder.close(),
  }
}
