import type { TextPart } from './message-parts'

/** How much of a text part is read, in bytes as they are sent. */
export const MAX_TEXT_BYTES = 1_000_000

/**
 * The text of a part as its sender meant it. The stated character set is used unless it is unknown or does not fit the
 * bytes; then UTF-8, and after that windows-1252, in which every byte has a meaning. Never fails.
 */
export async function decodeText(part: TextPart, bytes: Buffer): Promise<string> {
  const { simpleParser } = await import('mailparser')
  const read = async (charset: string): Promise<string> => {
    const head = [
      `Content-Type: text/plain; charset="${charset}"${part.flowed ? '; format=flowed' : ''}${part.delSp ? '; delsp=yes' : ''}`,
      `Content-Transfer-Encoding: ${encodingOf(part.encoding)}`,
      '',
      '',
    ].join('\r\n')
    const mail = await simpleParser(Buffer.concat([Buffer.from(head, 'latin1'), bytes]), {
      skipTextToHtml: true,
      skipHtmlToText: true,
    })
    return mail.text ?? ''
  }
  let best: string | undefined
  for (const charset of charsetsToTry(part.charset)) {
    const text = await read(charset).catch(() => undefined)
    if (text === undefined) continue
    if (!text.includes('\ufffd')) return text
    best ??= text
  }
  return best ?? bytes.toString('latin1')
}

function charsetsToTry(stated: string | undefined): string[] {
  const name = stated
    ?.trim()
    .toLowerCase()
    .replaceAll(/[^\w.:-]/g, '')
  const isKnown = name !== undefined && name !== '' && name !== 'us-ascii' && name !== 'ascii' && isCharset(name)
  return [...new Set([...(isKnown ? [name] : []), 'utf-8', 'windows-1252'])]
}

function isCharset(name: string): boolean {
  try {
    void new TextDecoder(name)
    return true
  } catch {
    return /^(?:utf-7|iso-2022-(?:jp|kr|cn)(?:-\d)?|hz-gb-2312|cp\d{3,4}|iso-8859-\d+|ks_c_5601-1987)$/.test(name)
  }
}

function encodingOf(encoding: string): string {
  return ['base64', 'quoted-printable', '7bit', '8bit', 'binary'].includes(encoding) ? encoding : '8bit'
}
