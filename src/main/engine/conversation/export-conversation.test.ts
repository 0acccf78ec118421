import { describe, expect, test } from 'vitest'
import { fileName } from './export-conversation'

describe('the name of an exported file', () => {
  test.each([
    ['Fix the login form!', 'Fix-the-login-form'],
    ['Müller & Söhne', 'Müller-Söhne'],
    ['がんばる', 'がんばる'],
    ['हिन्दी भाषा', 'हिन्दी-भाषा'],
    ['한국어', '한국어'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\u0000b\nc', 'a-b-c'],
    ['  ', 'session'],
    ['👋', 'session'],
    ['Con', 'session-Con'],
    ['LPT1', 'session-LPT1'],
    ['Console', 'Console'],
  ])('of %j is %j', (title, name) => expect(fileName(title)).toBe(name))

  test('is short, and is not cut within a character', () => {
    for (const title of ['x'.repeat(200), '𠮷'.repeat(200), `a${'𠮷'.repeat(200)}`, '\ud842 broken']) {
      const name = fileName(title)
      expect(name.isWellFormed()).toBe(true)
      expect(name).not.toContain('\ufffd')
      expect(Buffer.byteLength(`${name}.html`)).toBeLessThan(255)
    }
  })

  test('does not end with a hyphen after it was cut', () => {
    expect(fileName(`${'x'.repeat(59)} more`)).toBe('x'.repeat(59))
  })
})
