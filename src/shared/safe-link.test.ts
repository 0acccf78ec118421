import { describe, expect, it } from 'vitest'
import { linkWarning, safeLink } from './safe-link'

describe('the address of a link', () => {
  it('opens web pages, and mail with a subject and a short text', () => {
    for (const address of [
      'https://example.org/a?b#c',
      'http://localhost:3000/',
      'mailto:a@b.c',
      'mailto:a@b.c?subject=Hi&body=One%0Atwo',
    ])
      expect(safeLink(address)).toBe(address)
  })

  it('opens no address with a user name or password', () => {
    for (const address of [
      'https://github.com@evil.example/',
      'https://user:secret@example.org/',
      'http://:x@a.b/',
      'https:\\\\u@a.b',
    ])
      expect(safeLink(address)).toBeUndefined()
  })

  it('opens no mail with attachments, further recipients, headers or a long text', () => {
    const evil = [
      'attach=/etc/passwd',
      'attachment=x',
      'Attach=x',
      'bcc=c@d.e',
      'cc=c@d.e',
      'in-reply-to=x',
      'subject=a%0d%0aBcc:%20c@d.e',
      'subject=a&subject=b',
      `body=${'x'.repeat(3000)}`,
    ]
    for (const query of evil) expect(safeLink(`mailto:a@b.c?${query}`)).toBeUndefined()
    expect(safeLink('mailto:a@b.c%0d%0aBcc:c@d.e')).toBeUndefined()
    expect(safeLink('mailto:%ff@b.c')).toBeUndefined()
  })

  it('opens nothing else', () => {
    for (const address of [
      'javascript:alert(1)',
      'java\nscript:x',
      'file:///etc/passwd',
      'vscode://x',
      'data:text/html,x',
      '//evil',
      '',
      'https://',
    ])
      expect(safeLink(address)).toBeUndefined()
    expect(safeLink(`https://example.org/${'a'.repeat(9000)}`)).toBeUndefined()
  })

  it('is converted to punycode if letters of other scripts imitate a known host', () => {
    expect(safeLink('https://аpple.com/')).toBe('https://xn--pple-43d.com/')
    expect(linkWarning('https://xn--pple-43d.com/', 'sign in')).toMatch(/look-alike/)
  })
})

describe('the warning before a link opens', () => {
  it('names both hosts if the text shows another one', () => {
    for (const text of [
      'https://github.com/login',
      'github.com',
      'GitHub.com/login',
      'see https://github.com',
      'ｇithub.com',
    ])
      expect(linkWarning('https://evil.example/', text)).toBe('The link says github.com, but it opens evil.example.')
    expect(linkWarning('https://github.com.evil.example/', 'https://github.com')).toMatch(
      /opens github\.com\.evil\.example/,
    )
    expect(linkWarning('mailto:a@evil.example', 'me@github.com')).toMatch(/says github\.com/)
    expect(linkWarning('mailto:a@b.c', 'a@b.c')).toBeUndefined()
  })

  it('is not shown for words, files and the same host', () => {
    for (const text of [
      'the docs',
      'README.md',
      'src/app.ts',
      'Node.js',
      'https://example.org/x',
      'www.example.org',
      'version 1.2.3',
    ])
      expect(linkWarning('https://example.org/a', text)).toBeUndefined()
  })
})
