import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createChangeSignal } from './change-signal'

test('notifies every listening process, and none after it has stopped', async () => {
  const home = await tempFolder()
  const [one, two] = [createChangeSignal(home), createChangeSignal(home)]
  const heard = { one: 0, two: 0 }
  const stop = one.listen(() => (heard.one += 1))
  onTestFinished(two.listen(() => (heard.two += 1)))
  two.notify()
  await expect.poll(() => heard.one > 0 && heard.two > 0).toBe(true)
  stop()
  const before = { ...heard }
  one.notify()
  await expect.poll(() => heard.two > before.two).toBe(true)
  expect(heard.one).toBe(before.one)
})

test('notifying never fails, even if nothing can be written', async () => {
  const home = await tempFolder()
  const signal = createChangeSignal(home)
  writeFileSync(join(home, 'schedules'), 'in the way')
  expect(() => signal.notify()).not.toThrow()
  const stop = signal.listen(() => undefined)
  stop()
})
