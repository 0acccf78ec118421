import { expect, test } from 'vitest'
import { outputText } from './output-text'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('output that fits is given whole', () => {
  expect(outputText({ head: [bytes('a\n'), bytes('b')], dropped: 0, tail: [] }, 3, 10, 'x')).toEqual({
    text: 'a\nb',
    totalChars: 3,
    truncated: false,
  })
})

test('too long output keeps whole lines of its beginning and more of its end, and says what is missing', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${String(index).padStart(4, '0')}\n`).join('')
  const cut = outputText({ head: [bytes(lines)], dropped: 0, tail: [] }, lines.length, 1_000, 'All of it: /log')
  expect(cut.text).toMatch(
    /^line 0000\n(?:line \d{4}\n)+\[\.\.\. 9\d\d\d of 10000 characters left out\. All of it: \/log \.\.\.\]\n(?:line \d{4}\n)+$/,
  )
  expect(cut.text.split('[...')[0]!.length).toBeLessThan(cut.text.split('...]')[1]!.length)
  expect(cut.text.length).toBeLessThan(1_100)
  expect(cut).toMatchObject({ totalChars: 10_000, truncated: true })
})

test('one huge line is cut between characters, never inside one', () => {
  const { text } = outputText({ head: [bytes('🎉'.repeat(10_000))], dropped: 0, tail: [] }, 40_000, 1_001, '')
  expect(text.isWellFormed()).toBe(true)
  expect(text.length).toBeLessThan(1_200)
})

test('an end that begins inside a character and an escape code is read from its first line on', () => {
  const { text } = outputText(
    { head: [bytes('first\n')], dropped: 5_000, tail: [bytes('31mhalf\nlast\n')] },
    6_000,
    1_000,
    'All: /log',
  )
  expect(text).toBe('first\n[... most of 6000 bytes left out. All: /log ...]\nlast\n')
  const noLine = outputText(
    { head: [bytes('a')], dropped: 9, tail: [bytes('é').subarray(1), bytes('z')] },
    12,
    1_000,
    '',
  )
  expect(noLine.text).toMatch(/\]\nz$/)
})
