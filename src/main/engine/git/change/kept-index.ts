import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainFile } from '../../workspace/path/plain-file'
import type { OpenRepository } from '../repository/open-repository'

/** Larger than the index of any usable repository. */
const MAX_BYTES = 1024 * 1024 * 1024

export interface KeptIndex {
  /** Restores the index, unless a commit was made since or another program is writing it. */
  putBack(): Promise<void>
}

/** Saves the index of a repository, including everything that git records only there. */
export async function keepIndex(repository: OpenRepository): Promise<KeptIndex> {
  const file = join(repository.gitDir, 'index')
  const stat = lstatSync(file, { throwIfNoEntry: false })
  const content = stat?.isFile() ? readPlainFile(file, MAX_BYTES) : undefined
  // A link, or too large: not restored.
  if (stat && !content) return { putBack: async () => {} }
  const head = (): Promise<string | undefined> => repository.maybe(['rev-parse', '--verify', '--quiet', 'HEAD'])
  const before = await head()
  return {
    async putBack() {
      if ((await head()) !== before) return
      const lock = `${file}.lock`
      try {
        writeFileSync(lock, content ?? '', { flag: 'wx' })
      } catch {
        // Another program holds git's lock, so its version wins.
        return
      }
      if (content) return renameSync(lock, file)
      rmSync(file, { force: true })
      rmSync(lock)
    },
  }
}
