import type { Metadata, Sharp } from 'sharp'

/** What every provider takes: beyond it images are scaled down by them, or refused. */
const MAX_EDGE = 2_000
const MAX_BYTES = 1024 * 1024
/** 100 megapixels: a picture that cannot be decoded piece by piece takes 400 MB then. */
const MAX_PIXELS = 100_000_000
const SVG_EDGE = 1_000
const TIMEOUT_S = 25
const MEGABYTE = 1_000_000

export interface FittedImage {
  mediaType: 'image/png' | 'image/jpeg'
  data: Buffer
  width: number
  height: number
  original: { width: number; height: number }
  /** More than 1: it moves, and this is the first picture. */
  frames: number
}

/** An image that cannot be used; the message is a whole sentence. */
export class ImageProblem extends Error {}

/**
 * The image as a PNG or JPEG of at most 2,000 pixels an edge and 1 MiB, upright; a small PNG or JPEG stays as it is, byte by byte. It is decoded to its
 * end, so a truncated file is found out. `input` is a path only for large files: then it is read piece by piece. Rejects with an `ImageProblem`.
 */
export async function fitImage(input: Buffer | string, mediaType: string): Promise<FittedImage> {
  const { default: sharp } = await import('sharp').catch((error: unknown) => {
    throw new ImageProblem(`The image library could not be loaded: ${messageOf(error)}`)
  })
  // One picture now and then: keeping decoded ones or threads for more would only cost memory.
  sharp.cache(false)
  sharp.concurrency(1)
  const open = (density?: number): Sharp =>
    sharp(input, {
      limitInputPixels: MAX_PIXELS,
      failOn: 'truncated',
      sequentialRead: true,
      ...(density !== undefined && { density }),
    }).timeout({ seconds: TIMEOUT_S })
  try {
    const meta = await open().metadata()
    const original = { width: meta.autoOrient.width, height: meta.autoOrient.height }
    const frames = meta.pages ?? 1
    if (Buffer.isBuffer(input) && fitsAsItIs(input, mediaType, meta)) {
      await open().resize(16, 16, { fit: 'fill' }).raw().toBuffer()
      return { mediaType: mediaType === 'image/png' ? 'image/png' : 'image/jpeg', data: input, ...original, original, frames }
    }
    const density = mediaType === 'image/svg+xml' ? svgDensity(original) : undefined
    const raw = await open(density)
      .autoOrient()
      .resize({ width: MAX_EDGE, height: MAX_EDGE, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    const again = (): Sharp => sharp(raw.data, { raw: { width: raw.info.width, height: raw.info.height, channels: raw.info.channels } })
    const keepPixels = meta.hasAlpha || ['image/png', 'image/gif', 'image/svg+xml'].includes(mediaType)
    return { ...(await encode(again, keepPixels)), original, frames }
  } catch (error) {
    throw new ImageProblem(explain(messageOf(error)), { cause: error })
  }
}

function fitsAsItIs(input: Buffer, mediaType: string, meta: Metadata): boolean {
  const usual = (mediaType === 'image/png' || mediaType === 'image/jpeg') && meta.space !== 'cmyk'
  return usual && input.length <= MAX_BYTES && Math.max(meta.width, meta.height) <= MAX_EDGE && (meta.orientation ?? 1) === 1
}

/** Drawings have no size of their own that matters: small ones are drawn larger. */
function svgDensity({ width, height }: { width: number; height: number }): number {
  return Math.min(72_000, Math.max(72, (72 * SVG_EDGE) / Math.max(1, width, height)))
}

const ATTEMPTS = [
  { edge: MAX_EDGE, quality: 85 },
  { edge: MAX_EDGE, quality: 70 },
  { edge: MAX_EDGE, quality: 50 },
  { edge: 1_400, quality: 60 },
  { edge: 1_000, quality: 50 },
]

/** Text stays sharp in a PNG, so that is tried first where it is likely; else JPEG, smaller and smaller. */
async function encode(open: () => Sharp, keepPixels: boolean): Promise<Omit<FittedImage, 'original' | 'frames'>> {
  if (keepPixels) {
    const { data, info } = await open().png({ compressionLevel: 9 }).toBuffer({ resolveWithObject: true })
    if (data.length <= MAX_BYTES) return { mediaType: 'image/png', data, width: info.width, height: info.height }
  }
  for (const { edge, quality } of ATTEMPTS) {
    const { data, info } = await open()
      .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true })
    if (data.length <= MAX_BYTES) return { mediaType: 'image/jpeg', data, width: info.width, height: info.height }
  }
  throw new Error('it does not get small enough')
}

function explain(message: string): string {
  const first = message.split('\n')[0] ?? ''
  if (/pixel limit/i.test(message))
    return `The image has more than ${MAX_PIXELS / MEGABYTE} megapixels, which is too large to decode. Scale it down first.`
  if (/timeout/i.test(message)) return `The image took longer than ${TIMEOUT_S} s to decode. Scale it down first.`
  if (/compression format|codec|not built in|unsupported feature/i.test(message))
    return `The image is packed in a way that cannot be decoded here (${first}). Convert it to PNG or JPEG first.`
  return `The image is damaged or incomplete: ${first}.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
