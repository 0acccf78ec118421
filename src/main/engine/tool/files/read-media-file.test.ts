import { execFileSync } from 'node:child_process'
import { mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { callTool, prepareCall, type Outcome } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { readMediaFileTool } from './read-media-file'

async function project(accepts = { images: true, video: true }) {
  const root = await tempFolder()
  const tool = readMediaFileTool({ workspace: createWorkspace({ root }), accepts })
  const put = (name: string, content: Uint8Array | string) => writeFile(join(root, name), content)
  const show = (path: string) => callTool(tool, { path })
  return { root, tool, put, show }
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } })
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })

function media(outcome: Outcome) {
  const part = outcome.content.find((each) => each.type === 'media')
  if (part?.type !== 'media') throw new Error(`no picture but: ${outcome.text}`)
  return { ...part, bytes: Buffer.from(part.data, 'base64') }
}

describe('ReadMediaFile: images', () => {
  it('passes a small PNG or JPEG on unchanged, regardless of its name', async () => {
    const { put, show } = await project()
    const png = await plain(30, 20).png().toBuffer()
    await put('wrong-name.jpg', png)
    const outcome = await show('wrong-name.jpg')
    expect(media(outcome)).toMatchObject({ mediaType: 'image/png', bytes: png, name: 'wrong-name.jpg' })
    expect(outcome.text).toBe('wrong-name.jpg: PNG image, 30 x 20 pixels, 1 kB.')
    expect(outcome.details).toEqual({
      kind: 'media',
      path: 'wrong-name.jpg',
      mediaType: 'image/png',
      bytes: png.length,
      width: 30,
      height: 20,
    })
  })

  it('scales large images to 2000 pixels and 1 MiB', async () => {
    const { put, show } = await project()
    await put('large.jpg', await noise(2200, 1100).jpeg({ quality: 100 }).toBuffer())
    const outcome = await show('large.jpg')
    const { bytes } = media(outcome)
    const { width, height } = await sharp(bytes).metadata()
    expect([width, height]).toEqual([2000, 1000])
    expect(bytes.length).toBeLessThanOrEqual(1024 * 1024)
    expect(outcome.text).toContain('2200 x 1100 pixels')
    expect(outcome.text).toContain('scaled to 2000 x 1000')
    expect(outcome.details).toMatchObject({ width: 2200, height: 1100 })
  })

  it('brings an image of noise below the limit although no PNG of it is small enough', async () => {
    const { put, show } = await project()
    await put('noise.png', await noise(1200, 1200).png().toBuffer())
    const { bytes, mediaType } = media(await show('noise.png'))
    expect(mediaType).toBe('image/jpeg')
    expect(bytes.length).toBeLessThanOrEqual(1024 * 1024)
  })

  it('rotates photographs upright, as their camera recorded', async () => {
    const { put, show } = await project()
    await put('photo.jpg', await plain(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer())
    const { bytes } = media(await show('photo.jpg'))
    const { width, height, orientation } = await sharp(bytes).metadata()
    expect([width, height, orientation]).toEqual([20, 40, undefined])
  })

  it.each(['gif', 'webp', 'avif', 'tiff'] as const)('shows %s in a format that every model accepts', async (format) => {
    const { put, show } = await project()
    await put('image', await plain(16, 16).toFormat(format).toBuffer())
    expect(media(await show('image')).mediaType).toMatch(/^image\/(png|jpeg)$/)
  })

  it('shows the first frame of an animation and reports it', async () => {
    const { put, show } = await project()
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    await put(
      'moving.gif',
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    )
    const outcome = await show('moving.gif')
    expect(outcome.text).toContain('first of 3 frames')
    expect([...(await sharp(media(outcome).bytes).removeAlpha().raw().toBuffer()).subarray(0, 3)]).toEqual([255, 0, 0])
  })

  it('draws an SVG large enough to see, and does not let it include other files', async () => {
    const { put, show } = await project()
    await put(
      'red.png',
      await sharp({ create: { width: 10, height: 10, channels: 3, background: '#f00' } })
        .png()
        .toBuffer(),
    )
    await put(
      'a.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><image ' +
        'href="red.png" width="10" height="10"/></svg>',
    )
    const { bytes } = media(await show('a.svg'))
    const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    expect(info.width).toBeGreaterThanOrEqual(900)
    expect(data.every((byte) => byte === 0)).toBe(true)
  })

  it('calls a truncated or broken image damaged instead of showing half of it', async () => {
    const { put, show } = await project()
    for (const [name, whole] of [
      ['small.jpg', await noise(300, 300).jpeg().toBuffer()],
      ['small.png', await noise(300, 300).png().toBuffer()],
      ['large.jpg', await noise(2200, 300).jpeg().toBuffer()],
      ['a.webp', await noise(300, 300).webp().toBuffer()],
    ] as const) {
      await put(name, whole.subarray(0, Math.floor(whole.length * 0.6)))
      expect(await show(name)).toMatchObject({
        isError: true,
        text: expect.stringMatching(new RegExp(`^${name}: .*damaged or incomplete`)),
      })
    }
    await put('only-a-header.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    expect(await show('only-a-header.png')).toMatchObject({ isError: true })
  })

  it('refuses images that would fill the memory once decoded', async () => {
    const { put, show } = await project()
    await put('bomb.png', await plain(20_000, 6_000).png().toBuffer())
    expect(await show('bomb.png')).toMatchObject({ isError: true, text: expect.stringContaining('megapixels') })
  })
})

describe('ReadMediaFile: everything else', () => {
  it('passes video on whole', async () => {
    const { put, show } = await project()
    const video = Buffer.from('\0\0\0\x20ftypisom and so on', 'latin1')
    await put('clip.bin', video)
    expect(media(await show('clip.bin'))).toMatchObject({ mediaType: 'video/mp4', bytes: video })
  })

  it('reports the type of a file that it cannot show', async () => {
    const { put, show } = await project()
    await put('text.png', 'this is not a picture')
    await put('a.heic', Buffer.from('\0\0\0\x20ftypheic\0\0', 'latin1'))
    await put('empty.png', '')
    expect(await show('text.png')).toMatchObject({
      isError: true,
      text: expect.stringContaining('not an image, video or PDF'),
    })
    expect(await show('a.heic')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Convert it to JPEG or PNG'),
    })
    expect(await show('empty.png')).toMatchObject({ isError: true, text: 'empty.png is empty.' })
    expect(await show('nope.png')).toMatchObject({ isError: true, text: expect.stringContaining('does not exist') })
  })

  it('refuses more than 100 MB, folders and pipes without waiting for them', async () => {
    const { root, show } = await project()
    const file = await open(join(root, 'big.mp4'), 'w')
    await file.truncate(101 * 1024 * 1024)
    await file.close()
    await mkdir(join(root, 'folder'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await show('big.mp4')).toMatchObject({ isError: true, text: expect.stringContaining('at most 100 MB') })
    expect(await show('folder')).toMatchObject({ isError: true, text: 'folder is a folder. Use ListDirectory.' })
    expect(await show('pipe')).toMatchObject({ isError: true, text: 'pipe is a named pipe, not a regular file.' })
  })

  it('refuses sensitive files, even through a link', async () => {
    const { root, put, show } = await project()
    await mkdir(join(root, '.ssh'))
    await put('.ssh/shot.png', await plain(8, 8).png().toBuffer())
    await symlink('.ssh/shot.png', join(root, 'link.png'))
    for (const path of ['.ssh/shot.png', 'link.png'])
      expect(await show(path)).toMatchObject({ isError: true, text: expect.stringContaining('protected') })
  })

  it('promises and returns only what the model accepts, and suggests what to do with the rest', async () => {
    const images = await project({ images: true, video: false })
    expect(images.tool.description).toMatch(/^Shows you an image \(PNG.*\) or a short PDF.*first frame\.$/)
    expect(images.tool.description).not.toContain('video')
    await images.put('clip.mp4', Buffer.from('\0\0\0\x20ftypisom and so on', 'latin1'))
    expect(await images.show('clip.mp4')).toMatchObject({
      isError: true,
      text:
        'clip.mp4 is a video (MP4 video), which the model in use cannot be sent. ' +
        'Extract frames from it, e.g. with ffmpeg in Bash, and view those.',
    })
    const video = await project({ images: false, video: true })
    expect(video.tool.description).toBe('Shows you a video or a short PDF, up to 100 MB (PDF: 32).')
    await video.put('a.png', await plain(4, 4).png().toBuffer())
    expect(await video.show('a.png')).toMatchObject({
      isError: true,
      text: expect.stringContaining('is an image (PNG'),
    })
    expect((await project()).tool.description).toMatch(/^Shows you an image \(PNG.*\), a video or a short PDF/)
  })

  it('declares the file a link leads to', async () => {
    const { root, put, tool } = await project()
    await put('a.png', 'x')
    await symlink('a.png', join(root, 'b.png'))
    expect((await prepareCall(tool, { path: 'b.png' })).accesses).toEqual([
      { kind: 'file', path: join(root, 'a.png'), written: join(root, 'b.png'), write: false },
    ])
  })
})
