import { lstatSync } from 'node:fs'
import type { FileStamp } from '../workspace/file/open-file'

/** Another text whenever the file has changed. */
export function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: FileStamp): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':')
}

/** The version of what is at a path; of a folder, which folder it is. Undefined: nothing is there. */
export function versionAt(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return undefined
  return stat.isDirectory() ? `folder:${stat.dev}:${stat.ino}` : versionOf(stat)
}
