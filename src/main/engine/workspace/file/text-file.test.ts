import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText, encodeText, lineEndings, notText, type TextFormat } from './text-file'

const FORMATS: TextFormat[] = [
  { encoding: 'utf-8', bom: false },
  { encoding: 'utf-8', bom: true },
  { encoding: 'utf-16le', bom: true },
  { encoding: 'utf-16be', bom: true },
]

/** How a file that starts with these bytes is detected. */
const name = (start: string): string => notText(Buffer.from(start, 'latin1')).reason

describe('decodeText and encodeText', () => {
  it('round-trip without loss in any format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...FORMATS), (text, format) => {
        fc.pre(!text.includes('\0') && !text.startsWith('\ufeff'))
        expect(decodeText(encodeText(text, format))).toEqual({ text, format })
      }),
    )
  })

  it('do not write a second byte order mark if the text has one', () => {
    expect(encodeText('\ufeffa', { encoding: 'utf-8', bom: true })).toEqual(Buffer.from('\ufeffa'))
  })

  it('do not change the bytes they were given', () => {
    const bytes = encodeText('abc', { encoding: 'utf-16be', bom: true })
    const copy = Buffer.from(bytes)
    decodeText(bytes)
    expect(bytes).toEqual(copy)
  })

  it.each([
    ['Latin-1', Buffer.from('gr\u00fc\u00df', 'latin1'), 'not valid UTF-8'],
    ['a NUL', Buffer.from('a\0b'), 'binary data'],
    ['UTF-16 without a mark', Buffer.from('hello there', 'utf16le'), 'UTF-16 text without'],
    ['half a UTF-16 unit', Buffer.from([0xff, 0xfe, 0x41]), 'UTF-16'],
    ['half a surrogate pair', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'binary data'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'binary data'],
    ['a cut-off UTF-8 character', Buffer.from([0x61, 0xe2, 0x82]), 'not valid UTF-8'],
  ])('do not treat %s as text', (_, bytes, reason) => {
    expect(decodeText(bytes)).toMatchObject({ notText: { reason: expect.stringContaining(reason) } })
  })

  it('recognize common types by their first bytes, so that the model learns the type', () => {
    expect(name('\x89PNG\r\n\x1a\n\0')).toBe('PNG image')
    expect(name('RIFF\0\0\0\0WEBPVP8 ')).toBe('WebP image')
    expect(name('\0\0\0\x18ftypmp42')).toBe('MP4 video')
    expect(name('%PDF-1.7\n\xff')).toBe('PDF document')
    expect(name('PK\x03\x04\0')).toContain('ZIP')
    expect(name('\x7fELF\x02')).toContain('ELF')
    expect(name('SQLite format 3\0')).toBe('SQLite database')
    expect(name(`${'x'.repeat(257)}ustar\0`)).toBe('tar archive')
    expect(notText(Buffer.from('GIF89a\0', 'latin1')).type?.media).toBe(true)
    expect(notText(Buffer.from('%PDF-\0', 'latin1')).type?.media).toBe(false)
  })
})

describe('lineEndings', () => {
  it.each([
    ['', 'none'],
    ['one line', 'none'],
    ['a\nb', 'lf'],
    ['a\r\nb\r\n', 'crlf'],
    ['a\r\nb\n', 'mixed'],
    ['a\rb', 'mixed'],
    ['a\r\nb\r', 'mixed'],
    ['a\r\r\n', 'mixed'],
    ['\n\r', 'mixed'],
  ])('calls %j %s', (text, endings) => {
    expect(lineEndings(text)).toBe(endings)
  })
})
