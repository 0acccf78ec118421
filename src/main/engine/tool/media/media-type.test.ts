import { describe, expect, it } from 'vitest'
import { mediaTypeOf } from './media-type'

const of = (start: string) => mediaTypeOf(Buffer.from(start.padEnd(64, '\0'), 'latin1'))?.mediaType

describe('mediaTypeOf', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFFxxxxWEBPVP8 ', 'image/webp'],
    ['\0\0\0\x20ftypavif', 'image/avif'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', 'image/svg+xml'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['\0\0\0\x20ftypqt  ', 'video/quicktime'],
    ['\x1aE\xdf\xa3....B\x82\x84webm', 'video/webm'],
    ['\x1aE\xdf\xa3....B\x82\x88matroska', 'video/x-matroska'],
    ['RIFFxxxxAVI LIST', 'video/x-msvideo'],
  ])('knows %j', (start, expected) => {
    expect(of(start)).toBe(expected)
  })

  it('takes no text, document or sound for a picture', () => {
    for (const start of ['BMW is a car maker', '<html><body><svg>', '%PDF-1.7', 'RIFFxxxxWAVEfmt ', '\0\0\0\x20ftypM4A ', 'GIF8', ''])
      expect(of(start)).toBeUndefined()
  })

  it('says what to do about pictures that cannot be decoded', () => {
    expect(mediaTypeOf(Buffer.from('\0\0\0\x20ftypheic', 'latin1'))?.problem).toContain('Convert it to JPEG or PNG')
    expect(mediaTypeOf(Buffer.from('BM\x36\0\0\0\0\0\0\0', 'latin1'))?.problem).toContain('Convert it to PNG')
  })
})
