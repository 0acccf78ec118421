import { expect, test } from 'vitest'
import { dropTabToken, keepPageToken, pastedToken, takePageToken } from './page-token'

const memory = (kept: Map<string, string>): Storage =>
  ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }) as Storage

/** A browser at our address: each page it opens gets its own tab unless one is passed. */
function browser() {
  const kept = new Map<string, string>()
  return {
    kept,
    open(hash: string, tab: Map<string, string> = new Map(), pathname = '/') {
      const shown: string[] = []
      const history = {
        state: null,
        replaceState: (_state: unknown, _title: string, url: string) => shown.push(url),
      } as unknown as History
      const window = {
        location: { hash, pathname, search: '' } as Location,
        history,
        sessionStorage: memory(tab),
        localStorage: memory(kept),
      }
      return { shown, tab, window }
    },
  }
}

test('the token is read from the URL, removed from it, and kept for a reload of this tab', () => {
  const { open } = browser()
  const first = open('#token=abc-DEF_1', undefined, '/s/one')
  expect(takePageToken(first.window)).toBe('abc-DEF_1')
  expect(first.shown).toEqual(['/s/one'])
  const reloaded = open('', first.tab)
  expect(takePageToken(reloaded.window)).toBe('abc-DEF_1')
  expect(reloaded.shown).toEqual([])
})

test('a bookmark opened in another tab works with the token that was accepted', () => {
  const { open } = browser()
  keepPageToken('good', open('').window)
  expect(takePageToken(open('').window)).toBe('good')
})

test('a link with a wrong token does not affect the other tabs', () => {
  const { open } = browser()
  keepPageToken('good', open('').window)
  const wrong = open('#token=wrong')
  expect(takePageToken(wrong.window)).toBe('wrong')
  expect(takePageToken(open('').window)).toBe('good')
  // The token was refused, and the tab is reloaded.
  dropTabToken(wrong.window)
  expect(takePageToken(open('', wrong.tab).window)).toBe('good')
})

test('a new token in the URL replaces the stored one of the tab', () => {
  const { open } = browser()
  const tab = new Map([['trestle.token', 'old']])
  expect(takePageToken(open('#token=new', tab).window)).toBe('new')
  expect(takePageToken(open('', tab).window)).toBe('new')
})

test('the token is undefined without one, and a link to a message is not mistaken for one', () => {
  const { open } = browser()
  for (const hash of ['', '#token=', '#other', '#42']) expect(takePageToken(open(hash).window)).toBeUndefined()
})

test('the whole URL or the token alone can be pasted, with spaces around it', () => {
  const token = 'a1'.repeat(32)
  expect(pastedToken(` ${token}\n`)).toBe(token)
  expect(pastedToken(`http://127.0.0.1:4711/#token=${token}`)).toBe(token)
  for (const wrong of ['', 'short', 'http://127.0.0.1:4711/', 'http://127.0.0.1:4711/#token=', `${token} ${token}`])
    expect(pastedToken(wrong)).toBeUndefined()
})

test('works in a browser without storage', () => {
  const refuse = {
    get() {
      throw new Error('SecurityError')
    },
  }
  const withoutStorage = (hash: string) =>
    Object.defineProperties(browser().open(hash).window, { sessionStorage: refuse, localStorage: refuse })
  expect(takePageToken(withoutStorage('#token=abc'))).toBe('abc')
  expect(takePageToken(withoutStorage(''))).toBeUndefined()
  keepPageToken('abc', withoutStorage(''))
  dropTabToken(withoutStorage(''))
})
