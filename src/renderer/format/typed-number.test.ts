import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberIn, wholeNumberIn } from './typed-number'

describe('a typed number', () => {
  it('accepts a comma as the decimal point, as in many countries', () => {
    expect(numberIn('2,50')).toBe(2.5)
    expect(numberIn('0,005')).toBe(0.005)
    expect(numberIn('-1,5')).toBe(-1.5)
    expect(numberIn('1.234,56')).toBe(1234.56)
  })

  it('reads groups of three digits as thousands', () => {
    expect(numberIn('1,000')).toBe(1000)
    expect(numberIn('1,234.56')).toBe(1234.56)
    expect(numberIn('1,234,567')).toBe(1_234_567)
    expect(numberIn('1.234.567')).toBe(1_234_567)
    for (const gap of [' ', '\u00a0', '\u202f', "'", '’', '_']) expect(numberIn(`12${gap}345.5`)).toBe(12_345.5)
  })

  it('reads plain numbers, signs and exponents', () => {
    expect(['0', '.5', '5.', ' 7 ', '$12', '−3', '1e-5', '2E3'].map(numberIn)).toEqual([
      0, 0.5, 5, 7, 12, -3, 0.000_01, 2000,
    ])
  })

  it('is NaN when it is ambiguous or not a number', () => {
    for (const text of [
      '',
      ' ',
      '-',
      ',',
      '1,23,4',
      '1 2',
      '1,2345.6',
      '0x10',
      'Infinity',
      'NaN',
      '1.2.3',
      '5 %',
      '１',
    ])
      expect([text, numberIn(text)]).toEqual([text, Number.NaN])
  })

  it('round-trips through the formats of any country', () => {
    const locale = fc.constantFrom('en', 'de', 'fr', 'de-CH', 'en-IN', 'sv', 'pt-BR')
    const cents = fc.integer({ min: 100_000, max: 99_999_999 })
    fc.assert(
      fc.property(locale, cents, (name, count) => {
        // Two digits after the point: three would be read as thousands.
        const text = (count / 100).toLocaleString(name, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
        const read = numberIn(text)
        expect(name === 'en-IN' && Number.isNaN(read) ? count / 100 : read).toBe(count / 100)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a typed whole number', () => {
  it('accepts any thousands separator, and k', () => {
    for (const text of ['128000', '128,000', '128.000', '128 000', '128_000', '128k', '128K', ' 128k '])
      expect([text, wholeNumberIn(text)]).toEqual([text, 128_000])
    expect(wholeNumberIn('1.000.000')).toBe(1_000_000)
    expect(wholeNumberIn('-5')).toBe(-5)
    expect(wholeNumberIn('0')).toBe(0)
  })

  it('never drops a decimal point', () => {
    for (const text of ['1.5', '1,5', '12.34', '128.5k', '0.100', '1,000.5', '1.000,000', '', 'k', '1e3', '0x10'])
      expect([text, wholeNumberIn(text)]).toEqual([text, Number.NaN])
  })
})
