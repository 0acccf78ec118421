import { expect, test } from 'vitest'
import { ownKeyMeaning, quotedOutput, quotedPath } from './terminal-keys'

test('a dropped path is one shell word, whatever its characters', () => {
  expect(quotedPath('/home/me/a-b_c.txt')).toBe('/home/me/a-b_c.txt')
  expect(quotedPath('/tmp/my file')).toBe("'/tmp/my file'")
  expect(quotedPath("/tmp/it's $HOME")).toBe(String.raw`'/tmp/it'\''s $HOME'`)
})

test('quoted output cannot end its own block', () => {
  expect(quotedOutput('plain\n')).toBe('From my terminal:\n\n```\nplain\n```\n')
  expect(quotedOutput('a\n```\nb')).toContain('\n````\na\n```\nb\n````\n')
})

test("in the user's own terminal Escape and Ctrl+F reach the program, and F6 leaves it", () => {
  const press = (key: string, more = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    ...more,
  })
  expect(ownKeyMeaning(press('Escape'), false)).toBe('program')
  expect(ownKeyMeaning(press('f', { ctrlKey: true }), false)).toBe('program')
  expect(ownKeyMeaning(press('F', { ctrlKey: true, shiftKey: true }), false)).toBe('find')
  expect(ownKeyMeaning(press('C', { ctrlKey: true, shiftKey: true }), false)).toBe('copy')
  expect(ownKeyMeaning(press('F6'), false)).toBe('browser')
  expect(ownKeyMeaning(press('c', { metaKey: true }), true)).toBe('copy')
})
