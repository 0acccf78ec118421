import { realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A separate folder for the running test, by its real path; it is removed afterwards. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(realpathSync(tmpdir()), 'trestle-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}
