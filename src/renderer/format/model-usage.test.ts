import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeAbilities, formatKilobytes, formatTokens } from './model-usage'

it('shortens numbers of tokens, and never shows a thousand thousands', () => {
  expect([0, 999, 1000, 1049, 1050, 12_400, 99_949, 99_960, 999_499, 999_500, 1_234_567].map(formatTokens)).toEqual([
    '0',
    '999',
    '1k',
    '1k',
    '1.1k',
    '12.4k',
    '99.9k',
    '100k',
    '999k',
    '1M',
    '1.2M',
  ])
  fc.assert(
    fc.property(fc.nat(2_000_000_000), (count) => {
      expect(formatTokens(count)).toMatch(/^\d{1,3}(?:\.\d)?[kM]?$|^\d{4}M$/)
    }),
    { numRuns: 200 },
  )
})

it('describes the capabilities of a model, and warns when it cannot use tools', () => {
  const model = { contextWindow: 200_000, toolCalls: true, imagesIn: true, pdfIn: true, videoIn: false, thinking: true }
  expect(describeAbilities(model as Parameters<typeof describeAbilities>[0])).toBe(
    `${(200_000).toLocaleString()} tokens · images, PDFs · thinking`,
  )
  const plain = { ...model, toolCalls: false, imagesIn: false, pdfIn: false, thinking: false }
  expect(describeAbilities(plain as Parameters<typeof describeAbilities>[0])).toBe(
    `${(200_000).toLocaleString()} tokens · cannot use tools`,
  )
})

it('shows sizes in kilobytes, exact only while they are small', () => {
  expect([0, 50, 9400, 183_400].map((bytes) => formatKilobytes(bytes).replace(/[^\d.,kB ]/g, ' '))).toEqual([
    '0 kB',
    '0.1 kB',
    '9.4 kB',
    '183 kB',
  ])
})
