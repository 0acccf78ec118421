import { spawnSync } from 'node:child_process'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { identityOf } from '../../process/process-identity'
import { withFileLock } from './file-lock'

test('admits one holder at a time and cleans up, even after a failure', async () => {
  const file = join(await tempFolder(), 'lock')
  let inside = 0
  const visits = Array.from({ length: 10 }, (_, at) =>
    withFileLock(file, async () => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      if (at === 3) throw new Error('failed inside')
      return at
    }),
  )
  const ends = await Promise.allSettled(visits)
  expect(ends.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
  expect(existsSync(file)).toBe(false)
})

test('takes over immediately from a process that has died', async () => {
  const file = join(await tempFolder(), 'lock')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(file, JSON.stringify({ ...identityOf(process.pid), pid, started: '1', nonce: 'x' }))
  expect(await withFileLock(file, () => 'in')).toBe('in')
  expect(existsSync(file)).toBe(false)
})

test('takes over an unreadable lock once it is old, but not while it may still be being written', async () => {
  const file = join(await tempFolder(), 'lock')
  writeFileSync(file, '')
  let isIn = false
  const waiting = withFileLock(file, () => {
    isIn = true
    return 'in'
  })
  // The first attempt is immediate.
  expect(isIn).toBe(false)
  expect(existsSync(file)).toBe(true)
  const old = new Date(Date.now() - 10_000)
  utimesSync(file, old, old)
  expect(await waiting).toBe('in')
})

test('waits until the wait is aborted', async () => {
  const file = join(await tempFolder(), 'lock')
  const release = Promise.withResolvers<void>()
  const held = withFileLock(file, () => release.promise)
  const giveUp = new AbortController()
  const second = withFileLock(file, () => 'never', giveUp.signal)
  giveUp.abort()
  await expect(second).rejects.toThrow('aborted')
  release.resolve()
  await held
  expect(existsSync(file)).toBe(false)
})
