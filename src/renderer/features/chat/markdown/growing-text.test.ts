import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingText, type Drawing } from './growing-text'
import { splitBlocks, type Block } from './split-blocks'

const PARTS = [
  'Some words. ',
  'a line\nand another\n',
  '\n\n',
  '## Heading\n',
  '- item\n  - nested\n',
  '- [x] task\n\n',
  '1. first\n2. second\n',
  '```ts\nconst a = 1\n',
  '```\n',
  '~~~\ncode\n~~~\n',
  '    indented\n',
  '> quote\n',
  '> [!NOTE]\n> Mind this.\n',
  '| a | b |\n|---|--:|\n',
  '| 1 | 2 |\n',
  'See[^1] and [^note].',
  '\n[^1]: The footnote.\n',
  '\n[^note]: Another,\n  over two lines.\n\n',
  '$x^2$ and $$\ny\n$$\n',
  '\\[ z \\]\n',
  '```math\na+b\n```\n',
  '<details><summary>More</summary>\n\ninside\n\n</details>\n',
  '**bold *and',
  '* `code`',
  '[a link](https://example.com) ',
  '[late] and [late][]',
  '\n\n[late]: https://example.com/late\n\n',
  '---\n',
  'Title\n===\n',
  '\r\n',
  '😀',
  '\t',
]
const markdown = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 40 })
const chunkLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })

/** A clock that moves only when the test advances it. */
function clock(): { now: () => number; add: (ms: number) => void } {
  let at = 0
  return { now: () => at, add: (ms) => (at += ms) }
}

/** Draws until nothing is left to draw, and calls back for each drawing. */
function drawAll(growing: GrowingText, text: string, add: (ms: number) => void, each?: (drawing: Drawing) => void) {
  for (let n = 0; n < 10_000; n += 1) {
    const drawing = growing.draw(text, false)
    growing.drawn()
    each?.(drawing)
    if (drawing.next === undefined) return drawing
    add(100)
  }
  throw new Error('The text is never drawn to its end.')
}

/** Characters drawn, without blank lines between blocks. */
const length = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { token }) => sum + token.raw.trimEnd().length, 0)

describe('GrowingText', () => {
  it('ends with the same blocks as the finished text: code, lists, tables, footnotes, formulas, links', () => {
    fc.assert(
      fc.property(markdown, chunkLengths, (parts, lengths) => {
        const text = parts.join('')
        const { now, add } = clock()
        const growing = new GrowingText(now)
        for (let end = 0, n = 0; end < text.length; n += 1) {
          end += lengths[n % lengths.length] ?? 1
          growing.draw(text.slice(0, end), true)
          add(n % 3)
          growing.drawn()
          add(n % 40)
        }
        const { blocks, open } = drawAll(growing, text, add)
        expect(open).toBe(false)
        // A block is rendered from its tokens alone.
        expect(blocks).toEqual(splitBlocks(text).blocks)
      }),
      { numRuns: 200 },
    )
  })

  it('draws a link whose address comes later in the text as a link', () => {
    const { now, add } = clock()
    const growing = new GrowingText(now)
    const text = `See [it].\n\n${'A paragraph.\n\n'.repeat(10)}[it]: https://example.com/it\n`
    for (let end = 1; end < text.length; end += 7) {
      growing.draw(text.slice(0, end), true)
      growing.drawn()
      add(100)
    }
    const { blocks } = drawAll(growing, text, add)
    expect(blocks).toEqual(splitBlocks(text).blocks)
    expect(JSON.stringify(blocks[0]?.token)).toContain('https://example.com/it')
  })

  it('draws text that arrives at once in steps, and keeps the drawn blocks', () => {
    const { now, add } = clock()
    const growing = new GrowingText(now)
    const text = 'A paragraph with some words.\n\n'.repeat(4000)
    const words = text.replaceAll('\n', '').length
    const drawings: Drawing[] = []
    const { blocks } = drawAll(growing, text, add)
    expect(length(blocks)).toBe(words)

    const other = new GrowingText(now)
    other.draw('A paragraph', true)
    other.drawn()
    add(100)
    drawAll(other, text, add, (drawing) => drawings.push(drawing))
    expect(drawings.length).toBeGreaterThan(30)
    for (const [n, drawing] of drawings.entries()) {
      const before = drawings[n - 1]?.blocks ?? []
      expect(length(drawing.blocks) - length(before)).toBeLessThan(5000)
      const kept = drawing.blocks.filter((block, index) => block === before[index])
      expect(kept.length).toBeGreaterThanOrEqual(before.length - 2)
    }
    expect(drawings.at(-1)?.blocks).toEqual(blocks)
  })

  it('draws less often while drawing is slow, and keeps the last drawing until then', () => {
    const { now, add } = clock()
    const growing = new GrowingText(now)
    const first = growing.draw('One', true)
    add(20)
    growing.drawn()
    expect(first.next).toBeUndefined()
    const waiting = growing.draw('One two', true)
    expect(waiting.blocks).toBe(first.blocks)
    expect(waiting.next).toBeCloseTo(120)
    add(120)
    expect(length(growing.draw('One two', true).blocks)).toBe(7)
  })

  it('never cuts inside a character', () => {
    const { now, add } = clock()
    const growing = new GrowingText(now)
    const text = `x${'😀'.repeat(20_000)}`
    growing.draw('x', true)
    growing.drawn()
    drawAll(growing, text, add, ({ blocks }) => {
      const drawn = blocks.map(({ token }) => token.raw).join('')
      expect(drawn.isWellFormed()).toBe(true)
    })
  })

  it('draws everything at once on a hidden page', () => {
    const growing = new GrowingText(clock().now)
    const text = 'words and words\n\n'.repeat(3000)
    const { length: whole } = text.replaceAll('\n', '')
    growing.draw('words', true, true)
    growing.drawn()
    expect(length(growing.draw(text, true, true).blocks)).toBe(whole)
    expect(growing.draw(text, false, true)).toMatchObject({ open: false, next: undefined })
  })
})
