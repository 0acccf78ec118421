import { errorCode } from '../../../../shared/error-text'
/**
 * A file operation that failed for a reason the model or the user can act on. Its message is a whole sentence that
 * names the file.
 */
export class FileProblem extends Error {
  readonly kind: 'missing' | 'changed' | 'other'

  constructor(message: string, kind: 'missing' | 'changed' | 'other' = 'other', cause?: unknown) {
    super(message, { cause })
    this.name = 'FileProblem'
    this.kind = kind
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is below something that is a file, not a folder',
  EISDIR: 'is a folder',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be changed: operation not permitted',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'does not fit: no space left on the disk',
  EDQUOT: 'does not fit: the disk quota is used up',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a symbolic link that was just created, or a loop of links',
  EMFILE: 'cannot be opened: too many open files; try again',
  ENFILE: 'cannot be opened: too many open files on this machine; try again',
  EBUSY: 'is in use by the system or another program',
  ETXTBSY: 'is a program that is running',
  EIO: 'cannot be read or written: the disk reports an error',
  ENXIO: 'is a device or socket that nothing is connected to',
  EINVAL: 'cannot have this name here',
}

/**
 * Turns a system error about the file shown as `shown` into a `FileProblem`; anything else (a bug) is returned
 * unchanged.
 */
export function fileProblem(error: unknown, shown: string): unknown {
  const code = errorCode(error)
  if (error instanceof FileProblem || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error
  return new FileProblem(
    `${shown} ${SENTENCES[code] ?? `could not be used (${code})`}.`,
    code === 'ENOENT' ? 'missing' : 'other',
    error,
  )
}
