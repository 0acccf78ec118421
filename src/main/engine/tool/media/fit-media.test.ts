import sharp from 'sharp'
import { expect, it } from 'vitest'
import { makePdf } from '../../../../../test/support/pdf'
import { fitMedia, MediaProblem } from './fit-media'

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

it('goes by the content, not by the media type that was said', async () => {
  const webp = await sharp(await png(10, 10))
    .webp()
    .toBuffer()
  expect((await fitMedia(part(webp))).mediaType).toBe('image/jpeg')
})

it('gives a PDF its text and its number of pages', async () => {
  const pdf = part(makePdf(['one', 'two']), 'application/pdf')
  expect(await fitMedia(pdf)).toEqual({ type: 'media', ...pdf, text: '[Page 1 of 2]\none\n\n[Page 2 of 2]\ntwo', pages: 2 })
})

it.each([
  ['no media', Buffer.from('hello'), 'no image, video or PDF'],
  ['a damaged image', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'), 'damaged or incomplete'],
  ['an encrypted PDF', makePdf(['a'], { encrypted: true }), 'needs a password'],
  ['a HEIC image', Buffer.from('\0\0\0\x20ftypheic', 'latin1'), 'Convert it to JPEG or PNG'],
])('refuses %s with the reason', async (_what, bytes, reason) => {
  await expect(fitMedia(part(bytes))).rejects.toThrow(reason)
  await expect(fitMedia(part(bytes))).rejects.toBeInstanceOf(MediaProblem)
})
