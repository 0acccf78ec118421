import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitBlocks, type SplitText } from './split-blocks'

const PARTS = [
  'para one',
  'two words\nand a line',
  '\n\n',
  '\n',
  '# Title\n',
  '- item\n',
  '- [ ] task\n',
  '1. first\n',
  '2. second\n',
  '```ts\n',
  'const a = 1\n',
  '```\n',
  '> quote\n',
  '| a | b |\n|---|---|\n',
  '| 1 | 2 |\n',
  '---\n',
  '**bold',
  '** ',
  '<div>',
  '[x](http',
  '://a.b) ',
  '[r]: http://r\n\n',
  '[r]',
  '    indented\n',
  '\t',
  '\r\n',
  '😀',
  '&amp;',
]
const markdown = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 })
const shape = (split: SplitText): string => JSON.stringify(split.blocks.map((block) => [block.key, block.token.raw]))

const words = (split: SplitText): string =>
  split.blocks
    .map((block) => block.token.raw)
    .join('')
    .replace(/\s/g, '')

describe('splitBlocks', () => {
  it('neither loses nor duplicates text, however it arrives', () => {
    fc.assert(
      fc.property(markdown, (parts) => {
        let split: SplitText | undefined
        for (let n = 1; n <= parts.length; n += 1) split = splitBlocks(parts.slice(0, n).join(''), split)
        const text = parts.join('')
        expect(words(splitBlocks(text, split))).toBe(words(splitBlocks(text)))
      }),
      { numRuns: 1000 },
    )
  })

  it('parses a growing text like a complete one', () => {
    const chunks = [
      '# Plan\n\nFirst ',
      'I **read** it:\n\n- a\n- ',
      'b\n\n```ts\nconst x',
      ' = 1\n\n\nconst y = 2\n``',
      '`\n\n| a | b |\n|--',
      '-|---|\n| 1 | 2 |\n\nEnd.',
    ]
    let split: SplitText | undefined
    for (let n = 1; n <= chunks.length; n += 1) {
      const text = chunks.slice(0, n).join('')
      split = splitBlocks(text, split)
      expect(shape(split)).toBe(shape(splitBlocks(text)))
    }
  })

  it('keeps the identity of settled blocks, so that a chunk does not render the whole answer', () => {
    const text = Array.from({ length: 50 }, (_, n) => `Paragraph ${n} with words.\n\n`).join('')
    const before = splitBlocks(text)
    const after = splitBlocks(`${text}More`, before)
    const same = after.blocks.filter((block, n) => block === before.blocks[n])
    expect(same.length).toBeGreaterThanOrEqual(48)
  })

  it(
    'cuts what is too long for one block: no spaces, one paragraph, one list (a frame that takes seconds)',
    { timeout: 300_000 },
    () => {
      for (const text of [
        'x'.repeat(200_000),
        '😀'.repeat(50_000),
        'word and word. '.repeat(14_000),
        '- item of a list\n'.repeat(12_000),
        '[['.repeat(50_000),
      ]) {
        const begin = performance.now()
        let split: SplitText | undefined
        for (let end = 1000; end <= text.length; end += 1000) split = splitBlocks(text.slice(0, end), split)
        const rest = splitBlocks(text, split)
        expect(Math.max(...rest.blocks.map((block) => block.token.raw.length))).toBeLessThan(8000)
        expect(words(rest)).toBe(text.replace(/\s/g, ''))
        expect(performance.now() - begin).toBeLessThan(60_000)
      }
    },
  )

  it('starts over when the text is a different one', () => {
    const first = splitBlocks('one\n\ntwo\n\nthree\n\nfour')
    expect(shape(splitBlocks('other', first))).toBe(shape(splitBlocks('other')))
  })
})
