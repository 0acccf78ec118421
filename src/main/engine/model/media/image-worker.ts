import { parentPort, workerData } from 'node:worker_threads'
import type { Metadata, Sharp, default as Library } from 'sharp'
import type { ImageAnswer, ImageQuestion } from './fit-media'

/**
 * The worker behind `fitImage`. Images can come from untrusted sources, and the library that decodes them is native
 * code.
 */
const { path, data, mediaType, maxEdge, maxBytes } = workerData as ImageQuestion & { data?: Uint8Array }

/** 100 megapixels: an image that cannot be decoded in pieces then takes 400 MB. */
const MAX_PIXELS = 100_000_000
const SVG_EDGE = 1_000
const TIMEOUT_S = 25
const MEGABYTE = 1_000_000

const input = path ?? Buffer.from(data!.buffer, data!.byteOffset, data!.byteLength)
let sharp: typeof Library
void work()

async function work(): Promise<void> {
  try {
    sharp = (await import('sharp')).default
  } catch (error) {
    answer({ problem: `The image library could not be loaded: ${messageOf(error)}` })
    return
  }
  // The process ends after one image: caching decoded images or keeping threads would only cost memory.
  sharp.cache(false)
  sharp.concurrency(1)
  try {
    answer(await fit())
  } catch (error) {
    answer({ problem: explain(messageOf(error)) })
  }
}

function open(density?: number): Sharp {
  return sharp(input, {
    limitInputPixels: MAX_PIXELS,
    failOn: 'truncated',
    sequentialRead: true,
    ...(density !== undefined && { density }),
  }).timeout({ seconds: TIMEOUT_S })
}

async function fit(): Promise<ImageAnswer> {
  const meta = await open().metadata()
  const original = { width: meta.autoOrient.width, height: meta.autoOrient.height }
  const frames = meta.pages ?? 1
  if (typeof input !== 'string' && fitsAsItIs(input.length, meta)) {
    await open().resize(16, 16, { fit: 'fill' }).raw().toBuffer()
    return { mediaType: mediaType === 'image/png' ? 'image/png' : 'image/jpeg', ...original, original, frames }
  }
  const density = mediaType === 'image/svg+xml' ? svgDensity(original) : undefined
  const raw = await open(density)
    .autoOrient()
    .resize({ width: maxEdge, height: maxEdge, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const again = (): Sharp =>
    sharp(raw.data, { raw: { width: raw.info.width, height: raw.info.height, channels: raw.info.channels } })
  const keepPixels = meta.hasAlpha || ['image/png', 'image/gif', 'image/svg+xml'].includes(mediaType)
  return { ...(await encode(again, keepPixels)), original, frames }
}

function fitsAsItIs(bytes: number, meta: Metadata): boolean {
  const usual = (mediaType === 'image/png' || mediaType === 'image/jpeg') && meta.space !== 'cmyk'
  return usual && bytes <= maxBytes && Math.max(meta.width, meta.height) <= maxEdge && (meta.orientation ?? 1) === 1
}

/** The size of a vector image doesn't matter, so small ones are rendered larger. */
function svgDensity({ width, height }: { width: number; height: number }): number {
  return Math.min(72_000, Math.max(72, (72 * SVG_EDGE) / Math.max(1, width, height)))
}

/** Tries PNG first if the image likely contains text, which stays sharp in it; then ever smaller JPEGs. */
async function encode(
  image: () => Sharp,
  keepPixels: boolean,
): Promise<Pick<Required<ImageAnswer>, 'mediaType' | 'data' | 'width' | 'height'>> {
  if (keepPixels) {
    const { data: png, info } = await image().png({ compressionLevel: 9 }).toBuffer({ resolveWithObject: true })
    if (png.length <= maxBytes) return { mediaType: 'image/png', data: png, width: info.width, height: info.height }
  }
  const attempts = [
    { edge: maxEdge, quality: 85 },
    { edge: maxEdge, quality: 70 },
    { edge: maxEdge, quality: 50 },
    { edge: 1_400, quality: 60 },
    { edge: 1_000, quality: 50 },
  ]
  for (const { edge, quality } of attempts) {
    const { data: jpeg, info } = await image()
      .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true })
    if (jpeg.length <= maxBytes) return { mediaType: 'image/jpeg', data: jpeg, width: info.width, height: info.height }
  }
  throw new Error('it does not get small enough')
}

function explain(message: string): string {
  const first = message.split('\n')[0] ?? ''
  if (/pixel limit/i.test(message))
    return (
      `The image has more than ${MAX_PIXELS / MEGABYTE} megapixels, which is too large to decode. ` +
      'Scale it down first.'
    )
  if (/timeout/i.test(message)) return `The image took longer than ${TIMEOUT_S} s to decode. Scale it down first.`
  if (/compression format|codec|not built in|unsupported feature/i.test(message))
    return `The image is packed in a way that cannot be decoded here (${first}). Convert it to PNG or JPEG first.`
  return `The image is damaged or incomplete: ${first}.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function answer(value: ImageAnswer | { problem: string }): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(value)
}
