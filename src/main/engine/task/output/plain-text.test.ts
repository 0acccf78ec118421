import { array, assert, constant, constantFrom, nat, oneof, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PlainText, plainText, LastLine } from './plain-text'
import { cpuMs } from '../../../../../test/support/cpu-time'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const plain = (text: string): string => plainText([bytes(text)])
/** Always through the state machine, even if there is nothing to interpret. */
const interpreted = (...pieces: string[]): string => {
  const reader = new PlainText()
  for (const piece of pieces) reader.write(piece)
  return reader.text()
}

describe('text stays as it is', () => {
  test.each([
    ['lines and blank lines', 'a\n\nb\n'],
    ['no line end', 'a'],
    ['tabs, which Makefiles and tables need', '\tall:\n\t\techo\tx\n'],
    ['trailing blanks', 'a  \nb\t\n'],
    ['unicode of every width', 'żółć 漢字 🎉 e\u0301 👩\u200d👧\n'],
    ['a byte order mark', '\ufeffa'],
    ['a line far wider than the terminal', `${'0123456789'.repeat(700)}\n`],
    ['wide characters across the edge of the terminal', `${'漢'.repeat(150)}x\n`],
    ['tabs across the edge of the terminal', `${'a\t'.repeat(100)}\n`],
    ['more lines than the screen has', Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')],
  ])('%s', (_name, text) => {
    expect(plain(text)).toBe(text)
    expect(interpreted(text)).toBe(text)
  })
})

describe('what the screen would show', () => {
  test.each([
    ['CRLF becomes LF', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['colors and attributes are removed', '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m', 'red true'],
    ['a progress line keeps its last state', ' 10%\r 50%\r100%\ndone', '100%\ndone'],
    ['what a shorter redraw leaves stays, as on a screen', 'abcdef\rxy', 'xycdef'],
    ['erase to the end of the line', 'downloading 99%\r\x1b[Kdone\n', 'done\n'],
    ['erase the whole line', 'abc\x1b[2K\rx', 'x'],
    ['erase up to the cursor', 'abcdef\x1b[3D\x1b[1K', '    ef'],
    ['backspaces', 'passs\b \bword', 'password'],
    ['man page overstrike', 'b\bbo\bol\bld\bd', 'bold'],
    ['cursor up redraws two lines', 'a 1\nb 1\n\x1b[2A\x1b[Ka 2\n\x1b[Kb 2\n', 'a 2\nb 2\n'],
    ['cursor up and erase below', 'x\ny\nz\x1b[2A\r\x1b[Jnew', 'new'],
    ['column moves', 'abc\x1b[10Gx\x1b[1Gy', 'ybc      x'],
    ['cursor position', '\x1b[2;3Hx\x1b[1;1Hy', 'y\n  x'],
    ['clear the screen', 'old\n\x1b[H\x1b[2Jnew', 'old\nnew'],
    ['a title with BEL and one with ST', '\x1b]0;title\x07a\x1b]2;t\x1b\\b', 'ab'],
    ['links keep their text', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['charset and keypad selections', '\x1b(B\x1b)0\x1b=\x1b>a\x1b#8', 'a'],
    ['device control strings', '\x1bPq#0;2;0\x1b\\a', 'a'],
    ['C1 controls', '\u009b31mred\u009b0m', 'red'],
    ['NUL, bells and other controls', 'a\0b\x07c\x01d\x7fe', 'abcde'],
    ['a full-screen program leaves what was there', 'before\n\x1b[?1049h\x1b[Hscreen\x1b[?1049lafter', 'before\nafter'],
    ['deleted and inserted characters', 'abcdef\x1b[4D\x1b[2P\x1b[1@', 'ab ef'],
    ['saved and restored cursor', 'ab\x1b7\ncd\x1b8X', 'abX\ncd'],
    ['marks stay with their letter when a line is redrawn', 'e\u0301a\rx', 'xa'],
    ['half a wide character does not survive', '漢字\rx', 'x 字'],
    ['half a tab does not survive', '\tz\rab', 'ab      z'],
    ['a wrapped line is redrawn at its position on the screen', `${'x'.repeat(205)}\r\x1b[K!`, `${'x'.repeat(200)}!`],
  ])('%s', (_name, raw, shown) => {
    expect(plain(raw)).toBe(shown)
  })

  test.each([
    ['clear', '\x1b[H\x1b[2J\x1b[3J'],
    ['console.clear of Node', '\x1b[1;1H\x1b[0J'],
    ['a reset of the terminal', '\x1bc'],
    ['erase, then home', '\x1b[2J\x1b[H'],
  ])('keeps what was printed before the screen is cleared: %s', (_name, wipe) => {
    expect(plain(`first\nlines\n${wipe}second\n${wipe}third`).replace(/\n+$/, '')).toMatch(
      /^first\nlines\n+second\n+third$/,
    )
  })

  test('keeps the first and last frames of an animation, and the number of skipped frames', () => {
    const pictures = Array.from({ length: 100 }, (_, n) => `\x1b[H\x1b[2Jpicture ${n}\nlines`)
    const text = plain(`before\n${pictures.join('')}`)
    expect(text).toMatch(/^before\npicture 0\nlines\npicture 1\n/)
    expect(text).toContain(
      '\n[The screen was cleared 92 more times; what it showed in between is left out here.]\npicture 99\nlines',
    )
    expect(text).not.toContain('picture 50')
  })

  test('a full-screen program that clears its own screen leaves no output', () => {
    expect(plain('a\n\x1b[?1049hone\x1b[H\x1b[2Jtwo\x1b[?1049lb')).toBe('a\nb')
  })

  test('a stray string introducer does not swallow the lines after it', () => {
    expect(plain('a\x1b]b\nc\x1bPd\ne')).toBe('a\nc\ne')
  })

  test('an unfinished escape code at the end is dropped', () => {
    expect(plain('a\x1b[31')).toBe('a')
    expect(plain('a\x1b')).toBe('a')
  })

  test('invalid UTF-8 is replaced, not dropped with what follows', () => {
    expect(plainText([new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0x62])])).toBe('a\ufffd\ufffd(b')
  })
})

describe('any input', () => {
  const piece = oneof(
    constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b]',
      '\x1bP',
      '\x1b[?1049h',
      '\x1b[?1049l',
      '\x1b[2J',
      '\x1b[K',
      '\x1b[1K',
      '\x1b[A',
      '\x1b[999B',
      '\x1b[99999999999C',
    ),
    constantFrom(
      '\r',
      '\n',
      '\b',
      '\t',
      '\0',
      '\x07',
      '\x9b',
      '\x9c',
      ';',
      '5',
      'H',
      'm',
      '漢',
      '🎉',
      '\u0301',
      'é',
      '\x1b[5P',
      '\x1b[7@',
      '\x1b[3X',
      '\x1b[J',
      '\x1b[1J',
    ),
    string({ unit: 'binary', maxLength: 20 }),
    constant('x'.repeat(190)),
  )
  const stream = array(piece, { maxLength: 60 }).map((parts) => bytes(parts.join('')))

  test('never fails, and leaves no control character but tab and line feed', () => {
    assert(
      property(stream, (raw) => {
        expect(plainText([raw])).not.toMatch(/[^\P{Cc}\t\n]/u)
      }),
    )
  })

  test('gives the same result for any chunks, even with split characters and escape sequences', () => {
    assert(
      property(stream, array(nat({ max: 400 }), { maxLength: 8 }), (raw, cuts) => {
        const ends = [...cuts, raw.length].map((cut) => Math.min(cut, raw.length)).toSorted((a, b) => a - b)
        const pieces = ends.map((end, index) => raw.subarray(index === 0 ? 0 : ends[index - 1], end))
        expect(plainText(pieces)).toBe(plainText([raw]))
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
        expect(interpreted(...text.split(/(?:)/u))).toBe(interpreted(text))
      }),
    )
  })

  test.each([
    ['lines of nothing', '\n'],
    ['carriage returns', '\r'],
    ['escapes', '\x1b'],
    ['parameters', '\x1b[1;'],
    ['redraws', `${'x'.repeat(199)}\r`],
    ['cursor jumps', '\x1b[50;200Hx\x1b[1;1Hy'],
    ['erasures', '\x1b[1Kx\x1b[2J'],
    ['insertions', 'x\r\x1b[200@'],
    ['marks', 'e' + '\u0301'.repeat(50)],
  ])('processes 2 MB of %s quickly', (_name, unit) => {
    const started = cpuMs()
    plainText([bytes(unit.repeat(Math.ceil(2_000_000 / unit.length)))])
    expect(cpuMs() - started).toBeLessThan(4_000)
  })
})

function lineOf(...pieces: string[]): ReturnType<LastLine['read']> {
  const line = new LastLine()
  for (const piece of pieces) line.append(Buffer.from(piece))
  return line.read()
}

test.each([
  ['nothing', [''], { text: '', isOpen: false }],
  ['an ended line', ['one\ntwo\n'], { text: 'two', isOpen: false }],
  ['an open line', ['one\nName: '], { text: 'Name:', isOpen: true }],
  ['blank lines after it', ['one\n\n   \n'], { text: 'one', isOpen: false }],
  [
    'colors, a title and a redraw',
    ['\x1b]0;t\x07 10%\r\x1b[K\x1b[31mPassword\x1b[0m: '],
    { text: 'Password:', isOpen: true },
  ],
  ['pieces that cut a character', ['Stra\u00dfe? '], { text: 'Straße?', isOpen: true }],
])('the last line of %s', (_name, pieces, expected) => {
  expect(lineOf(...pieces)).toEqual(expected)
  expect(lineOf(...pieces.join('').split(/(?:)/u))).toEqual(expected)
})

test('the last line of a flood is its end, however it arrives, and at most 200 characters', () => {
  expect(lineOf('x'.repeat(100_000), `${'y'.repeat(3_000)}\n`, `${'é'.repeat(9_999)}end?`).text).toMatch(
    /^…é{195}end\?$/,
  )
  expect(lineOf(...Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`)).text).toBe('line 4999')
})
