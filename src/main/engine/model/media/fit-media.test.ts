import sharp from 'sharp'
import { expect, it, describe } from 'vitest'
import { makePdf } from '../../../../../test/support/pdf'
import { fitMedia, MediaProblem, mediaTypeOf } from './fit-media'

const part = (bytes: Buffer, mediaType = 'image/png') => ({ mediaType, data: bytes.toString('base64'), name: 'a' })
const png = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer()

it('scales a large image down, and leaves a small one as it is', async () => {
  const large = await fitMedia(part(await png(3000, 1500)))
  expect(await sharp(Buffer.from(large.data, 'base64')).metadata()).toMatchObject({ width: 2000, height: 1000 })
  const small = part(await png(30, 20))
  expect(await fitMedia(small)).toEqual({ type: 'media', ...small })
})

it('goes by the content, not by the declared media type', async () => {
  const webp = await sharp(await png(10, 10))
    .webp()
    .toBuffer()
  expect((await fitMedia(part(webp))).mediaType).toBe('image/jpeg')
})

it('adds to a PDF its text and its number of pages', async () => {
  const pdf = part(makePdf(['one', 'two']), 'application/pdf')
  expect(await fitMedia(pdf)).toEqual({
    type: 'media',
    ...pdf,
    text: '[Page 1 of 2]\none\n\n[Page 2 of 2]\ntwo',
    pages: 2,
  })
})

it.each([
  ['no media', Buffer.from('hello'), 'not a supported image, video or PDF'],
  ['a damaged image', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'), 'damaged or incomplete'],
  ['an encrypted PDF', makePdf(['a'], { encrypted: true }), 'needs a password'],
  ['a HEIC image', Buffer.from('\0\0\0\x20ftypheic', 'latin1'), 'Convert it to JPEG or PNG'],
])('refuses %s with the reason', async (_what, bytes, reason) => {
  await expect(fitMedia(part(bytes))).rejects.toThrow(reason)
  await expect(fitMedia(part(bytes))).rejects.toBeInstanceOf(MediaProblem)
})

const of = (start: string) => mediaTypeOf(Buffer.from(start.padEnd(64, '\0'), 'latin1'))?.mediaType

describe('mediaTypeOf', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFFxxxxWEBPVP8 ', 'image/webp'],
    ['\0\0\0\x20ftypavif', 'image/avif'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', 'image/svg+xml'],
    [`${'<!---->'.repeat(100)}<!DOCTYPE svg PUBLIC "x">\n<svg>`, 'image/svg+xml'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['\0\0\0\x20ftypqt  ', 'video/quicktime'],
    ['\x1aE\xdf\xa3....B\x82\x84webm', 'video/webm'],
    ['\x1aE\xdf\xa3....B\x82\x88matroska', 'video/x-matroska'],
    ['RIFFxxxxAVI LIST', 'video/x-msvideo'],
  ])('knows %j', (start, expected) => {
    expect(of(start)).toBe(expected)
  })

  it('does not mistake text, documents or sound for images', () => {
    for (const start of [
      'BMW is a car maker',
      '<html><body><svg>',
      // Once took practically forever.
      '<!---->'.repeat(140),
      '<!-- open',
      '%PDF-1.7',
      'RIFFxxxxWAVEfmt ',
      '\0\0\0\x20ftypM4A ',
      'GIF8',
      '',
    ])
      expect(of(start)).toBeUndefined()
  })

  it('says what to do about images that cannot be decoded', () => {
    expect(mediaTypeOf(Buffer.from('\0\0\0\x20ftypheic', 'latin1'))?.problem).toContain('Convert it to JPEG or PNG')
    expect(mediaTypeOf(Buffer.from('BM\x36\0\0\0\0\0\0\0', 'latin1'))?.problem).toContain('Convert it to PNG')
  })
})
