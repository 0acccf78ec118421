import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnsOf } from './safe-text'
import { WordWrap, wrapText } from './wrap-words'

const words = fc.array(fc.constantFrom('a', 'word', 'longer', '二二', 'x'.repeat(15), '\n', '- item')).map((all) => all.join(' '))

test('streamed text would be wrapped otherwise than the same text whole, lose a word, or break one that fits', () => {
  fc.assert(
    fc.property(words, fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (text, sizes) => {
      const wrap = new WordWrap(() => 12)
      let streamed = ''
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const size = 1 + sizes[n % sizes.length]!
        streamed += wrap.add(text.slice(at, at + size))
        at += size
      }
      streamed += wrap.end()
      expect(streamed).toBe(wrapText(text, 12).join('\n'))
      expect(streamed.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
      const lines = streamed.split('\n').filter((line) => !line.includes('xxx'))
      expect(Math.max(0, ...lines.map((line) => columnsOf(line.trimEnd())))).toBeLessThanOrEqual(12)
    }),
  )
})

test('a line of code would get line breaks that are copied with it', () => {
  const code = '```sh\nnpm run something -- --with many --words\n```'
  expect(wrapText(`${code}\nand prose that is longer`, 12)).toEqual([...code.split('\n'), 'and prose', 'that is', 'longer'])
})
