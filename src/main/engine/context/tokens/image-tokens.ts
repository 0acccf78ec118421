import type { MediaPart } from '../../../../shared/model/turn/message'
import { modelFamily } from '../../model/thinking'

/** How vendors count the tokens of a picture. */
export const IMAGE_TOKEN_FORMULAS = ['claude', 'earlier-claude', 'gpt', 'gemini'] as const
export type ImageTokenFormula = (typeof IMAGE_TOKEN_FORMULAS)[number]

/** Bytes at the start of an image that are searched for its dimensions; a JPEG may have a thumbnail before them. */
const HEAD_BYTES = 128 * 1024
/** Fallback if they are not found: the largest size that is sent (see fit-image.ts). */
const LARGEST = { width: 2000, height: 2000 }

/** The formula of a model's vendor; undefined for other vendors. */
export function imageTokenFormula(model: string): ImageTokenFormula | undefined {
  const family = modelFamily(model)
  if (family === 'claude') return isEarlierClaude(model) ? 'earlier-claude' : 'claude'
  if (family === 'gemini') return 'gemini'
  return family === 'gpt' || family === 'chatgpt' || family === 'o' ? 'gpt' : undefined
}

/** Tokens of a picture, by the formula of each vendor, in the order of `IMAGE_TOKEN_FORMULAS`. */
export function imageTokens(part: Pick<MediaPart, 'data'>): number[] {
  const { width, height } = measuresOf(part) ?? LARGEST
  const patches = (side: number): number => Math.ceil(width / side) * Math.ceil(height / side)
  const byFormula: Record<ImageTokenFormula, number> = {
    // Patches of 28 pixels; larger pictures are scaled down to this many.
    claude: Math.min(4784, patches(28)),
    'earlier-claude': Math.min(1568, patches(28)),
    // Patches of 32 pixels, times 1.2.
    gpt: Math.ceil(patches(32) * 1.2),
    // Since Gemini 3 about the same for every picture; before that, tiles of 768 pixels.
    gemini: Math.max(1120, patches(768) * 258),
  }
  return IMAGE_TOKEN_FORMULAS.map((formula) => byFormula[formula])
}

/** Up to Claude 4.6, pictures are scaled down further. */
function isEarlierClaude(model: string): boolean {
  const [, major = '', minor = '0'] = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d)(?!\d))?/.exec(model) ?? []
  return major !== '' && (Number(major) < 4 || (Number(major) === 4 && Number(minor) < 7))
}

/** Width and height from the header of a PNG, GIF, WebP or JPEG. */
function measuresOf({ data }: Pick<MediaPart, 'data'>): { width: number; height: number } | undefined {
  // Base64 has four characters for three bytes.
  const head = Buffer.from(data.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), 'base64')
  const found = head.length < 30 ? undefined : (ofPng(head) ?? ofGif(head) ?? ofWebp(head) ?? ofJpeg(head))
  return found && found.width > 0 && found.height > 0 ? found : undefined
}

function ofPng(head: Buffer): { width: number; height: number } | undefined {
  return head.toString('latin1', 1, 4) === 'PNG'
    ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
    : undefined
}

function ofGif(head: Buffer): { width: number; height: number } | undefined {
  return head.toString('latin1', 0, 3) === 'GIF'
    ? { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
    : undefined
}

function ofWebp(head: Buffer): { width: number; height: number } | undefined {
  if (head.toString('latin1', 8, 12) !== 'WEBP') return undefined
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return undefined
  }
}

/** Finds the first frame header; every segment before it has its length. */
function ofJpeg(head: Buffer): { width: number; height: number } | undefined {
  if (head.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff;) {
    const marker = head[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}
