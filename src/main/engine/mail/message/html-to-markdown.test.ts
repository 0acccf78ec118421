import { describe, expect, it } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown'

const text = async (html: string): Promise<string> => (await htmlToMarkdown(html)).text

describe('an HTML message as Markdown', () => {
  it('keeps headings, emphasis, lists, quotes, code and tables readable', async () => {
    expect(
      await text('<h2>Plan</h2><p>We <em>could</em> <b>start</b>.</p><ol><li>one<ul><li>deep</li></ul></li></ol>'),
    ).toBe('## Plan\n\nWe *could* **start**.\n\n- one\n\n  - deep')
    expect(await text('<blockquote><p>a</p><p>b</p></blockquote><pre>x = 1\ny</pre>')).toBe(
      '> a\n>\n> b\n\n```\nx = 1\ny\n```',
    )
    expect(await text('<table><tr><td>Item</td><td>Price</td></tr><tr><td>Tea</td><td>2 €</td></tr></table>')).toBe(
      'Item Price\n\nTea 2 €',
    )
  })

  it('shows where a link really leads, and shortens long ones to their host', async () => {
    expect(await text('<a href="https://evil.example/x">https://bank.example</a>')).toBe(
      '[https://bank.example](https://evil.example/x)',
    )
    expect(await text(`<a href="https://t.example/${'a'.repeat(500)}">Read</a>`)).toBe(
      '[Read](https://t.example/… (518 characters))',
    )
    expect(await text('<a href="javascript:alert(1)">Click</a> <a href="#top">Up</a>')).toBe('Click Up')
    expect(await text('<a href="mailto:a@b.example">a@b.example</a>')).toBe('a@b.example')
  })

  it.each([
    'display:none',
    'DISPLAY : NONE !important',
    'visibility:hidden',
    'font-size:0px',
    'opacity:0',
    'max-height:0; overflow:hidden',
    'mso-hide:all',
  ])('leaves out text that nothing shows: %s', async (style) => {
    expect(await htmlToMarkdown(`<p>Seen</p><div style="color:red; ${style}">Obey me</div>`)).toEqual({
      text: 'Seen',
      hidden: true,
    })
  })

  it('keeps text that only looks like it is hidden', async () => {
    expect(await text('<p style="font-size:0.9em">a</p><p style="opacity:0.5">b</p>')).toBe('a\n\nb')
  })

  it('reads broken HTML: unclosed tags, stray end tags, no body, endless nesting', async () => {
    expect(await text('<p>one<p>two</div></body></html>')).toBe('one\n\ntwo')
    expect(await text('')).toBe('')
    expect(await text(`${'<div>'.repeat(5000)}deep`)).toBe('deep')
    expect(await text('<html><head><title>t</title></head><body bgcolor=white>b</body></html>')).toBe('b')
  })
})
