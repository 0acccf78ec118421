import { expect, it } from 'vitest'
import { closestLines } from './closest-lines'

const FILE = [
  'import a',
  '',
  'export function total(items) {',
  '\tlet sum = 0',
  '\tfor (const item of items) sum += item.price',
  '\treturn sum',
  '}',
].join('\n')

it('finds the place by the lines that are right, and shows the one that is wrong beside it', () => {
  expect(closestLines(FILE, '\tlet sum = 0\n\tfor (const item of items) sum += item.cost\n\treturn sum')).toBe(
    [
      'Lines 4-6 are the closest ("-" is the file, "+" what you gave; where only white space differs, → is a tab and · a space):',
      '  4  \tlet sum = 0',
      '- 5  \tfor (const item of items) sum += item.price',
      '+    \tfor (const item of items) sum += item.cost',
      '  6  \treturn sum',
    ].join('\n'),
  )
})

it('finds a line that is only alike where none is right', () => {
  expect(closestLines(FILE, 'export function totals(all) {')).toMatch(
    /^Line 3 is the closest[^]*\n- 3 {2}export function total\(items\) \{\n\+/,
  )
})

it('shows at most 12 lines of 200 characters, however much was asked for', () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index} ${'x'.repeat(1000)}`).join('\n')
  const shown = closestLines(text, text.replace('line 0 ', 'line zero ')) ?? ''
  expect(shown.split('\n').length).toBeLessThan(16)
  expect(shown).toContain('… 88 more')
  expect(shown.length).toBeLessThan(4000)
})

it('is quick on a large file that has nothing like it', () => {
  const text = 'some ordinary line of a text\n'.repeat(35_000)
  const startedAt = performance.now()
  expect(closestLines(text, '0123456789\n'.repeat(50))).toBeUndefined()
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
