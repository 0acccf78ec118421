import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openDatabase, type Database } from '../../src/main/engine/store/database/database'
import { migrate } from '../../src/main/engine/store/migrations'
import { tempFolder } from './temp-folder'

/** The empty database of a new store, for tests of its tables. It is closed when the test is over. */
export async function storeDatabase(): Promise<Database> {
  const db = openDatabase(join(await tempFolder(), 'trestle.db'))
  // A new file is not backed up.
  migrate(db, { backup: () => undefined })
  onTestFinished(() => void db.close())
  return db
}
