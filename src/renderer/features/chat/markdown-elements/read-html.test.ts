import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { readHtml, decodeEntities } from './read-html'
import { inlineImageUrl, externalUrl } from './web-link'

const read = (html: string): unknown =>
  readHtml(html, (source) => parseHTML(`<html><body>${source}</body></html>`).document.body)

describe('HTML in an answer', () => {
  it('is parsed into text elements without active attributes', () => {
    expect(
      read(
        '<p align="center" onclick="evil()" style="position:fixed;inset:0" id="root">Press ' +
          '<kbd class="x">Ctrl</kbd></p>',
      ),
    ).toEqual([{ tag: 'p', align: 'center', children: ['Press ', { tag: 'kbd', children: ['Ctrl'] }] }])
    expect(read('<a href="javascript:evil()">x</a>')).toEqual([
      { tag: 'span', href: 'javascript:evil()', children: ['x'] },
    ])
    expect(read('<h1>Big</h1>')).toEqual([{ tag: 'h3', children: ['Big'] }])
  })

  it.each([
    '<script>alert(1)</script>',
    '<style>body{display:none}</style>',
    '<iframe src="http://evil"></iframe>',
    '<svg><script>1</script></svg>',
    '<form action="http://evil"><input></form>',
    '<p>fine</p><object data="x"></object>',
    '<math><mi>x</mi></math>',
    '<base href="http://evil">',
    '<meta http-equiv="refresh" content="0;url=http://evil">',
    '<link rel="stylesheet" href="http://evil">',
    '<!-- hidden words --><p>seen</p>',
    '<p><scr<script>ipt>x</p>',
    '<custom-part>x</custom-part>',
    '<template><p>x</p></template>',
    '<p>seen</p><body onload="evil()">',
    '<p>seen</p></form>',
  ])('is shown as source if it is more than text: %s', (html) => {
    expect(read(html)).toBeUndefined()
  })

  it('is shown as source if it is too deep or too long', () => {
    expect(read('<div>'.repeat(60) + 'x' + '</div>'.repeat(60))).toBeUndefined()
    expect(read(`<p>${'x'.repeat(70_000)}</p>`)).toBeUndefined()
  })
})

describe('text of an answer', () => {
  it('replaces known character references and leaves others unchanged', () => {
    expect(decodeEntities('a &lt;b&gt; &amp; &#65;&#x1F600; &nosuch; AT&T &')).toBe('a <b> & A😀 &nosuch; AT&T &')
    expect(decodeEntities('&#xD800; &#0; &#9999999;')).toBe('\ufffd \ufffd \ufffd')
  })

  it('opens only web pages and mail addresses, never scripts or programs', () => {
    expect(externalUrl('https://example.org/a?b#c')).toBe('https://example.org/a?b#c')
    expect(externalUrl('mailto:a@b.c')).toBe('mailto:a@b.c')
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
      expect(externalUrl(bad)).toBeUndefined()
    }
  })

  it('shows only embedded images: no tracking pixels, no SVG with scripts', () => {
    expect(inlineImageUrl('data:image/png;base64,AAAA')).toBeDefined()
    for (const bad of ['http://a/b.png', 'data:image/svg+xml;base64,AAAA', 'data:text/html;base64,AAAA', 'blob:x'])
      expect(inlineImageUrl(bad)).toBeUndefined()
  })
})
