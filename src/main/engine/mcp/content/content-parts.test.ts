import { describe, expect, test } from 'vitest'
import { contentParts } from './content-parts'

const FROM = { kind: 'resource', server: 'docs', name: 'file:///a' } as const
const textOf = async (items: readonly unknown[]): Promise<string> =>
  (await contentParts(items, FROM, ['<start>', '</end>']))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')

describe("a server's content in a prompt", () => {
  test('is placed between the surrounding text, in its order', async () => {
    const parts = await contentParts(
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      FROM,
      ['<a>', '</a>'],
    )
    expect(parts).toEqual([{ type: 'text', attached: FROM, text: '<a>\none\ntwo\n</a>' }])
  })

  test('is cut at its limit, never within a character, and still closed', async () => {
    const text = await textOf([
      { type: 'text', text: `${'x'.repeat(199_999)}👋rest` },
      { type: 'text', text: 'more' },
    ])
    expect(text.isWellFormed()).toBe(true)
    expect(text).toContain('[cut here: 5 more characters]')
    expect(text).toMatch(/\n<\/end>$/)
  })

  test('that no model accepts is described instead', async () => {
    expect(await textOf([{ type: 'resource', resource: { uri: 'x', mimeType: 'a/b', blob: 'AAAA' } }])).toMatch(
      /a\/b, 3 bytes; it cannot be shown to a model/,
    )
  })

  test('beyond 100 parts is left out, with a note', async () => {
    const items = Array.from({ length: 103 }, (_, at) => ({ type: 'text', text: `part ${at};` }))
    const text = await textOf(items)
    expect(text).toContain('part 99;')
    expect(text).not.toContain('part 100;')
    expect(text).toContain('3 more parts are left out')
  })
})
