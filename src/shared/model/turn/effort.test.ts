import fc from 'fast-check'
import { expect, it } from 'vitest'
import { effortName, EFFORTS, nearestEffort } from './effort'

const levels = fc.subarray([...EFFORTS], { minLength: 1 })
const level = fc.constantFrom(...EFFORTS)

it('is the level itself if it is offered, and always one that is offered', () => {
  fc.assert(
    fc.property(level, levels, (wanted, offered) => {
      const found = nearestEffort(wanted, offered)
      expect(offered).toContain(found)
      expect(offered.includes(wanted) ? found : wanted).toBe(wanted)
    }),
    { numRuns: 100 },
  )
})

it('never turns thinking off while it is requested and there is another level', () => {
  const thinking = EFFORTS.filter((one) => one !== 'none')
  const found = thinking.flatMap((wanted) => thinking.map((other) => nearestEffort(wanted, ['none', other])))
  expect(new Set(found)).toEqual(new Set(thinking))
})

it('prefers the lower level, and does not depend on the order of the offered ones', () => {
  expect(nearestEffort('medium', ['high', 'low'])).toBe('low')
  expect(nearestEffort('minimal', ['high', 'medium'])).toBe('medium')
  expect(nearestEffort('max', ['none'])).toBe('none')
  expect(nearestEffort('high', [])).toBeUndefined()
})

it('is called On if thinking can only be switched on and off', () => {
  expect(effortName('high', ['none', 'high'])).toBe('On')
  expect(effortName('none', ['none', 'high'])).toBe('Off')
  expect(effortName('high', ['low', 'high'])).toBe('High')
})
