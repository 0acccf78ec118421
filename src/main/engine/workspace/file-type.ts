/** What a file that is no text seems to be. `media`: ReadMediaFile can show it. */
export interface FileType {
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

/** The type of a file by its first bytes (at least 262 for all of them), or undefined. Only for files known not to be text: `BM` may begin a word. */
export function fileType(start: Uint8Array): FileType | undefined {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, 512)).toString('latin1')
  const found = SIGNATURES.find(([offset, bytes]) => head.startsWith(bytes, offset))
  return found && { name: found[2], media: found[3] ?? false }
}
