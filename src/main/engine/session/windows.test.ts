import { expect, it } from 'vitest'
import { createWindows } from './windows'

const model = { id: 'p/m', contextWindow: 200_000 }

it('takes the window that the provider names, for every session of the process', () => {
  const windows = createWindows()
  windows.of(model).refused(90_000, 128_000)
  expect(windows.of(model).tokens()).toBe(128_000)
  expect(windows.of(model).isLearned()).toBe(true)
  expect(windows.of({ ...model, id: 'p/other' }).tokens()).toBe(200_000)
})

it('never takes a window for smaller than what was answered, where the provider names none', () => {
  const window = createWindows().of(model)
  window.answered(120_000)
  for (let n = 0; n < 5; n += 1) window.refused(121_000)
  expect(window.tokens()).toBe(120_000)
})

it('does not go beyond what is configured', () => {
  const window = createWindows().of(model)
  window.answered(300_000)
  window.refused(300_000, 250_000)
  expect(window.tokens()).toBe(200_000)
})
