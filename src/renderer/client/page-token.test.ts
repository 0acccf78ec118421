import { expect, test } from 'vitest'
import { takePageToken } from './page-token'

/** A page at an address, with the storage of its tab. */
function page(hash: string, stored: Map<string, string> = new Map(), search = '') {
  const shown: string[] = []
  return {
    shown,
    stored,
    window: {
      location: { hash, pathname: '/', search } as Location,
      history: { state: null, replaceState: (_state: unknown, _title: string, url: string) => shown.push(url) } as unknown as History,
      sessionStorage: {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => void stored.set(key, value),
      } as Storage,
    },
  }
}

test('the token is taken from the address, removed from it, and kept for a reload of this tab', () => {
  const first = page('#token=abc-DEF_1')
  expect(takePageToken(first.window)).toBe('abc-DEF_1')
  expect(first.shown).toEqual(['/'])
  const reloaded = page('', first.stored)
  expect(takePageToken(reloaded.window)).toBe('abc-DEF_1')
  expect(reloaded.shown).toEqual([])
})

test('a new token in the address replaces the kept one, because Trestle was started again', () => {
  const { stored } = page('')
  stored.set('trestle.token', 'old')
  expect(takePageToken(page('#token=new', stored).window)).toBe('new')
  expect(takePageToken(page('', stored).window)).toBe('new')
})

test('no token is no token', () => {
  expect(takePageToken(page('').window)).toBeUndefined()
  expect(takePageToken(page('#token=').window)).toBeUndefined()
  expect(takePageToken(page('#other').window)).toBeUndefined()
})

/** A page whose browser forbids storage. */
const withoutStorage = (hash: string) =>
  Object.defineProperty(page(hash).window, 'sessionStorage', {
    get() {
      throw new Error('SecurityError')
    },
  })

test('a browser without storage still gets in', () => {
  expect(takePageToken(withoutStorage('#token=abc'))).toBe('abc')
  expect(takePageToken(withoutStorage(''))).toBeUndefined()
})
