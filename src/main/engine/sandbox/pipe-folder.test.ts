import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

/** Creates a folder, as the first one of a process. */
async function make(otherwise: string): Promise<string> {
  vi.resetModules()
  const folder = (await import('./pipe-folder')).makePipeFolder(otherwise)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pipes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const isInMemory = (folder: string): boolean => statfsSync(folder, { bigint: false }).type === 0x01021994
const hasMemory = statSync('/dev/shm', { throwIfNoEntry: false }) !== undefined && isInMemory('/dev/shm')

test.skipIf(!hasMemory)('the pipes of a sandbox are in memory, in a folder that only the user can open', async () => {
  const folder = await make(scratch())
  expect(isInMemory(folder)).toBe(true)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test.skipIf(!hasMemory)('a runtime folder on disk is not used', async () => {
  const onDisk = scratch()
  vi.stubEnv('XDG_RUNTIME_DIR', onDisk)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(dirname(await make(scratch())) === onDisk).toBe(isInMemory(onDisk))
})
