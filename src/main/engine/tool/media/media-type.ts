/** What a file of pictures is, by its first bytes. */
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
const SIGNATURES: readonly (readonly [offset: number, bytes: string, mediaType: string, name: string, problem?: string])[] = [
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

/** Judges by content, never by name. `head`: the first bytes, 1 KB is enough. Undefined: neither image nor video. */
export function mediaTypeOf(head: Uint8Array): MediaType | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 1024)).toString('latin1')
  const found = SIGNATURES.find(([offset, bytes]) => text.startsWith(bytes, offset))
  if (found?.[2] === 'video/x-matroska' && text.includes('webm')) return { mediaType: 'video/webm', name: 'WebM video' }
  if (found) return { mediaType: found[2], name: found[3], ...(found[4] !== undefined && { problem: found[4] }) }
  if (text.startsWith('RIFF')) return riff(text.slice(8, 12))
  if (MP4_BRANDS.test(text.slice(4))) return { mediaType: 'video/mp4', name: 'MP4 video' }
  // A word may begin with BM; a bitmap has four zero bytes at offset 6.
  if (text.startsWith('BM') && text.startsWith('\0\0\0\0', 6))
    return { mediaType: 'image/bmp', name: 'BMP image', problem: convert('A BMP file') }
  if (/^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/s.test(text))
    return { mediaType: 'image/svg+xml', name: 'SVG image' }
  return undefined
}

function riff(form: string): MediaType | undefined {
  if (form === 'WEBP') return { mediaType: 'image/webp', name: 'WebP image' }
  return form === 'AVI ' ? { mediaType: 'video/x-msvideo', name: 'AVI video' } : undefined
}
