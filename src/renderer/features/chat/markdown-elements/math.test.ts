import { describe, expect, it } from 'vitest'
import type { Token } from 'marked'
import type { MathToken } from './math'
import { splitBlocks } from '../markdown/split-blocks'

/** The formulas of a text, in order, and the text around them. */
function read(text: string): { math: [tex: string, where: 'block' | 'inline'][]; rest: string } {
  const math: [string, 'block' | 'inline'][] = []
  let rest = ''
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'math') {
        const { tex, display } = token as MathToken
        math.push([tex, display ? 'block' : 'inline'])
      } else if (token.type === 'list') walk((token as { items: Token[] }).items)
      else if ('tokens' in token && token.tokens && token.tokens.length > 0) walk(token.tokens)
      else rest += 'text' in token ? token.text : token.raw
    }
  }
  walk(splitBlocks(text).blocks.map(({ token }) => token))
  return { math, rest }
}
const formulas = (text: string): string[] => read(text).math.map(([tex]) => tex)

describe('formulas in an answer', () => {
  it('are recognized in every common notation, with their backslashes', () => {
    expect(formulas('Area \\(a^2\\), an integral \\(\\int f\\,dx\\).')).toEqual(['a^2', '\\int f\\,dx'])
    expect(read('\\[\n\\frac{a}{b} \\\\\n- c\n\\]').math).toEqual([['\\frac{a}{b} \\\\\n- c', 'block']])
    expect(read('$$\nx = y\\,z\n$$').math).toEqual([['x = y\\,z', 'block']])
    expect(read('$$x$$').math).toEqual([['x', 'block']])
    expect(formulas('Here $E = mc^2$, $a_1*b_2$ and $\\alpha$-decay.')).toEqual(['E = mc^2', 'a_1*b_2', '\\alpha'])
    expect(formulas('GitHub writes $`\\sqrt{2}`$ too')).toEqual(['\\sqrt{2}'])
    expect(formulas('\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}')).toEqual([
      '\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}',
    ])
  })

  it('are recognized right after text, in lists, quotes and emphasis', () => {
    expect(read('We get\n\\[\n- x + 1\n\\]\nas promised.').math).toEqual([['- x + 1', 'block']])
    expect(formulas('- first \\(a\\)\n- second\n  $$\n  b\n  $$\n')).toEqual(['a', 'b'])
    expect(formulas('> $x$')).toEqual(['x'])
    expect(formulas('**Energy $a*b$ and $c_1$** and *more $d$*')).toEqual(['a*b', 'c_1', 'd'])
  })

  it.each([
    'It costs $5 and $10.',
    '$5-$10 a month, US$7, 30$ or 40$',
    'from $HOME to $PATH, $HOME:$PATH/$x',
    'a \\$5 bill and a \\$6 bill',
    '`$x$` and `\\(y\\)`',
    'an \\[optional\\] word',
    '$ x $ and $$ ',
    '$5 million, or 6 million$',
    'nothing $closes here\n\nand here$ neither',
    '$$ is what it costs\n\nand $$ again',
  ])('are not recognized in %s', (text) => {
    expect(formulas(text)).toEqual([])
  })

  it('stay in one block while they are incomplete', () => {
    const whole = 'So:\n\n\\[\n a\n- b\n+ c\n- d\n= e\n\\]\n\nDone.'
    for (let end = 1; end < whole.length; end += 1) {
      let split = splitBlocks(whole.slice(0, end))
      split = splitBlocks(whole, split)
      expect(split.blocks.map(({ token }) => token.type)).toEqual(['paragraph', 'math', 'paragraph'])
    }
  })

  it.each(['$', '\\(', '\\[', '$$', '$a', '\n\\[', '\n$$\n', '\\begin{align}\n', '[^'])(
    'do not slow down a page of unclosed %j',
    (piece) => {
      const text = piece.repeat(30_000 / piece.length)
      expect(formulas(text)).toBeDefined()
    },
  )
})

describe('collapsible sections and footnotes', () => {
  const shape = (text: string): unknown =>
    splitBlocks(text).blocks.map(({ token }) => [
      token.type,
      (token as { tokens?: Token[] }).tokens?.map(({ type }) => type),
    ])

  it('contain Markdown, nested sections and code, and end at their closing tag', () => {
    const text =
      '<details>\n<summary>Log **all**</summary>\n\n- a\n\n```html\n' +
      '</details>\n```\n\n<details>\n\nin\n\n</details>\n\n</details>\n\nAfter.'
    expect(shape(text)).toEqual([
      ['details', ['list', 'space', 'code', 'space', 'details']],
      ['paragraph', ['text']],
    ])
    expect(shape('Before\n<details>\nopen **end')).toEqual([
      ['paragraph', ['text']],
      ['details', ['paragraph']],
    ])
  })

  it('distinguish footnotes from text and from URLs', () => {
    expect(shape('Said[^1] and[^two].\n\n[^1]: One *line*\n[^two]: http://a.b\n\nEnd.')).toEqual([
      ['paragraph', ['text', 'footnoteMark', 'text', 'footnoteMark', 'text']],
      ['footnote', ['text', 'em']],
      ['footnote', ['link']],
      ['paragraph', ['text']],
    ])
  })
})
