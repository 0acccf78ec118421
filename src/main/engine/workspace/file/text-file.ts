import { isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** How a text is encoded on disk. */
export interface TextFormat {
  encoding: Encoding
  /** Starts with a byte order mark. */
  bom: boolean
}

/** `crlf` and `lf`: every line ends this way. `mixed`: several kinds, or carriage returns that don't end a line. */
export type LineEndings = 'none' | 'lf' | 'crlf' | 'mixed'

/** Why bytes are not text. */
export interface NotText {
  /** For the model, e.g. `a PNG image` or `not valid UTF-8 …`. */
  reason: string
  type: FileType | undefined
}

/** Texts in UTF-16 are decoded as a whole, so they can have at most this many bytes. */
export const MAX_UTF16_BYTES = 10 * 1024 * 1024

/** The format according to the first bytes; UTF-8 if there is no byte order mark. */
export function formatOf(start: Uint8Array): TextFormat {
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', bom: true }
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', bom: true }
  return { encoding: 'utf-8', bom: start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf }
}

/** Decodes a whole file. The byte order mark is not part of the text. */
export function decodeText(bytes: Buffer): { text: string; format: TextFormat } | { notText: NotText } {
  const format = formatOf(bytes)
  if (format.encoding === 'utf-8') {
    if (bytes.includes(0) || !isUtf8(bytes)) return { notText: notText(bytes) }
    return { text: bytes.toString('utf8', format.bom ? 3 : 0), format }
  }
  if (bytes.length > MAX_UTF16_BYTES)
    return { notText: { reason: `UTF-16 text larger than ${MAX_UTF16_BYTES / 1024 / 1024} MiB`, type: undefined } }
  const body = bytes.subarray(2)
  if (body.length % 2 === 1) return { notText: { reason: 'cut-off or broken UTF-16', type: undefined } }
  const text = (format.encoding === 'utf-16be' ? Buffer.from(body).swap16() : body).toString('utf16le')
  if (text.includes('\0') || !text.isWellFormed()) return { notText: notText(bytes) }
  return { text, format }
}

/**
 * The bytes of a text in a format. A byte order mark is added if the format has one, unless the text already starts
 * with one.
 */
export function encodeText(text: string, { encoding, bom }: TextFormat): Buffer {
  const whole = bom && !text.startsWith('\ufeff') ? `\ufeff${text}` : text
  if (encoding === 'utf-8') return Buffer.from(whole, 'utf8')
  const bytes = Buffer.from(whole, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

export function lineEndings(text: string): LineEndings {
  if (!text.includes('\r')) return text.includes('\n') ? 'lf' : 'none'
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? 'mixed' : 'crlf'
}

/** As text, for the model: `UTF-16 LE`, `UTF-8 with BOM`; undefined for plain UTF-8. */
export function describeFormat({ encoding, bom }: TextFormat): string | undefined {
  if (encoding !== 'utf-8') return encoding === 'utf-16le' ? 'UTF-16 LE' : 'UTF-16 BE'
  return bom ? 'UTF-8 with BOM' : undefined
}

/** Describes bytes that are not text; `bytes` is the start of the file. */
export function notText(bytes: Uint8Array): NotText {
  const type = fileType(bytes)
  if (type) return { reason: type.name, type }
  if (looksLikeUtf16(bytes)) return { reason: 'binary data, or UTF-16 text without a byte order mark', type: undefined }
  if (bytes.includes(0)) return { reason: 'binary data', type: undefined }
  return {
    reason: 'binary data, or text in an old encoding such as ISO-8859-1, GBK or Shift JIS (not valid UTF-8)',
    type: undefined,
  }
}

function looksLikeUtf16(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 64)
  const zeros = (from: number): number => head.filter((byte, index) => index % 2 === from && byte === 0).length
  return head.length >= 4 && Math.max(zeros(0), zeros(1)) >= head.length * 0.4 && Math.min(zeros(0), zeros(1)) === 0
}

/** The apparent type of a file that is not text. `media`: ReadMediaFile can show it. */
interface FileType {
  /** E.g. `PNG image`. */
  name: string
  media: boolean
}

/** Offset, bytes as latin-1 text, name, whether it is an image or video. First match wins. */
const SIGNATURES: readonly (readonly [offset: number, bytes: string, name: string, media?: true])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'PNG image', true],
  [0, '\xff\xd8\xff', 'JPEG image', true],
  [0, 'GIF8', 'GIF image', true],
  [8, 'WEBP', 'WebP image', true],
  [0, 'BM', 'BMP image', true],
  [0, 'II*\0', 'TIFF image', true],
  [0, 'MM\0*', 'TIFF image', true],
  [0, '\0\0\x01\0', 'icon', true],
  [4, 'ftypavif', 'AVIF image', true],
  [4, 'ftypheic', 'HEIC image', true],
  [4, 'ftypheix', 'HEIC image', true],
  [4, 'ftypmif1', 'HEIF image', true],
  [4, 'ftypM4A', 'M4A audio'],
  [4, 'ftypqt', 'QuickTime video', true],
  [4, 'ftyp', 'MP4 video', true],
  [0, '\x1aE\xdf\xa3', 'Matroska or WebM video', true],
  [8, 'AVI ', 'AVI video', true],
  [0, '\0\0\x01\xba', 'MPEG video', true],
  [0, 'FLV\x01', 'Flash video', true],
  [8, 'WAVE', 'WAV audio'],
  [0, 'ID3', 'MP3 audio'],
  [0, 'OggS', 'Ogg audio or video'],
  [0, 'fLaC', 'FLAC audio'],
  [0, '%PDF-', 'PDF document'],
  [0, 'PK\x03\x04', 'ZIP archive (or a format built on it: docx, xlsx, jar, apk, epub)'],
  [0, 'PK\x05\x06', 'empty ZIP archive'],
  [0, '\x1f\x8b', 'gzip archive'],
  [0, 'BZh', 'bzip2 archive'],
  [0, '\xfd7zXZ\0', 'xz archive'],
  [0, '7z\xbc\xaf\x27\x1c', '7-Zip archive'],
  [0, 'Rar!', 'RAR archive'],
  [0, '(\xb5/\xfd', 'zstd archive'],
  [257, 'ustar', 'tar archive'],
  [0, '\x7fELF', 'ELF program or library'],
  [0, 'MZ', 'Windows program or library'],
  [0, '\xcf\xfa\xed\xfe', 'macOS program or library'],
  [0, '\xca\xfe\xba\xbe', 'Java class or macOS program'],
  [0, '\0asm', 'WebAssembly module'],
  [0, 'SQLite format 3\0', 'SQLite database'],
  [0, '\xd0\xcf\x11\xe0', 'old Microsoft Office document'],
  [0, 'wOFF', 'WOFF font'],
  [0, 'wOF2', 'WOFF2 font'],
  [0, '\0\x01\0\0\0', 'TrueType font'],
  [0, 'OTTO', 'OpenType font'],
]

/**
 * The type of a file by its first bytes (at least 262 for all of them), or undefined. Only for files known not to be
 * text: a word can start with `BM`.
 */
function fileType(start: Uint8Array): FileType | undefined {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, 512)).toString('latin1')
  const found = SIGNATURES.find(([offset, bytes]) => head.startsWith(bytes, offset))
  return found && { name: found[2], media: found[3] ?? false }
}
