import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, rmSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { failureOf } from '../../../shared/errors'
import { makeWorktreesFolder, worktreesFolder } from '../config/worktree-record'
import { findRepository } from '../git/run/find-repository'
import type { OpenRepository } from '../git/repository/open-repository'
import type { WorktreePlace } from './worktree-place'

const NAME = /^\.merging-[0-9a-f]{12}$/
/** A checkout that belongs to no repository may still be under construction, for minutes at most. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

/** A new path for a temporary checkout, to merge into a branch that is not checked out anywhere. */
export function temporaryCheckout(home: string): string {
  return join(makeWorktreesFolder(home), `.merging-${randomBytes(6).toString('hex')}`)
}

/** Never rejects: the merge is already complete, and any remaining files are removed later. */
export async function removeCheckout(
  { log }: Pick<WorktreePlace, 'log'>,
  repository: OpenRepository,
  folder: string,
): Promise<void> {
  try {
    await repository.write(['worktree', 'remove', '--force', '--', folder], { okCodes: [0, 128] })
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    log(`The temporary folder ${folder} could not be removed: ${failureOf(error).message}`)
  }
}

/** Removes the leftovers of processes that ended during a merge or while saving files. Never rejects. */
export async function removeAbandoned(place: WorktreePlace): Promise<void> {
  const root = worktreesFolder(place.home)
  const folders = entriesOf(root).filter((entry) => entry.isDirectory() && NAME.test(entry.name))
  const indexes = entriesOf(place.temporary).filter((entry) => entry.isFile())
  for (const path of [
    ...folders.map(({ name }) => join(root, name)),
    ...indexes.map(({ name }) => join(place.temporary, name)),
  ]) {
    try {
      const found = findRepository(path)
      if (found?.top === path)
        // The lock proves that no merge of the repository is running, so the checkout is left over.
        await place.exclusively(found.commonDir, async () => removeCheckout(place, await place.open(found), path))
      else if (place.now() - lstatSync(path).mtimeMs > ABANDONED_AFTER_MS)
        rmSync(path, { recursive: true, force: true })
    } catch (error) {
      place.log(`${path}, which is no longer needed, could not be removed: ${failureOf(error).message}`)
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // The folder is created when it is first needed.
    return []
  }
}
