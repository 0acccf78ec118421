import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const SEALED = /^trestle1\.([0-9a-f]{8})\.([\w-]+)$/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Whether a text was sealed here, and not by an older version's means. */
export function isSealedHere(text: string): boolean {
  return SEALED.test(text)
}

/** Encrypts a text; the name of the key goes with it, so that another key is told apart from damage. */
export function sealText(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `trestle1.${nameOf(key)}.${Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url')}`
}

/** The text again; undefined when it was sealed with another key, or changed. */
export function openText(sealed: string, key: Buffer): string | undefined {
  const [, name, data = ''] = SEALED.exec(sealed) ?? []
  if (name !== nameOf(key)) return undefined
  const bytes = Buffer.from(data, 'base64url')
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function nameOf(key: Buffer): string {
  return createHash('sha256').update('trestle key ').update(key).digest('hex').slice(0, 8)
}
