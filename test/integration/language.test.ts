import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ENGLISH, type Message } from '../../src/shared/language/en'
import { CATALOGS, fill, formatDate, formatNumber, setSpoken, t } from '../../src/shared/language/speak'

afterEach(() => void setSpoken({ language: 'en', formats: 'system' }))

const namesIn = (message: Message): string[] =>
  (typeof message === 'string' ? [message] : Object.values(message))
    .flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
    .filter((name, at, all) => all.indexOf(name) === at)
    .toSorted()

test('every language has every message, with the same values to fill in', () => {
  for (const catalog of Object.values(CATALOGS)) {
    expect(Object.keys(catalog).toSorted()).toEqual(Object.keys(ENGLISH).toSorted())
    for (const [key, message] of Object.entries(ENGLISH))
      expect([key, namesIn(catalog[key as keyof typeof ENGLISH])]).toEqual([key, namesIn(message)])
  }
})

test('every message is used, and every message that is used exists', () => {
  const folder = join(import.meta.dirname, '..', '..', 'src', 'renderer')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const named = new Set([...sources.matchAll(/(?<![\w.])t\(\s*'([^']+)'/g)].map(([, key]) => key!))
  expect([...named].filter((key) => !Object.hasOwn(ENGLISH, key))).toEqual([])
  // Keys that are put together: t(`rules.${decision}`).
  const prefixes = [...sources.matchAll(/t\(\s*`([^`$]*)\$\{/g)].map(([, prefix]) => prefix!)
  const isUsed = (key: string) =>
    named.has(key) || sources.includes(`'${key}'`) || prefixes.some((prefix) => key.startsWith(prefix))
  expect(Object.keys(ENGLISH).filter((key) => !isUsed(key))).toEqual([])
})

test('a message follows the plural forms of its language', () => {
  expect(t('settings.search.results', { count: 1 })).toBe('1 setting')
  expect(t('settings.search.results', { count: 2 })).toBe('2 settings')
  const polish = { one: '{count} plik', few: '{count} pliki', many: '{count} plików', other: '{count} pliku' }
  expect([1, 3, 5, 22].map((count) => fill(polish, { count }, 'pl'))).toEqual([
    '1 plik',
    '3 pliki',
    '5 plików',
    '22 pliki',
  ])
})

test('numbers and dates follow the formats that were chosen, messages the language', () => {
  setSpoken({ language: 'en', formats: 'de-DE' })
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatDate(new Date(2026, 10, 26), { dateStyle: 'short' })).toBe('26.11.26')
  expect(t('shell.pending', { count: 1500 })).toBe('1.500 pending')
})

test('the page says its language and the direction it is written in', () => {
  expect(setSpoken({ language: 'en', formats: 'ar-EG' })).toEqual({ lang: 'en', dir: 'ltr' })
})
