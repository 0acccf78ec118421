import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { UpdateEngine } from './update-engine'
import { Updater } from './updater'

test('an unreadable folder of earlier versions offers no version and causes no failure', async () => {
  const rejected: unknown[] = []
  const note = (reason: unknown): void => void rejected.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const engine = { previous: () => Promise.reject(new Error('permission denied')) } as unknown as UpdateEngine
  const updater = new Updater({
    engine,
    installed: '1.0.0',
    recordFile: join(await tempFolder(), 'updates.json'),
    busy: () => null,
    onBusyChange: () => () => undefined,
    quit: () => undefined,
    log: () => undefined,
  })
  onTestFinished(() => updater.close())
  let changes = 0
  updater.onChange(() => (changes += 1))
  updater.start()
  await expect.poll(() => changes + rejected.length).toBe(1)
  expect(rejected).toEqual([])
  expect(updater.view().previous).toBeNull()
})
