import { afterEach, expect, it } from 'vitest'
import { fill, formatDate, formatNumber, setSpoken, translator } from './speak'

const SYSTEM = { language: 'en', formats: 'system' } as const
afterEach(() => setSpoken(SYSTEM))

it('uses the plural form for the count', () => {
  const message = { one: '{count} file', other: '{count} files' }
  expect([0, 1, 2].map((count) => fill(message, { count }, 'en'))).toEqual(['0 files', '1 file', '2 files'])
  // Polish has more forms; missing ones fall back to the general one.
  expect(fill({ one: '{count} plik', few: '{count} pliki', other: '{count} plików' }, { count: 3 }, 'pl')).toBe(
    '3 pliki',
  )
  expect(fill(message, { count: 'many' }, 'en')).toBe('many files')
})

it('inserts values unchanged, even if they look like patterns or placeholders', () => {
  expect(fill('{name} of {name}', { name: '$& {count} $1' }, 'en')).toBe('$& {count} $1 of $& {count} $1')
  expect(fill('{unknown} stays', {}, 'en')).toBe('{unknown} stays')
  expect(fill('{name}', { name: '' }, 'en')).toBe('')
})

it('formats numbers and dates as the user prefers', () => {
  setSpoken({ language: 'en', formats: 'de-DE' })
  const t = translator({ en: { size: '{count} bytes' } })
  expect(t('size', { count: 1234.5 })).toBe('1.234,5 bytes')
  expect(formatNumber(0.5, { style: 'percent' })).toMatch(/^50\s%$/)
  expect(formatDate(Date.UTC(2026, 0, 31, 12), { timeZone: 'UTC' })).toBe('31.1.2026')
})

it('tells the page its language and direction', () => {
  expect(setSpoken(SYSTEM)).toEqual({ lang: 'en', dir: 'ltr' })
})

it('shows a date that is out of range instead of failing', () => {
  expect(formatDate(Number.MAX_SAFE_INTEGER)).toBe('invalid date')
})
