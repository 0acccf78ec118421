import { expect, test } from 'vitest'
import { BackgroundWork } from '../runtime/background-work'
import type { Session } from '../session/session'
import { createWarmUp } from './warm-up'

const session = {} as Session

/** A warm-up after commands have run, so that it prepares immediately. */
function warmed() {
  const background = new BackgroundWork()
  const [environment, terminal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let prepared = 0
  const warmUp = createWarmUp({
    onCommand: (listener) => listener(),
    usesOwnTerminals: () => true,
    ready: () => environment.promise,
    prepare() {
      prepared += 1
      return terminal.promise
    },
    background,
  })
  return { background, warmUp, environment, terminal, prepared: () => prepared }
}

test('closing waits for preparations in progress', async () => {
  const { background, warmUp, environment, terminal, prepared } = warmed()
  warmUp(session, new AbortController().signal)
  environment.resolve()
  await expect.poll(prepared).toBe(1)
  let isOver = false
  const closed = background.close().then(() => (isOver = true))
  await import('../approval/judging')
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  terminal.resolve()
  await closed
})

test('nothing is prepared after closing, and closing does not wait for the environment', async () => {
  const { background, warmUp, environment, prepared } = warmed()
  warmUp(session, new AbortController().signal)
  await background.close()
  environment.resolve()
  warmUp(session, new AbortController().signal)
  await new Promise((resolve) => setImmediate(resolve))
  expect(prepared()).toBe(0)
})
