import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { SETTINGS_MESSAGES, t } from '../../src/shared/language/settings-messages'
import { SHELL_MESSAGES, t as shell } from '../../src/shared/language/shell-messages'
import { fill, formatDate, formatNumber, setSpoken, translator, type Message } from '../../src/shared/language/speak'

afterEach(() => void setSpoken({ language: 'en', formats: 'system' }))

const namesIn = (message: Message): string[] =>
  (typeof message === 'string' ? [message] : Object.values(message))
    .flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
    .filter((name, at, all) => all.indexOf(name) === at)
    .toSorted()

/** The messages of each part of the interface, in each language. Add new parts here. */
const PARTS: Record<string, { en: Record<string, Message> } & Record<string, Record<string, Message>>> = {
  shell: { en: SHELL_MESSAGES },
  settings: { en: SETTINGS_MESSAGES },
}

test('every language has every message, with the same placeholders', () => {
  for (const [part, catalogs] of Object.entries(PARTS)) {
    for (const [language, catalog] of Object.entries(catalogs)) {
      expect([part, language, Object.keys(catalog).toSorted()]).toEqual([
        part,
        language,
        Object.keys(catalogs.en).toSorted(),
      ])
      for (const [key, message] of Object.entries(catalogs.en))
        expect([key, namesIn(catalog[key]!)]).toEqual([key, namesIn(message)])
    }
  }
})

test('every message is used, and every used message exists', () => {
  const folder = join(import.meta.dirname, '..', '..', 'src', 'renderer')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const messages = Object.keys({ ...SHELL_MESSAGES, ...SETTINGS_MESSAGES })
  const named = [...sources.matchAll(/(?<![\w.])t\(\s*'([^']+)'/g)].map(([, key]) => key!)
  expect(named.filter((key) => !messages.includes(key))).toEqual([])
  // Keys that are composed: t(`rules.${decision}`).
  const prefixes = [...sources.matchAll(/(?<![\w.])t\(\s*`([^`$]*)\$\{/g)].map(([, prefix]) => prefix!)
  const isUsed = (key: string) => sources.includes(`'${key}'`) || prefixes.some((prefix) => key.startsWith(prefix))
  expect(messages.filter((key) => !isUsed(key))).toEqual([])
})

test('a value that is missing from a message is shown by its name', () => {
  expect(fill('Hello {name}', {}, 'en')).toBe('Hello {name}')
  expect(translator({ en: { hello: 'Hello {name}' } })('hello', { name: '{x}' })).toBe('Hello {x}')
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

test('numbers and dates follow the chosen formats, and messages follow the language', () => {
  setSpoken({ language: 'en', formats: 'de-DE' })
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatDate(new Date(2026, 10, 26), { dateStyle: 'short' })).toBe('26.11.26')
  expect(shell('shell.pending', { count: 1500 })).toBe('1.500 pending')
})

test('the page declares its language and text direction', () => {
  expect(setSpoken({ language: 'en', formats: 'ar-EG' })).toEqual({ lang: 'en', dir: 'ltr' })
})
