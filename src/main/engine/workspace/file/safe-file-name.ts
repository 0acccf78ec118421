/** File systems allow 255 bytes; some are reserved for a number that makes the name unique. */
const MAX_BYTES = 200
/** A longer extension is treated as part of the name. */
const MAX_ENDING = 20
/** Windows reserves these names for devices, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * Converts a name from outside, such as that of an attachment, to one that every file system accepts: without folders,
 * hidden characters and leading dots, and not too long, with its extension kept. `otherwise`: used if nothing is left.
 */
export function safeFileName(name: string, otherwise: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replaceAll(/[\\/:*?"<>|]/g, '_')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '')
  const ending = /\.[^.\s]+$/.exec(plain)?.[0] ?? ''
  const kept = ending.length <= MAX_ENDING ? ending : ''
  const base = cut(plain.slice(0, plain.length - kept.length), MAX_BYTES - Buffer.byteLength(kept)).trimEnd()
  const whole = (base + kept).replace(/[.\s]+$/, '')
  return whole === '' ? otherwise : whole.replace(DEVICES, '_$&')
}

/** The start of a text, in whole characters. */
function cut(text: string, bytes: number): string {
  let [kept, left] = ['', bytes]
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return kept
}
