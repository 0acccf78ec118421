/** File systems take 255 bytes; some of them are left for a number that makes a name free. */
const MAX_BYTES = 200
/** A longer ending is a part of the name. */
const MAX_ENDING = 20
/** Windows keeps these names for devices, whatever their ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * A name from outside, such as that of an attachment, as one that every file system takes: without folders, hidden
 * characters and points that hide it, and not too long, with its ending kept. `otherwise`: where nothing is left.
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

/** The beginning of a text, in whole characters. */
function cut(text: string, bytes: number): string {
  let [kept, left] = ['', bytes]
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return kept
}
