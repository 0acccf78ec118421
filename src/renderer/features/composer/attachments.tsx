import { FileText, X } from 'lucide-react'
import { useCallback, useState, type ClipboardEvent, type DragEvent } from 'react'
import { withoutDerivedMedia, type MediaPart, type UserPart } from '../../../shared/model/message'
import { droppedPaths, type DroppedPath } from '../../state/page/desktop-bridge'
import { DRAGGED_PATHS, draggedPaths } from '../../state/session/mentions'

/** An image or PDF to be sent. */
export interface Attachment {
  id: string
  part: MediaPart
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
  return parts.flatMap((part) =>
    part.type === 'media' && !part.attached
      ? [{ id: crypto.randomUUID(), part: withoutDerivedMedia(part), bytes: Math.round((part.data.length * 3) / 4) }]
      : [],
  )
}

/** The size an image is sent in: its own, or scaled so that no side exceeds the limit. */
export function fitWithin(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_PIXELS / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Reads an image or PDF and scales it to the limits; throws an Error whose message can be shown. */
async function readAttachment(file: File): Promise<Attachment> {
  if (file.type !== PDF_TYPE) return readPicture(file)
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
  if (!PICTURE_TYPES.includes(file.type)) throw new Error(`${name} is not a PNG, JPEG, GIF or WebP image, or a PDF.`)
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

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += 0x8000)
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return btoa(text)
}

/** The images and PDFs of a paste or drop. */
function attachableFiles(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith('image/') || file.type === PDF_TYPE)
}

/** Attached images and PDFs, each with a remove button. */
export function AttachmentList({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[]
  onRemove: (id: string) => void
}) {
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map(({ id, part }) => (
        <li key={id}>
          {part.mediaType === PDF_TYPE ? (
            <span className="attachment-file" title={part.name}>
              <FileText aria-hidden />
              <span>{part.name ?? 'PDF'}</span>
            </span>
          ) : (
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? 'picture'} title={part.name} />
          )}
          <button type="button" aria-label={`Remove ${part.name ?? 'attachment'}`} onClick={() => onRemove(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The attachments of a draft. `problem` says why one could not be added. */
export function useAttachments() {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string>()
  const [reading, setReading] = useState(0)

  const add = useCallback(async (files: readonly File[]) => {
    setProblem(undefined)
    setReading((n) => n + files.length)
    for (const file of files) {
      try {
        const attachment = await readAttachment(file)
        setAttachments((before) => {
          if (before.length < MAX_ATTACHMENTS) return [...before, attachment]
          setProblem(`A message takes at most ${MAX_ATTACHMENTS} attachments.`)
          return before
        })
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
      } finally {
        setReading((n) => n - 1)
      }
    }
  }, [])
  const remove = useCallback((id: string) => {
    setProblem(undefined)
    setAttachments((before) => before.filter((attachment) => attachment.id !== id))
  }, [])
  return { attachments, setAttachments, problem, setProblem, reading: reading > 0, add, remove }
}

interface PictureDropOptions {
  /** The model accepts images. */
  imagesIn: boolean
  add: (files: File[]) => void
  /** Files and folders to mention by path instead of attaching them. */
  name: (paths: DroppedPath[]) => void
  /** Why something was not added. */
  showProblem: (problem: string) => void
}

/**
 * Images and PDFs that are pasted, dropped or chosen for the composer. Every model accepts PDFs: as text if it does not
 * support documents.
 */
export function usePictureDrop({ imagesIn, add, name, showProblem }: PictureDropOptions) {
  const [dragging, setDragging] = useState(false)
  const addFiles = (files: File[]): void => {
    const fitting = files.filter((file) => imagesIn || file.type === PDF_TYPE)
    if (fitting.length > 0) add(fitting)
    if (fitting.length < files.length)
      showProblem("This model doesn't support images. Choose another model to send them.")
  }
  return {
    dragging,
    addFiles,
    onPaste(event: ClipboardEvent): void {
      const files = attachableFiles(event.clipboardData)
      // Text copied from office programs includes an image of the same text: paste the text.
      if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
      event.preventDefault()
      addFiles(files)
    },
    onDragOver(event: DragEvent): void {
      if (!event.dataTransfer.types.includes('Files') && !event.dataTransfer.types.includes(DRAGGED_PATHS)) return
      event.preventDefault()
      setDragging(true)
    },
    onDragLeave(event: DragEvent): void {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
        setDragging(false)
    },
    onDrop(event: DragEvent): void {
      setDragging(false)
      const dragged = draggedPaths(event.dataTransfer)
      if (dragged.length > 0) {
        event.preventDefault()
        return name(dragged)
      }
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      const files = attachableFiles(event.dataTransfer)
      // The desktop app knows the paths of files: mention those that cannot be attached.
      const isAttached = new Set(files.map(({ name: fileName }) => fileName))
      const named = droppedPaths(event.dataTransfer).filter(
        ({ path, isFolder }) => isFolder || !isAttached.has(path.split(/[\\/]/).at(-1) ?? ''),
      )
      if (named.length > 0) name(named)
      if (files.length > 0) addFiles(files)
      else if (named.length === 0) showProblem('Only images and PDFs can be dropped here. Mention other files with @.')
    },
  }
}
