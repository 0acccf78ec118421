import { parseHTML } from 'linkedom'
import { describe, expect, test } from 'vitest'
import type { ConversationBlock } from './conversation-blocks'
import { htmlOf } from './export-html'

const PAGE = { title: 'Title', folder: '/p', createdAt: Date.UTC(2026, 0, 2, 3, 4) }
type Page = ReturnType<typeof parseHTML>['document']
const documentOf = (...blocks: ConversationBlock[]): Page => parseHTML(htmlOf(PAGE, blocks)).document

const agent = (text: string): ConversationBlock => ({ kind: 'agent', at: 1, text, thinking: '', isPartial: false })

/** Everything that a browser would run, load or send. */
function active(page: Page): string[] {
  return [...page.querySelectorAll('*')].flatMap((element) => {
    const name = element.tagName.toLowerCase()
    const odd = ['script', 'iframe', 'object', 'embed', 'link', 'base', 'form', 'svg', 'video', 'audio'].includes(name)
    return [
      ...(odd ? [name] : []),
      ...[...element.attributes]
        .filter(({ name: key, value }) => key.startsWith('on') || /^\s*(?:javascript|vbscript):/i.test(value))
        .map(({ name: key }) => `${name} ${key}`),
      ...(name === 'img' && !element.getAttribute('src')?.startsWith('data:image/') ? ['img'] : []),
    ]
  })
}

describe('a conversation as a page', () => {
  const ATTACKS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](https://example.com"onclick="alert(1))',
    '![x](https://example.com/track.png)',
    '<a href="javascript:alert(1)">x</a>',
    '```html"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
    '<form action=https://example.com><input></form>',
    '</div></main></body><script>alert(1)</script>',
  ]

  test.each(ATTACKS)('runs and loads nothing that a message contains: %s', (attack) => {
    const blocks: ConversationBlock[] = [
      agent(attack),
      { kind: 'trestle', at: 1, text: attack },
      { kind: 'agent', at: 1, text: 'x', thinking: attack, model: attack, isPartial: false },
      { kind: 'you', at: 1, text: attack, media: [{ type: 'media', mediaType: attack, data: attack, name: attack }] },
      { kind: 'call', at: 1, name: attack, summary: attack, input: attack, result: attack, isError: true },
    ]
    const html = htmlOf({ title: attack, folder: attack, createdAt: 1 }, blocks)
    expect(active(parseHTML(html).document)).toEqual([])
  })

  test('shows the text of a message as it was written', () => {
    const page = documentOf({ kind: 'you', at: 1, text: 'a < b && c\n"d"', media: [] }, agent('**bold** `<x>`'))
    expect(page.querySelector('.you')!.textContent).toBe('a < b && c\n"d"')
    expect(page.querySelector('.answer strong')!.textContent).toBe('bold')
    expect(page.querySelector('.answer code')!.textContent).toBe('<x>')
  })

  test('has plain links that send no referrer, and embedded images', () => {
    const page = documentOf(agent('[x](https://example.com/a?b=1&c=2)'), {
      kind: 'you',
      at: 1,
      text: '',
      media: [
        { type: 'media', mediaType: 'image/png', data: 'AAAA', name: 'a "b".png' },
        { type: 'media', mediaType: 'image/svg+xml', data: 'AAAA', name: 'drawing.svg' },
      ],
    })
    const link = page.querySelector('a')!
    expect([link.getAttribute('href'), link.getAttribute('rel')]).toEqual([
      'https://example.com/a?b=1&c=2',
      'noopener noreferrer',
    ])
    expect([...page.querySelectorAll('img')].map((image) => image.getAttribute('alt'))).toEqual(['a "b".png'])
    expect(page.querySelector('.you')!.textContent).toContain('drawing.svg')
  })

  test('shows times in UTC, and none for invalid ones', () => {
    const html = htmlOf(PAGE, [{ kind: 'trestle', at: Number.NaN, text: 'x' }])
    expect(html).toContain('>2026-01-02 03:04 UTC</time>')
    expect(html.match(/<time/g)).toHaveLength(1)
  })
})
