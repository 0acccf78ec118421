import { realpath, stat } from 'node:fs/promises'
import { CodedError } from '../../../shared/errors'

/** The real path of a folder; throws `session.folder_missing`. */
export async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  const isFolder = real !== undefined && (await stat(real).catch(() => undefined))?.isDirectory()
  if (!isFolder) throw new CodedError('session.folder_missing', `There is no folder ${path}.`)
  return real
}
