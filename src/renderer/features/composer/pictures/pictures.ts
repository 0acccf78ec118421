import { asGiven, type MediaPart, type UserPart } from '../../../../shared/model/message'

/** A picture or PDF that is about to be sent. */
export interface Attachment {
  id: string
  part: MediaPart
  bytes: number
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const PDF_TYPE = 'application/pdf'
export const MOST_ATTACHMENTS = 10
/** Larger ones are named with @, so that the agent reads the pages it needs. */
const MOST_PDF_BYTES = 20_000_000
/** Larger sides are scaled down: models see no more. */
const MOST_PIXELS = 2000
/** Providers refuse pictures of more than about 5 MB; base64 adds a third. */
const MOST_BYTES = 3_700_000
/** Not even decoded: it could take the page's memory. */
const MOST_FILE_BYTES = 60_000_000

/** The attachments of a message that was sent before, as they were given: what was found out about them is found out anew. */
export function attached(parts: readonly UserPart[]): Attachment[] {
  return parts.flatMap((part) =>
    part.type === 'media' && !part.attached
      ? [{ id: crypto.randomUUID(), part: asGiven(part), bytes: Math.round((part.data.length * 3) / 4) }]
      : [],
  )
}

/** The size a picture is sent in: its own, or scaled so that no side is over the limit. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MOST_PIXELS / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Reads a picture or PDF and makes it fit; throws an Error whose message can be shown. */
export async function readAttachment(file: File): Promise<Attachment> {
  if (file.type !== PDF_TYPE) return readPicture(file)
  const name = file.name || 'document.pdf'
  if (file.size > MOST_PDF_BYTES) throw new Error(`${name} is larger than ${MOST_PDF_BYTES / 1_000_000} MB. Mention it with @ instead.`)
  return { id: crypto.randomUUID(), bytes: file.size, part: { type: 'media', mediaType: PDF_TYPE, data: await base64(file), name } }
}

async function readPicture(file: File): Promise<Attachment> {
  const name = file.name || 'picture'
  if (!PICTURE_TYPES.includes(file.type)) throw new Error(`${name} is not a PNG, JPEG, GIF or WebP image, or a PDF.`)
  if (file.size > MOST_FILE_BYTES) throw new Error(`${name} is larger than ${MOST_FILE_BYTES / 1_000_000} MB.`)
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) throw new Error(`${name} could not be read; the file may be damaged.`)
  try {
    const size = fitted(bitmap.width, bitmap.height)
    const fits = size.width === bitmap.width && size.height === bitmap.height && file.size <= MOST_BYTES
    const blob = fits ? file : await redrawn(bitmap, size, file.type === 'image/png')
    if (blob.size > MOST_BYTES) throw new Error(`${name} is too large even when scaled down.`)
    return { id: crypto.randomUUID(), bytes: blob.size, part: { type: 'media', mediaType: blob.type, data: await base64(blob), name } }
  } finally {
    bitmap.close()
  }
}

async function redrawn(bitmap: ImageBitmap, { width, height }: { width: number; height: number }, lossless: boolean): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot scale pictures.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  if (lossless) {
    const png = await canvas.convertToBlob({ type: 'image/png' })
    if (png.size <= MOST_BYTES) return png
  }
  // JPEG has no transparency: what shows through should be paper, not black.
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.86 })
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return btoa(text)
}

/** The pictures and PDFs of a paste or drop. */
export function attachableFiles(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith('image/') || file.type === PDF_TYPE)
}
