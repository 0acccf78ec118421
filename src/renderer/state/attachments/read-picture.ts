import type { Attachment } from './attachment'
import { base64 } from './kept-files'

/** Larger sides are scaled down: models see no more detail. */
const MAX_PIXELS = 2000
/** Providers reject images of more than about 5 MB; base64 adds a third. */
const MAX_BYTES = 3_700_000
/** Larger files are not even decoded, because that could exhaust the page's memory. */
const MAX_FILE_BYTES = 60_000_000

/** The size at which an image is sent: its own, or scaled so that no side exceeds the limit. */
export function fitWithin(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_PIXELS / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Reads a picture, scaled to the limits; throws an Error with a message for the user. */
export async function readPicture(file: File): Promise<Attachment> {
  const name = file.name || 'image'
  if (file.size > MAX_FILE_BYTES) throw new Error(`${name} is larger than ${MAX_FILE_BYTES / 1_000_000} MB.`)
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) throw new Error(`${name} could not be read; the file may be damaged.`)
  try {
    const size = fitWithin(bitmap.width, bitmap.height)
    const fits = size.width === bitmap.width && size.height === bitmap.height && file.size <= MAX_BYTES
    const blob = fits ? file : await redrawn(bitmap, size, file.type === 'image/png')
    if (blob.size > MAX_BYTES) throw new Error(`${name} is too large even when scaled down.`)
    return {
      id: crypto.randomUUID(),
      bytes: blob.size,
      part: { type: 'media', mediaType: blob.type, data: await base64(blob), name },
    }
  } finally {
    bitmap.close()
  }
}

async function redrawn(
  bitmap: ImageBitmap,
  { width, height }: { width: number; height: number },
  lossless: boolean,
): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot scale images.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  if (lossless) {
    const png = await canvas.convertToBlob({ type: 'image/png' })
    if (png.size <= MAX_BYTES) return png
  }
  // JPEG has no transparency: use the paper color as background, not black.
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.86 })
}
