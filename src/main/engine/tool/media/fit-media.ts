import type { MediaPart } from '../../../../shared/model/message'
import { fitImage, ImageProblem } from './fit-image'
import { mediaTypeOf } from './media-type'
import { isPdf, PdfProblem, readPdf, type PdfText } from './read-pdf'

/** Media that cannot be given to a model; the message is a whole sentence. */
export class MediaProblem extends Error {}

/** A PDF with its text, as far as that was read. */
export function pdfPart(bytes: Buffer, { pages, last, text, isCut }: PdfText, name: string | undefined): MediaPart {
  const cut = isCut ? `\n\n[Cut here: this is the text up to page ${last} of ${pages}.]` : ''
  return {
    type: 'media',
    mediaType: 'application/pdf',
    data: bytes.toString('base64'),
    ...(name !== undefined && { name }),
    text: text + cut,
    pages,
  }
}

/**
 * Media as models can be given them, whichever way they came in: images as PNG or JPEG of at most 2,000 pixels an edge and 1 MiB, a PDF with its text beside it, videos as
 * they are. What it is counts by its content, not by its name. Rejects with a `MediaProblem`.
 */
export async function fitMedia(part: Pick<MediaPart, 'data' | 'mediaType' | 'name'>, signal?: AbortSignal): Promise<MediaPart> {
  const { data, mediaType, name } = part
  const named = { type: 'media' as const, ...(name !== undefined && { name }) }
  const bytes = Buffer.from(data, 'base64')
  const found = mediaTypeOf(bytes)
  if (found?.problem !== undefined) throw new MediaProblem(`It is a ${found.name}. ${found.problem}`)
  try {
    if (found?.mediaType.startsWith('image/')) {
      const fitted = await fitImage(bytes, found.mediaType, signal)
      return { ...named, mediaType: fitted.mediaType, data: fitted.data === bytes ? data : fitted.data.toString('base64') }
    }
    if (found) return { ...named, mediaType: found.mediaType, data }
    if (isPdf(bytes)) return pdfPart(bytes, await readPdf(bytes, signal ? { signal } : {}), name)
  } catch (error) {
    if (error instanceof ImageProblem || error instanceof PdfProblem) throw new MediaProblem(error.message, { cause: error })
    throw error
  }
  throw new MediaProblem(`It is said to be ${mediaType}, but is no image, video or PDF that is known here.`)
}
