import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MarkdownStream } from './markdown-stream'
import { displayWidth, safeText } from './text-layout'
import { createStyle } from './terminal'

const ESC = '\u001b'

const DOCUMENT = `# The *plan*

Some **bold words** and \`npm test\`, see [the docs](https://example.org/docs) &amp; ~~not~~ this.
A second line.

- first
- second with **strong**
  - nested
  - [x] done

3. three
4. four

> quoted
> words

\`\`\`sh
npm run something -- --with many --words # **not bold**

echo done
\`\`\`

| name | count |
|------|------:|
| a \`b\` | 1 |
| 二二 | 20 |

---
The end.
`

function rendered(
  text: string,
  { columns = 60, sizes = [7] }: { columns?: number; sizes?: readonly number[] } = {},
): string {
  const stream = new MarkdownStream(createStyle(true), () => columns)
  let out = ''
  for (let at = 0, n = 0; at < text.length; n += 1) {
    const size = sizes[n % sizes.length]!
    out += stream.add(text.slice(at, at + size))
    at += size
  }
  return out + stream.end()
}

const plain = (text: string, columns?: number): string =>
  stripVTControlCharacters(rendered(text, columns === undefined ? {} : { columns }))

test('renders headings, lists, emphasis, code, tables, quotes and links', () => {
  expect(plain(DOCUMENT)).toBe(`The plan

Some bold words and npm test, see the docs
(https://example.org/docs) & not this.
A second line.

• first
• second with strong
  • nested
  • [x] done

3. three
4. four

│ quoted
│ words

\`\`\`sh
npm run something -- --with many --words # **not bold**

echo done
\`\`\`

name │ count
─────┼──────
a b  │     1
二二 │    20

────────────────────────────────────────

The end.
`)
  const styled = rendered(DOCUMENT)
  expect(styled).toContain('\u001b[1mbold\u001b[22m \u001b[1mwords\u001b[22m')
  expect(styled).toContain('\u001b[36mnpm\u001b[39m \u001b[36mtest\u001b[39m')
  expect(styled).toContain('\u001b[4mdocs\u001b[24m')
  expect(styled).toContain(`${ESC}[4m${ESC}[1mThe`)
})

test('renders the same for any split of the stream', () => {
  const whole = rendered(DOCUMENT, { sizes: [DOCUMENT.length] })
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }), (sizes) => {
      expect(rendered(DOCUMENT, { sizes })).toBe(whole)
    }),
    { numRuns: 60 },
  )
})

test('writes a block as soon as it is complete, and each line of code and list item separately', () => {
  const stream = new MarkdownStream(createStyle(true), () => 60)
  const add = (text: string): string => stripVTControlCharacters(stream.add(text))
  expect(add('# Title\nSome wo')).toBe('Title\n')
  expect(add('rds.\n\n')).toBe('\nSome words.\n')
  expect(add('1. one\n')).toBe('')
  expect(add('1. two\n')).toBe('\n1. one\n')
  expect(add('1. three\n\n```\n')).toBe('2. two\n3. three\n\n```\n')
  expect(add('a = 1\nb')).toBe('a = 1\n')
  expect(stripVTControlCharacters(stream.end())).toBe('b\n')
})

test('only code lines are wider than the terminal, and no word is lost', () => {
  for (const columns of [20, 33, 80]) {
    const lines = plain(DOCUMENT, columns).split('\n')
    const prose = lines.filter((line) => !line.includes('npm run') && !line.includes('https://'))
    expect(Math.max(...prose.map(displayWidth))).toBeLessThanOrEqual(columns)
  }
  const wide = `| a | b |\n|---|---|\n| ${'word '.repeat(30)}| ${'x'.repeat(50)} |\n`
  for (const columns of [12, 30, 80]) {
    const lines = plain(wide, columns).split('\n')
    // Without room for columns, each cell is a line; long words are left to the terminal.
    const most = columns === 12 ? 'b: '.length + 50 : columns
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(most)
    expect(lines.join(' ').match(/word/g)).toHaveLength(30)
    expect(lines.join('').match(/x/g)).toHaveLength(50)
  }
})

test('hostile text never writes control characters: not as an entity, in a link, an image or a language', () => {
  const escape = '\u001b]0;title\u0007\u001b[2J'
  const hostile =
    `a ${escape} &#27;[31m &#x1b; [x](http://h/${escape}) ![${escape}](u${escape})\n\n` +
    `\`\`\`${escape}\n${escape}\n\`\`\`\n\n| ${escape} |\n|---|\n| \`${escape}\` |\n\n<b ${escape}>\n`
  for (const sizes of [[1], [5], [10_000]]) {
    const stream = new MarkdownStream(createStyle(true), () => 80)
    let out = ''
    for (let at = 0; at < hostile.length; at += sizes[0]!) out += stream.add(hostile.slice(at, at + sizes[0]!))
    out += stream.end()
    const own = out.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '')
    expect(safeText(own)).toBe(own)
    expect(out).not.toContain('\u001b[31m')
  }
})

test('shows deeply nested and long text completely', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '# ',
          '- ',
          '1. ',
          '> ',
          '```',

          '---',
          '\n',
          '\n\n',
          '**',
          '`',
          '[a](b)',
          'word',
          ' ',
          '\t',
          '<b>',
          '&',
          '\r\n',
        ),
      ),
      (pieces) => {
        const text = pieces.join('')
        const words = (all: string): number => all.split('word').length
        expect(words(plain(text))).toBe(words(text))
      },
    ),
  )
  expect(plain(`${'> '.repeat(5000)}end\n`)).toContain('end')
  expect(plain(`${'**a '.repeat(20_000)}end\n`)).toContain('end')
})

test('leaves out any number of blank lines before a block', () => {
  const stream = new MarkdownStream(createStyle(false), () => 80)
  expect(stream.add(`${'\n'.repeat(6_000_000)}Hello.\n\n`).trim()).toBe('Hello.')
})
