import { describe, expect, it } from 'vitest'
import { forDisk, forEditor } from './line-ends'

describe('line ends', () => {
  it('are preserved, whatever they are', () => {
    for (const [text, ends] of [
      ['a\r\nb\r\n', 'crlf'],
      ['a\nb', 'lf'],
      ['a\r\nb\nc\rd', 'mixed'],
      ['', 'none'],
    ] as const)
      expect(forDisk(forEditor(text, ends), ends)).toBe(text)
  })

  it('of new lines match those of the file', () => {
    expect(forDisk(`${forEditor('a\r\n', 'crlf')}b\n`, 'crlf')).toBe('a\r\nb\r\n')
  })
})
