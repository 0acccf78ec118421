import { describe, expect, it } from 'vitest'
import { decodeEntities } from './entities'
import { inlinePicture, outsideLink } from './outside-link'

describe('text of an answer', () => {
  it('shows character references as characters and leaves others alone (&amp;lt; on screen, or text eaten)', () => {
    expect(decodeEntities('a &lt;b&gt; &amp; &#65;&#x1F600; &nosuch; AT&T &')).toBe('a <b> & A😀 &nosuch; AT&T &')
    expect(decodeEntities('&#xD800; &#0; &#9999999;')).toBe('\ufffd \ufffd \ufffd')
  })

  it('opens web pages and mail addresses only (a link in an answer runs a script or a program)', () => {
    expect(outsideLink('https://example.org/a?b#c')).toBe('https://example.org/a?b#c')
    expect(outsideLink('mailto:a@b.c')).toBe('mailto:a@b.c')
    for (const bad of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:x',
      'java\nscript:x',
      'data:text/html,x',
      'file:///etc/passwd',
      'vscode://x',
      '//evil',
      '/etc',
      '#a',
      'https://',
      'http:// x y',
    ]) {
      expect(outsideLink(bad)).toBeUndefined()
    }
  })

  it('shows pictures only when they are in the text (a tracking pixel, an SVG with a script)', () => {
    expect(inlinePicture('data:image/png;base64,AAAA')).toBeDefined()
    for (const bad of ['http://a/b.png', 'data:image/svg+xml;base64,AAAA', 'data:text/html;base64,AAAA', 'blob:x'])
      expect(inlinePicture(bad)).toBeUndefined()
  })
})
