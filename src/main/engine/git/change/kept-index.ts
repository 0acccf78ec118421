import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainFile } from '../../workspace/path/plain-file'
import type { OpenRepository } from '../repository/open-repository'

/** Larger than the index of any repository that can be worked with. */
const MAX_BYTES = 1024 * 1024 * 1024

export interface KeptIndex {
  /** Puts the index back as it was, unless a commit was made since or another program is writing it. */
  putBack(): Promise<void>
}

/** Remembers the index of a repository, with everything in it that git knows only there. */
export async function keepIndex(repository: OpenRepository): Promise<KeptIndex> {
  const file = join(repository.gitDir, 'index')
  const stat = lstatSync(file, { throwIfNoEntry: false })
  const content = stat?.isFile() ? readPlainFile(file, MAX_BYTES) : undefined
  // A link, or too large: left as git leaves it.
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
        // Another program holds the lock of git: what it writes counts.
        return
      }
      if (content) return renameSync(lock, file)
      rmSync(file, { force: true })
      rmSync(lock)
    },
  }
}
