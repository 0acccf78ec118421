import type { MediaPart } from '../../../../shared/model/turn/message'
import { isPdf, PdfProblem, readPdf, type PdfText } from './read-pdf'
import { programFile } from '../../runtime/plain-node'
import { runWorker, WorkerFailure } from '../../runtime/worker-process'

/** Media that cannot be sent to a model; the message is a whole sentence. */
export class MediaProblem extends Error {}

/** A PDF with the part of its text that was read. */
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
 * Converts media from any source to what models accept: images to PNG or JPEG of at most 2,000 pixels an edge and 1
 * MiB, a PDF with its text, videos unchanged. The type is determined by the content, not by the name. Rejects with a
 * `MediaProblem`.
 */
export async function fitMedia(
  part: Pick<MediaPart, 'data' | 'mediaType' | 'name'>,
  signal?: AbortSignal,
): Promise<MediaPart> {
  const { data, mediaType, name } = part
  const named = { type: 'media' as const, ...(name !== undefined && { name }) }
  const bytes = Buffer.from(data, 'base64')
  const found = mediaTypeOf(bytes)
  if (found?.problem !== undefined) throw new MediaProblem(`It is a ${found.name}. ${found.problem}`)
  try {
    if (found?.mediaType.startsWith('image/')) {
      const fitted = await fitImage(bytes, found.mediaType, signal)
      return {
        ...named,
        mediaType: fitted.mediaType,
        data: fitted.data === bytes ? data : fitted.data.toString('base64'),
      }
    }
    if (found) return { ...named, mediaType: found.mediaType, data }
    if (isPdf(bytes)) return pdfPart(bytes, await readPdf(bytes, signal ? { signal } : {}), name)
  } catch (error) {
    if (error instanceof ImageProblem || error instanceof PdfProblem)
      throw new MediaProblem(error.message, { cause: error })
    throw error
  }
  throw new MediaProblem(`It is declared as ${mediaType}, but is not a supported image, video or PDF.`)
}

/** What every provider accepts; some scale down or reject larger images. */
const MAX_EDGE = 2_000
const MAX_BYTES = 1024 * 1024
/** The decoder has its own limit; this one applies if it hangs. */
const LIMIT_MS = 60_000
const HEAP_MEGABYTES = 512
const MAX_GROWTH_BYTES = 2 * 1024 ** 3
/** The path of a file that a program inherited as descriptor 3. */
const INHERITED_FILE = '/proc/self/fd/3'

/** The worker's input. Unless there is a path, the bytes are sent separately. */
export interface ImageQuestion {
  path?: string
  mediaType: string
  maxEdge: number
  maxBytes: number
}

/** The worker's result; without `data`, the image stays as it is. */
export interface ImageAnswer {
  mediaType: 'image/png' | 'image/jpeg'
  data?: Buffer
  width: number
  height: number
  original: { width: number; height: number }
  /** More than 1: it is animated, and this is the first frame. */
  frames: number
}

export type FittedImage = Required<ImageAnswer>

/** An image that cannot be used; the message is a whole sentence. */
export class ImageProblem extends Error {}

/**
 * The image as a PNG or JPEG of at most 2,000 pixels an edge and 1 MiB, upright; a small PNG or JPEG stays unchanged,
 * byte for byte. It is decoded completely, to detect truncated files, and in a separate process, so that a crash of the
 * decoder affects only this image. `input` is a path only for large files, which are read in pieces. Rejects with an
 * `ImageProblem`.
 */
export async function fitImage(input: Buffer | string, mediaType: string, signal?: AbortSignal): Promise<FittedImage> {
  // A file descriptor is valid only in this process.
  const descriptor = typeof input === 'string' ? /^\/proc\/self\/fd\/(\d+)$/.exec(input)?.[1] : undefined
  const question: ImageQuestion = { mediaType, maxEdge: MAX_EDGE, maxBytes: MAX_BYTES }
  let answer: ImageAnswer | { problem: string }
  try {
    answer = await runWorker<ImageAnswer | { problem: string }>({
      file: programFile(import.meta.url, 'image-worker.ts'),
      question:
        typeof input === 'string' ? { ...question, path: descriptor === undefined ? input : INHERITED_FILE } : question,
      ...(typeof input !== 'string' && { data: input }),
      ...(descriptor !== undefined && { descriptor: Number(descriptor) }),
      ...(signal && { signal }),
      limitMs: LIMIT_MS,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes: MAX_GROWTH_BYTES,
    })
  } catch (error) {
    if (error instanceof WorkerFailure) throw new ImageProblem(explain(error), { cause: error })
    throw error
  }
  if ('problem' in answer) throw new ImageProblem(answer.problem)
  return { ...answer, data: answer.data ?? (input as Buffer) }
}

function explain({ reason, message }: WorkerFailure): string {
  if (reason === 'time') return `The image took longer than ${LIMIT_MS / 1000} s to decode. Scale it down first.`
  if (reason === 'memory') return 'The image needs too much memory to decode. Scale it down first.'
  return (
    `The program that decodes images crashed over it (${message}). ` +
    'It may be damaged; convert it to PNG or JPEG first.'
  )
}

/** The type of an image or video file, by its first bytes. */
export interface MediaType {
  /** E.g. `image/png`. */
  mediaType: string
  /** E.g. `PNG image`. */
  name: string
  /** Why it cannot be shown, with what to do instead. */
  problem?: string
}

const HEIC = 'HEIC needs a licensed decoder that Trestle does not have. Convert it to JPEG or PNG first.'
const convert = (name: string): string => `${name} cannot be shown. Convert it to PNG first.`

/** Offset, bytes as latin-1 text, media type, name, problem. First match wins. */
const SIGNATURES: readonly (readonly [
  offset: number,
  bytes: string,
  mediaType: string,
  name: string,
  problem?: string,
])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png', 'PNG image'],
  [0, '\xff\xd8\xff', 'image/jpeg', 'JPEG image'],
  [0, 'GIF87a', 'image/gif', 'GIF image'],
  [0, 'GIF89a', 'image/gif', 'GIF image'],
  [0, 'II*\0', 'image/tiff', 'TIFF image'],
  [0, 'MM\0*', 'image/tiff', 'TIFF image'],
  [4, 'ftypavif', 'image/avif', 'AVIF image'],
  [4, 'ftypavis', 'image/avif', 'AVIF image'],
  [4, 'ftyphei', 'image/heic', 'HEIC image', HEIC],
  [4, 'ftyphev', 'image/heic', 'HEIC image', HEIC],
  [4, 'ftypmif1', 'image/heif', 'HEIF image'],
  [0, '\0\0\x01\0', 'image/x-icon', 'icon', convert('An icon file')],
  [0, '8BPS', 'image/vnd.adobe.photoshop', 'Photoshop image', convert('A Photoshop file')],
  [4, 'ftypqt  ', 'video/quicktime', 'QuickTime video'],
  [4, 'ftyp3g', 'video/3gpp', '3GPP video'],
  [0, '\x1aE\xdf\xa3', 'video/x-matroska', 'Matroska video'],
  [0, '\0\0\x01\xba', 'video/mpeg', 'MPEG video'],
  [0, '\0\0\x01\xb3', 'video/mpeg', 'MPEG video'],
  [0, 'FLV\x01', 'video/x-flv', 'Flash video'],
  [0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'video/x-ms-wmv', 'Windows Media video'],
]

const MP4_BRANDS = /^ftyp(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|MSNV|f4v )/

/**
 * Determines the type by content, never by name. `head`: the first bytes, 1 KB is enough. Undefined: neither image nor
 * video.
 */
export function mediaTypeOf(head: Uint8Array): MediaType | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 1024)).toString('latin1')
  const found = SIGNATURES.find(([offset, bytes]) => text.startsWith(bytes, offset))
  if (found?.[2] === 'video/x-matroska' && text.includes('webm')) return { mediaType: 'video/webm', name: 'WebM video' }
  if (found) return { mediaType: found[2], name: found[3], ...(found[4] !== undefined && { problem: found[4] }) }
  if (text.startsWith('RIFF')) return riff(text.slice(8, 12))
  if (MP4_BRANDS.test(text.slice(4))) return { mediaType: 'video/mp4', name: 'MP4 video' }
  // A word can start with BM; a bitmap has four zero bytes at offset 6.
  if (text.startsWith('BM') && text.startsWith('\0\0\0\0', 6))
    return { mediaType: 'image/bmp', name: 'BMP image', problem: convert('A BMP file') }
  if (isSvg(text)) return { mediaType: 'image/svg+xml', name: 'SVG image' }
  return undefined
}

/** What can come before the first tag of an SVG image, with how it ends. */
const BEFORE_SVG: readonly [start: string, end: string][] = [
  ['<?xml', '>'],
  ['<!--', '-->'],
  ['<!DOCTYPE svg', '>'],
]

/** Step by step, because a single pattern takes forever on a row of comments. */
function isSvg(text: string): boolean {
  let rest = text.replace(/^\xef\xbb\xbf/, '').trimStart()
  for (;;) {
    const part = BEFORE_SVG.find(([start]) => rest.startsWith(start))
    if (!part) return /^<svg[\s>]/.test(rest)
    const at = rest.indexOf(part[1], part[0].length)
    if (at === -1) return false
    rest = rest.slice(at + part[1].length).trimStart()
  }
}

function riff(form: string): MediaType | undefined {
  if (form === 'WEBP') return { mediaType: 'image/webp', name: 'WebP image' }
  return form === 'AVI ' ? { mediaType: 'video/x-msvideo', name: 'AVI video' } : undefined
}
