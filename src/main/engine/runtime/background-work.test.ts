import { expect, test } from 'vitest'
import { BackgroundWork } from './background-work'

test('is closed when all work has ended, including work added by other work', async () => {
  const background = new BackgroundWork()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  background.add(first.promise.then(() => background.add(second.promise)))
  let isOver = false
  expect(background.isClosed).toBe(false)
  const closed = background.close().then(() => (isOver = true))
  expect(background.isClosed).toBe(true)
  first.resolve()
  await first.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  second.resolve()
  await closed
})

test('a failure is reported and does not delay other work', async () => {
  const background = new BackgroundWork()
  const failures: unknown[] = []
  background.add(Promise.reject(new Error('not found')), (error) => failures.push(error))
  background.add(Promise.reject(new Error('of no interest')))
  await background.close()
  expect(failures).toMatchObject([{ message: 'not found' }])
})
