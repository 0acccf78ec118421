import { describe, expect, it } from 'vitest'
import { createLexer, type DetailsToken, type FootnoteToken } from './markdown-lexer'

const lex = (text: string) => createLexer().lex(text)
const kinds = (text: string) => lex(text).flatMap(({ type }) => (type === 'space' ? [] : [type]))

function details(text: string): { summary: string; inside: string[]; isOpen: boolean; after: string[] } {
  const [first, ...rest] = lex(text)
  expect(first?.type).toBe('details')
  const { summary, tokens, isOpen } = first as DetailsToken
  return {
    summary: summary.map(({ raw }) => raw).join(''),
    inside: tokens.flatMap(({ type }) => (type === 'space' ? [] : [type])),
    isOpen,
    after: rest.flatMap(({ type }) => (type === 'space' ? [] : [type])),
  }
}

describe('collapsible sections', () => {
  it('have Markdown in them, and end at their end tag', () => {
    expect(details('<details><summary>More *here*</summary>\n\n# Title\n\n- a\n\n</details>\n\nafter')).toEqual({
      summary: 'More *here*',
      inside: ['heading', 'list'],
      isOpen: false,
      after: ['paragraph'],
    })
  })

  it('are open if they have the attribute, and need no summary', () => {
    expect(details('<details open>\ntext\n</details>')).toMatchObject({
      summary: '',
      isOpen: true,
      inside: ['paragraph'],
    })
    expect(details('<DETAILS class="x" open>\ntext\n</DETAILS>').isOpen).toBe(true)
  })

  it('can be nested, and stay text when nested too deep', () => {
    const nested = '<details>\n<details>\ninner\n</details>\nouter\n</details>\nafter'
    expect(details(nested)).toMatchObject({ inside: ['details', 'paragraph'], after: ['paragraph'] })
    const deep = 40
    expect(() => lex('<details>\n'.repeat(deep) + '</details>\n'.repeat(deep))).not.toThrow()
  })

  it('extend to the end of the text until the end tag arrives', () => {
    expect(details('<details><summary>S</summary>\n\n- a\n- b')).toMatchObject({ inside: ['list'], after: [] })
  })

  it('do not end at a tag in fenced code', () => {
    expect(details('<details>\n\n```html\n</details>\n```\n\nlast\n</details>\nafter')).toMatchObject({
      inside: ['code', 'paragraph'],
      after: ['paragraph'],
    })
    // Inside a fence, a line of backticks with a language does not end it.
    expect(details('<details>\n\n```md\n```html\n</details>\n```\n\nlast\n</details>\nafter')).toMatchObject({
      inside: ['code', 'paragraph'],
      after: ['paragraph'],
    })
  })

  it('do not start or end at a tag in inline code', () => {
    expect(details('<details>\nClose it with `</details>`.\n\nlast\n</details>\nafter')).toMatchObject({
      inside: ['paragraph', 'paragraph'],
      after: ['paragraph'],
    })
    expect(details('<details>\nStart with ``<details>``.\n</details>\nafter').after).toEqual(['paragraph'])
  })

  it('are not kept open by code in three backticks on one line', () => {
    expect(details('<details>\n\n```x = 1```\n\n</details>\n\nafter').after).toEqual(['paragraph'])
  })
})

describe('footnotes', () => {
  it('can have several lines, and marks that refer to them', () => {
    const [first, second] = lex('Claim[^1].\n\n[^1]: Source,\n  page 3\n[^b-2]: Other').filter(
      ({ type }) => type !== 'space',
    )
    expect(first?.type).toBe('paragraph')
    expect((second as FootnoteToken).label).toBe('1')
    expect((second as FootnoteToken).tokens.map(({ raw }) => raw).join('')).toBe('Source,\npage 3')
    expect(kinds('Claim[^1].\n\n[^1]: Source,\n  page 3\n[^b-2]: Other')).toEqual(['paragraph', 'footnote', 'footnote'])
  })

  it('end at a heading, a list or another block', () => {
    for (const [next, kind] of [
      ['# Title', 'heading'],
      ['- item', 'list'],
      ['> quote', 'blockquote'],
      ['```\nx\n```', 'code'],
    ] as const)
      expect(kinds(`[^1]: Source\n${next}`)).toEqual(['footnote', kind])
  })

  it('need a valid label', () => {
    for (const label of ['a b', '', 'x'.repeat(41), 'a/b'])
      expect(kinds(`[^${label}]: Source`)).not.toContain('footnote')
  })
})

it('reads very long lines of spaces and backticks', () => {
  expect(kinds(`[^1]: x\n${' '.repeat(200_000)}\n[^2]: y`)).toEqual(['footnote', 'footnote'])
  expect(details(`<details>\n${'` '.repeat(20_000)}\n</details>\nafter`).after).toEqual(['paragraph'])
})
