import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { identityOf } from '../../process/process-identity'
import { tryLock, withLock } from './store-lock'

/** The lock of a process that has exited. */
async function staleLock(): Promise<string> {
  const file = join(await tempFolder(), 'lock')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(file, JSON.stringify({ ...identityOf(process.pid), pid }))
  return file
}

describe('a lock', () => {
  test('is held once, and can be acquired again after its release', async () => {
    const file = join(await tempFolder(), 'lock')
    const release = tryLock(file)
    expect(tryLock(file)).toBeUndefined()
    release?.()
    expect(existsSync(file)).toBe(false)
    expect(withLock(file, () => tryLock(file))).toBeUndefined()
    expect(existsSync(file)).toBe(false)
  })

  test('is released when the work fails', async () => {
    const file = join(await tempFolder(), 'lock')
    const fail = (): never => {
      throw new Error('no')
    }
    expect(() => withLock(file, fail)).toThrow('no')
    expect(existsSync(file)).toBe(false)
  })

  test('of a dead process is taken over', async () => {
    const file = await staleLock()
    tryLock(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid })
  })

  test('of a dead process is left to the process that is taking it over', async () => {
    const file = await staleLock()
    const before = readFileSync(file, 'utf8')
    writeFileSync(`${file}.stale`, '')
    expect(tryLock(file)).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('is taken over even if a process died while taking it over', async () => {
    const file = await staleLock()
    writeFileSync(`${file}.stale`, '')
    utimesSync(`${file}.stale`, 1, 1)
    expect(withLock(file, () => JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({ pid: process.pid })
  })

  test('that is being written is not taken over; one that was never completed is, even after the clock was set back', async () => {
    const file = join(await tempFolder(), 'lock')
    writeFileSync(file, '')
    expect(tryLock(file)).toBeUndefined()
    const hour = 3_600
    for (const seconds of [-hour, hour]) {
      writeFileSync(file, '{')
      utimesSync(file, Date.now() / 1000 + seconds, Date.now() / 1000 + seconds)
      const release = tryLock(file)
      expect(release).toBeDefined()
      release?.()
    }
  })
})
