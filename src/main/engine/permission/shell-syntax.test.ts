import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addExpression, decodeWord, emptyArithmetic, isNumericWord } from './shell-syntax'

test.each([
  ['plain', 'plain'],
  [`'a b'`, 'a b'],
  [`"a b"`, 'a b'],
  [String.raw`a\ b`, 'a b'],
  [`a"b"'c'd`, 'abcd'],
  [String.raw`"\$HOME"`, '$HOME'],
  [String.raw`'\n'`, String.raw`\n`],
  [String.raw`$'\n\x41'`, '\nA'],
  ['a\\\nb', 'ab'],
  ['$', '$'],
  ['{a}', '{a}'],
])('reads %s as bash does', (source, text) => expect(decodeWord(source)).toEqual({ text, known: true }))

test.each(['$HOME', '"$HOME"', '`ls`', '$(ls)', '{a,b}', '{1..3}', '~other/x', `'open`, String.raw`$'\xff'`, '$"hi"'])(
  'does not claim to know %s',
  (source) => expect(decodeWord(source).known).toBe(false),
)

test('marks quoted text in a glob, which matches only itself', () => {
  expect(decodeWord(`'*'*`)).toEqual({ text: '**', known: false, glob: true, pattern: String.raw`\**` })
})

test('restores any text that was quoted for a shell', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), (text) => {
      expect(decodeWord(`'${text.replaceAll("'", String.raw`'\''`)}'`)).toEqual({ text, known: true })
    }),
  )
})

test.skipIf(process.platform === 'win32')('considers a word known only if bash passes exactly that word', () => {
  const pieces = ['a', 'B', '0', ' ', '"', "'", '\\', '$', '`', '*', '{', '}', ',', '..', '-', '!', '#', '=', '%', '\t']
  const sources = fc
    .sample(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }), { numRuns: 2500, seed: 14 })
    .map((parts) => parts.join(''))
    // A comment, several words, or a trailing backslash that would join the next line are not a single word.
    .filter((source) => !/^#|\\$/.test(source) && decodeWord(source).known && isOneWord(source))
  expect(sources.length).toBeGreaterThan(300)
  const script = `${sources.map((source) => String.raw`printf '<%s>' ${source}; printf '\0'`).join('\n')}\n`
  const printed = execFileSync('bash', ['--norc', '--noprofile', '-c', script], { encoding: 'utf8', env: {} }).split(
    '\0',
  )
  for (const [index, source] of sources.entries())
    expect({ source, text: printed[index] }).toEqual({ source, text: `<${decodeWord(source).text}>` })
})

/** Whether there is no space outside quotes. */
function isOneWord(source: string): boolean {
  return !/[ \t]/.test(source.replaceAll(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, 'x'))
}

test('finds the variables that arithmetic evaluates and sets', () => {
  const found = emptyArithmetic()
  addExpression(found, 'i = n + ${step} * 0xff - $#')
  expect(found).toEqual({ names: new Set(['i', 'n', 'step']), sets: new Set(['i']), opaque: false })
  addExpression(found, 'list[$(ls)]')
  expect(found.opaque).toBe(true)
})

test('accepts only integers as numbers', () => {
  expect(['1', '-2', '+3', ''].every((text) => isNumericWord({ text, known: true }))).toBe(true)
  expect(['1a', '0x1', '1.5', 'i'].some((text) => isNumericWord({ text, known: true }))).toBe(false)
  expect(isNumericWord({ text: '1', known: false })).toBe(false)
})
