import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { sizeOf } from './token-estimate'
import { createTokenCalibration } from './token-count'
import { IMAGE_TOKEN_FORMULAS, imageTokenFormula, imageTokens, type ImageTokenFormula } from './image-tokens'

async function picture(
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
): Promise<{ data: string }> {
  const made = sharp({ create: { width, height, channels: 3, background: '#abc' } })
  return { data: (await made.toFormat(format).toBuffer()).toString('base64') }
}
const tokens = (part: { data: string }, formula: ImageTokenFormula): number =>
  imageTokens(part)[IMAGE_TOKEN_FORMULAS.indexOf(formula)]!

describe('the tokens of a picture', () => {
  it('match what each vendor counts for its dimensions', async () => {
    const square = await picture(1024, 1024)
    expect(tokens(square, 'claude')).toBe(37 * 37)
    expect(tokens(square, 'gpt')).toBe(1229)
    const wide = await picture(1920, 1080)
    expect(tokens(wide, 'claude')).toBe(69 * 39)
    expect(tokens(wide, 'earlier-claude')).toBe(1568)
    expect(tokens(wide, 'gpt')).toBe(2448)
    expect(tokens(await picture(200, 200), 'gemini')).toBe(1120)
    expect(tokens(await picture(2000, 2000), 'claude')).toBe(4784)
  })

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('are found in a %s', async (format) => {
    expect(tokens(await picture(280, 560, format), 'claude')).toBe(10 * 20)
  })

  it('are those of the largest picture if its dimensions cannot be read', async () => {
    const { data } = await picture(280, 560, 'jpeg')
    for (const broken of ['', 'AAAA', 'x'.repeat(5000), data.slice(0, 60)])
      expect(tokens({ data: broken }, 'claude')).toBe(4784)
  })

  it.each([
    ['claude-opus-5-5', 'claude'],
    ['claude-opus-4-8', 'claude'],
    ['anthropic/claude-sonnet-4.6', 'earlier-claude'],
    ['claude-sonnet-4-20250514', 'earlier-claude'],
    ['claude-3-5-haiku', 'earlier-claude'],
    ['gpt-6-sol', 'gpt'],
    ['o4-mini', 'gpt'],
    ['gemini-3.1-pro', 'gemini'],
    ['kimi-k2.6', undefined],
  ])('of %s are counted by the formula %s', (model, formula) => {
    expect(imageTokenFormula(model)).toBe(formula)
  })

  it('are not attributed to text when a calibration learns', async () => {
    const { data } = await picture(1920, 1080)
    const part = { type: 'media' as const, mediaType: 'image/png', data }
    const said = { type: 'text' as const, text: 'some words in English, as usual. '.repeat(200) }
    const size = sizeOf({ role: 'user', parts: [part, said] })
    const text = sizeOf({ role: 'user', parts: [said] })
    const sizes = createTokenCalibration('claude')
    const guess = sizes.tokens(text)
    sizes.learn(size, 69 * 39 + guess)
    expect(sizes.tokens(text)).toBeCloseTo(guess, 0)
    // For a vendor without a known formula, the highest count applies.
    expect(createTokenCalibration().tokens(size)).toBeGreaterThanOrEqual(sizes.tokens(size))
    expect(createTokenCalibration('earlier-claude').tokens(size)).toBeLessThan(sizes.tokens(size))
  })
})
