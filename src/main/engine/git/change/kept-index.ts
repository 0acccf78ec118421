import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenRepository } from '../repository/open-repository'

export interface KeptIndex {
  /** Puts the index back as it was, unless a commit was made since or another program is writing it. */
  putBack(): Promise<void>
}

/** Remembers the index of a repository, with everything in it that git knows only there. */
export async function keepIndex(repository: OpenRepository): Promise<KeptIndex> {
  const file = join(repository.gitDir, 'index')
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) return { putBack: async () => {} }
  const content = stat && readFileSync(file)
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
