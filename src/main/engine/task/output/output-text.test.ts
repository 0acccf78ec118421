import { expect, test } from 'vitest'
import { outputText } from './output-text'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('returns output that fits completely', () => {
  expect(outputText({ head: [bytes('a\n'), bytes('b')], dropped: 0, tail: [] }, 3, 10, 'x')).toEqual({
    text: 'a\nb',
    totalChars: 3,
    truncated: false,
  })
})

test('shortens long output to complete lines of its start and more of its end, and says what is missing', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${String(index).padStart(4, '0')}\n`).join('')
  const cut = outputText({ head: [bytes(lines)], dropped: 0, tail: [] }, lines.length, 1_000, 'All of it: /log')
  expect(cut.text).toMatch(
    /^line 0000\n(?:line \d{4}\n)+\[\.\.\. 9\d\d\d of 10000 characters left out\. All of it: \/log \.\.\.\]\n(?:line \d{4}\n)+$/,
  )
  expect(cut.text.split('[...')[0]!.length).toBeLessThan(cut.text.split('...]')[1]!.length)
  expect(cut.text.length).toBeLessThan(1_100)
  expect(cut).toMatchObject({ totalChars: 10_000, truncated: true })
})

test('cuts one huge line between characters', () => {
  const { text } = outputText({ head: [bytes('🎉'.repeat(10_000))], dropped: 0, tail: [] }, 40_000, 1_001, '')
  expect(text.isWellFormed()).toBe(true)
  expect(text.length).toBeLessThan(1_200)
})

test('reads an end that starts inside a character or escape sequence from its first full line', () => {
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
