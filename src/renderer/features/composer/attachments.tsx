import { useCallback, useState } from 'react'
import { errorText } from '../../../shared/error-text'
import { withoutDerivedMedia, type MediaPart, type UserPart } from '../../../shared/model/turn/message'
import { useClient } from '../../state/page/queries'
import { base64, keepFile, type FileKeeper, type FilePart } from '../../state/session/kept-files'

/** A file to be sent with a message. */
export interface Attachment {
  id: string
  /** Images and PDFs are sent as they are; for other files the agent gets the text or the path. */
  part: MediaPart | FilePart
  bytes: number
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const PDF_TYPE = 'application/pdf'
const MAX_ATTACHMENTS = 10
/** Larger ones must be mentioned with @, so that the agent reads only the pages it needs. */
const MAX_PDF_BYTES = 20_000_000
/** Larger sides are scaled down: models see no more detail. */
const MAX_PIXELS = 2000
/** Providers reject images of more than about 5 MB; base64 adds a third. */
const MAX_BYTES = 3_700_000
/** Not even decoded: it could exhaust the page's memory. */
const MAX_FILE_BYTES = 60_000_000

/** The attachments of an earlier message as originally given: derived data is computed again. */
export function attachmentsOf(parts: readonly UserPart[]): Attachment[] {
  return parts.flatMap((part): Attachment[] => {
    const id = crypto.randomUUID()
    if (part.type === 'media' && !part.attached)
      return [{ id, part: withoutDerivedMedia(part), bytes: Math.round((part.data.length * 3) / 4) }]
    if (part.type === 'text' && part.file)
      return [{ id, part: { type: 'text', text: part.text, file: part.file }, bytes: part.file.size }]
    return []
  })
}

/** Whether the model must support images to accept it. */
export function isImage(part: Attachment['part']): boolean {
  return part.type === 'media' && part.mediaType !== PDF_TYPE
}

/** The size an image is sent in: its own, or scaled so that no side exceeds the limit. */
export function fitWithin(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_PIXELS / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Reads a file, and scales images to the limits; throws an Error whose message can be shown. */
async function readAttachment(file: File, keeper: FileKeeper): Promise<Attachment> {
  if (PICTURE_TYPES.includes(file.type)) return readPicture(file)
  if (file.type !== PDF_TYPE) {
    const part = await keepFile(file, keeper)
    return { id: crypto.randomUUID(), bytes: part.file.size, part }
  }
  const name = file.name || 'document.pdf'
  if (file.size > MAX_PDF_BYTES)
    throw new Error(`${name} is larger than ${MAX_PDF_BYTES / 1_000_000} MB. Mention it with @ instead.`)
  return {
    id: crypto.randomUUID(),
    bytes: file.size,
    part: { type: 'media', mediaType: PDF_TYPE, data: await base64(file), name },
  }
}

async function readPicture(file: File): Promise<Attachment> {
  const name = file.name || 'picture'
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
  if (!context) throw new Error('This browser cannot scale pictures.')
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

/** The attachments of a draft. `problem` says why one could not be added. */
export function useAttachments(sessionId: string) {
  const client = useClient()
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string>()
  const [reading, setReading] = useState(0)

  const add = useCallback(
    async (files: readonly File[]) => {
      setProblem(undefined)
      setReading((n) => n + files.length)
      for (const file of files) {
        try {
          const attachment = await readAttachment(file, { client, sessionId })
          setAttachments((before) => {
            if (before.length < MAX_ATTACHMENTS) return [...before, attachment]
            setProblem(`A message takes at most ${MAX_ATTACHMENTS} attachments.`)
            return before
          })
        } catch (error) {
          setProblem(errorText(error))
        } finally {
          setReading((n) => n - 1)
        }
      }
    },
    [client, sessionId],
  )
  const remove = useCallback((id: string) => {
    setProblem(undefined)
    setAttachments((before) => before.filter((attachment) => attachment.id !== id))
  }, [])
  return { attachments, setAttachments, problem, setProblem, reading: reading > 0, add, remove }
}
