import { describe, expect, it } from 'vitest'
import { noSize, totalOf, type Size } from './estimate'
import { createLearnedSizes } from './learned-sizes'

const size = (of: Partial<Size>): Size => ({ ...noSize(), ...of })

describe('what is learned of the tokens of a model', () => {
  it('is the guess as long as nothing was counted', () => {
    const sizes = createLearnedSizes()
    expect(sizes.hasLearned()).toBe(false)
    const one = size({ plain: 100, wide: 50, dense: 20, head: 7, media: 5 })
    expect(sizes.tokens(one)).toBeCloseTo(totalOf(one))
  })

  it('is close after a few requests, for each kind by itself', () => {
    const sizes = createLearnedSizes()
    for (let n = 0; n < 24; n += 1) {
      const [plain, wide, dense] = [3000 + 100 * n, n % 3 === 0 ? 2000 : 0, n % 4 === 1 ? 4000 : 0]
      sizes.learn(size({ plain, wide, dense }), plain * 0.7 + wide * 1.3 + dense * 0.5)
    }
    expect(sizes.tokens(size({ plain: 10_000 })) / 7000).toBeCloseTo(1, 1)
    expect(sizes.tokens(size({ wide: 10_000 })) / 13_000).toBeCloseTo(1, 1)
    expect(sizes.tokens(size({ dense: 10_000 })) / 5000).toBeCloseTo(1, 1)
  })

  it('does not follow counts that are of something else', () => {
    const sizes = createLearnedSizes()
    sizes.learn(size({ plain: 10_000 }), 10)
    sizes.learn(size({ plain: 10_000 }), 900_000)
    sizes.learn(size({ plain: 10_000 }), -5)
    sizes.learn(size({ plain: 10 }), 40)
    expect(sizes.hasLearned()).toBe(false)
    expect(sizes.tokens(size({ plain: 1000 }))).toBeCloseTo(1000)
  })

  it('does not take pictures for text', () => {
    const sizes = createLearnedSizes()
    sizes.learn(size({ plain: 2000, media: 8000 }), 9600)
    expect(sizes.tokens(size({ media: 8000 }))).toBe(8000)
    expect(sizes.tokens(size({ plain: 2000 }))).toBeLessThan(2000)
  })
})
