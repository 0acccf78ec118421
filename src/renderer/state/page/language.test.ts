import { expect, it } from 'vitest'
import { setSpoken, formatNumber } from '../../../shared/language/speak'
import { parsedLanguage } from './language'

const USUAL = { language: 'en', formats: 'system' }

it('keeps a stored locale', () => {
  expect(parsedLanguage({ language: 'en', formats: 'de-CH' })).toEqual({ language: 'en', formats: 'de-CH' })
})

it('falls back to the default for anything else, so that the page always starts', () => {
  const stored = [undefined, null, 3, 'x', [], {}, { language: 'xx' }, { language: 5 }, { language: '__proto__' }]
  const formats = [5, null, '', 'not a locale', 'en_US', 'x'.repeat(500), '__proto__', 'system']
  for (const value of [...stored, ...formats.map((one) => ({ language: 'en', formats: one }))]) {
    const parsed = parsedLanguage(value)
    expect(parsed).toEqual(USUAL)
    expect(() => setSpoken(parsed)).not.toThrow()
    expect(() => formatNumber(1)).not.toThrow()
  }
})
