import type { Attachment } from './attachment'
import type { AttachmentStore } from './draft-files'

const NAME = 'trestle-attachments'
/** Object stores: the files, and their sizes and times, which can be read without the files. */
const [FILES, FACTS] = ['files', 'facts'] as const
/** Maximum for all drafts of this browser together. */
const MAX_BYTES = 250_000_000
/** Minimum age, in ms, of an unused file that is removed: a draft of another window may be about to refer to it. */
const UNUSED_MS = 3_600_000
/** Age in ms at which even a used file is removed, so that forgotten drafts do not fill the disk forever. */
const MAX_AGE_MS = 30 * 24 * 3_600_000

interface Facts {
  id: string
  bytes: number
  at: number
}

/** Attached files in the browser's database. */
export const browserFiles: AttachmentStore = {
  async put(attachment) {
    const { id, bytes } = attachment
    await inDatabase('readwrite', async (files, facts) => {
      const used = (await all(facts)).reduce((sum, one) => sum + one.bytes, 0)
      if (used + bytes > MAX_BYTES) throw new Error('There is no space for more attached files.')
      files.put(attachment, id)
      facts.put({ id, bytes, at: Date.now() } satisfies Facts, id)
    })
  },
  get: (ids) =>
    inDatabase('readonly', async (files) => {
      const found = await Promise.all(ids.map((id) => result<Attachment | undefined>(files.get(id))))
      return found.filter((attachment) => attachment !== undefined)
    }),
  prune: (used) =>
    inDatabase('readwrite', async (files, facts) => {
      for (const { id, at } of await all(facts)) {
        if (Date.now() - at < (used.has(id) ? MAX_AGE_MS : UNUSED_MS)) continue
        files.delete(id)
        facts.delete(id)
      }
    }),
}

const all = (facts: IDBObjectStore): Promise<Facts[]> => result(facts.getAll())

/** Runs `work` in one transaction, and resolves when the transaction is complete. */
async function inDatabase<Result>(
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore, facts: IDBObjectStore) => Promise<Result>,
): Promise<Result> {
  const database = await open()
  try {
    const transaction = database.transaction([FILES, FACTS], mode)
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The files were not stored.')))
    })
    const [found] = await Promise.all([
      work(transaction.objectStore(FILES), transaction.objectStore(FACTS)).catch((error: unknown) => {
        transaction.abort()
        throw error
      }),
      done,
    ])
    return found
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(NAME, 1)
  opening.addEventListener('upgradeneeded', () => {
    for (const name of [FILES, FACTS]) opening.result.createObjectStore(name)
  })
  return result(opening)
}

function result<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser cannot store files.')))
  })
}
