import fc from 'fast-check'
import { Marked, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { markdownOf, oneLine, shortened } from './export-markdown'

const call = (result: string, summary = 'ls', isError = false) =>
  ({ kind: 'call', at: 1, name: 'Bash', summary, input: '{}', result, isError }) as const

describe('a conversation as Markdown', () => {
  test('has each message under the name of its author', () => {
    expect(
      markdownOf('My\ntitle', [
        {
          kind: 'you',
          at: 1,
          text: 'Hello',
          media: [
            { type: 'media', mediaType: 'image/png', data: '', name: 'a.png' },
            { type: 'media', mediaType: 'application/pdf', data: '' },
          ],
        },
        { kind: 'agent', at: 2, text: 'Hi', thinking: 'hm', isPartial: true },
        { kind: 'agent', at: 3, text: ' ', thinking: 'only thought', isPartial: false },
        { kind: 'trestle', at: 4, text: 'A task ended.' },
      ]),
    ).toBe(
      [
        '# My title',
        '',
        '## You',
        '',
        '_Attached: a.png_',
        '',
        '_Attached: application/pdf_',
        '',
        'Hello',
        '',
        '## Agent (incomplete)',
        '',
        'Hi',
        '',
        '## Trestle',
        '',
        'A task ended.',
        '',
      ].join('\n'),
    )
  })

  test('shows a result unchanged, whatever code fences it contains', () => {
    const piece = fc.constantFrom('```', '````', '~~~', '# x', '- y', 'text', '', '  deep', '`````js')
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (lines) => {
        const result = lines.join('\n')
        fc.pre(result.trim() !== '')
        const markdown = markdownOf('t', [call(result)])
        const list = new Marked().lexer(markdown).find((token): token is Tokens.List => token.type === 'list')!
        const codes = list.items.flatMap(({ tokens }) =>
          tokens.flatMap((token) => (token.type === 'code' ? [String(token['text'])] : [])),
        )
        expect(codes).toEqual([result.trimEnd()])
        expect(markdown).not.toContain('\n# x')
      }),
      { numRuns: 80, seed: 14 },
    )
  })

  test('marks failed calls, and shows no code block for an empty result', () => {
    expect(markdownOf('t', [call(' \n', 'a\nb', true)])).toMatch(/^# t\n\n- \*\*\w+\*\* a b \(failed\)\n$/)
  })
})

test('truncates a long result, with a note of how much is omitted', () => {
  expect(shortened('x'.repeat(20_000))).toBe('x'.repeat(20_000))
  expect(shortened('x'.repeat(21_234))).toBe(`${'x'.repeat(20_000)}\n… 1,234 more characters`)
  expect(shortened(`${'x'.repeat(19_999)}👋`).isWellFormed()).toBe(true)
  expect(shortened(`${'x'.repeat(20_000)}y`)).toContain('\n… 1 more character')
  expect(shortened(`${'x'.repeat(20_000)}y`)).not.toContain('characters')
})

test('truncates a long line to 200 characters, never within a character', () => {
  expect(oneLine(' a \n\t b ')).toBe('a b')
  expect(oneLine('x'.repeat(200))).toHaveLength(200)
  expect(oneLine(`${'x'.repeat(198)}👋👋`)).toBe(`${'x'.repeat(198)}…`)
})
