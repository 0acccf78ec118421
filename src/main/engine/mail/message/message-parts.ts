import type { MessageStructureObject } from 'imapflow'
import type { MailAttachment } from '../../../../shared/model/assistant/mail'
import { safeFileName } from '../../workspace/file/safe-file-name'

/** How much of a text part is read, in encoded bytes. */
export const MAX_TEXT_BYTES = 1_000_000

/**
 * The text of a part as its sender intended. Uses the stated character set unless it is unknown or the bytes are
 * invalid in it; then UTF-8, then windows-1252, in which every byte is valid. Never fails.
 */
export async function decodeText(part: TextPart, bytes: Buffer): Promise<string> {
  const { simpleParser } = await import('mailparser')
  const read = async (charset: string): Promise<string> => {
    const head = [
      'Content-Type: text/plain; ' +
        `charset="${charset}"${part.flowed ? '; format=flowed' : ''}${part.delSp ? '; delsp=yes' : ''}`,
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

/** A part of a message with text to show. */
export interface TextPart {
  /** Its IMAP part number. */
  part: string
  subtype: 'plain' | 'html' | 'other'
  encoding: string
  charset: string | undefined
  flowed: boolean
  delSp: boolean
  bytes: number
  /** The subject of the attached message that it belongs to. */
  within?: string
}

/** The parts of a message that matter to a reader. */
export interface MessageParts {
  /** In order; one of each set of alternatives. */
  texts: TextPart[]
  attachments: (MailAttachment & { part: string })[]
  notes: string[]
}

/** Deeper parts are ignored. */
const MAX_DEPTH = 30
const MAX_TEXTS = 20
const MAX_ATTACHMENTS = 100

/** Reads the structure a server reports. A wrong or hostile structure yields fewer parts, never an error. */
export function messageParts(structure: MessageStructureObject | undefined): MessageParts {
  const found: MessageParts = { texts: [], attachments: [], notes: [] }
  if (structure) visit(structure, found, 0, undefined)
  found.texts = found.texts.slice(0, MAX_TEXTS)
  if (found.attachments.length > MAX_ATTACHMENTS) {
    const more = found.attachments.length - MAX_ATTACHMENTS
    found.notes.push(`${more} more ${more === 1 ? 'attachment is' : 'attachments are'} not listed.`)
    found.attachments = found.attachments.slice(0, MAX_ATTACHMENTS)
  }
  return { ...found, notes: [...new Set(found.notes)] }
}

function visit(node: MessageStructureObject, found: MessageParts, depth: number, within: string | undefined): void {
  if (depth > MAX_DEPTH) {
    found.notes.push('Parts that are nested too deeply are left out.')
    return
  }
  const type = node.type.toLowerCase()
  const children = node.childNodes ?? []
  if (type === 'multipart/alternative') return visitAlternative(children, found, depth, within)
  if (type === 'multipart/signed') found.notes.push('The message is signed. The signature was not checked.')
  if (type === 'multipart/encrypted') found.notes.push('The message is encrypted, so its text cannot be read here.')
  if (type.startsWith('multipart/')) {
    for (const child of children) visit(child, found, depth + 1, within)
    return
  }
  if (type === 'message/rfc822' || type === 'message/global') {
    addAttachment(node, found, nameOf(node) ?? `${node.envelope?.subject ?? 'message'}.eml`)
    for (const child of children) visit(child, found, depth + 1, node.envelope?.subject ?? '(no subject)')
    return
  }
  visitLeaf(node, type, found, within)
}

function visitLeaf(node: MessageStructureObject, type: string, found: MessageParts, within: string | undefined): void {
  const name = nameOf(node)
  const isShown = node.disposition?.toLowerCase() !== 'attachment' && (name === undefined || type === 'text/plain')
  const subtype = type === 'text/plain' ? 'plain' : type === 'text/html' ? 'html' : 'other'
  if (isShown && (subtype !== 'other' || type === 'message/delivery-status' || type === 'text/enriched')) {
    found.texts.push(textPart(node, subtype, within))
    return
  }
  if (
    type === 'application/pkcs7-signature' ||
    type === 'application/x-pkcs7-signature' ||
    type === 'application/pgp-signature'
  )
    found.notes.push('The message is signed. The signature was not checked.')
  if (type === 'application/pkcs7-mime' || type === 'application/x-pkcs7-mime')
    found.notes.push(
      /signed/i.test(node.parameters?.['smime-type'] ?? '')
        ? 'The message is wrapped in its signature (S/MIME), so its text cannot be read here. ' +
            'Saving smime.p7m keeps it.'
        : 'The message is encrypted (S/MIME), so its text cannot be read here.',
    )
  if (type === 'application/ms-tnef' || name?.toLowerCase() === 'winmail.dat')
    found.notes.push(
      'winmail.dat is how Outlook packs formatted text and attachments; what is in it cannot be read here. ' +
        'Ask the sender to send plain text or HTML.',
    )
  addAttachment(node, found, name ?? `${type.split('/')[0]}-${found.attachments.length + 1}${extensionOf(type)}`)
}

function visitAlternative(
  children: readonly MessageStructureObject[],
  found: MessageParts,
  depth: number,
  within: string | undefined,
): void {
  const texts: MessageParts[] = children.map((child) => {
    const one: MessageParts = { texts: [], attachments: [], notes: [] }
    visit(child, one, depth + 1, within)
    return one
  })
  const plain = texts.find(({ texts: [first] }) => first?.subtype === 'plain' && first.bytes > 4)
  const html = texts.find((one) => one.texts.some(({ subtype }) => subtype === 'html'))
  // A few words such as "this message is HTML" are a stub for a missing text.
  const isStub = plain !== undefined && html !== undefined && sizeOf(plain) < 200 && sizeOf(html) > 20 * sizeOf(plain)
  const chosen = isStub ? html : (plain ?? html ?? texts.find((one) => one.texts.length > 0))
  for (const one of texts) {
    if (one === chosen) found.texts.push(...one.texts)
    for (const attachment of one.attachments)
      found.attachments.push({ ...attachment, number: found.attachments.length + 1 })
    found.notes.push(...one.notes)
  }
}

function sizeOf({ texts }: MessageParts): number {
  return texts.reduce((sum, { bytes }) => sum + bytes, 0)
}

function textPart(node: MessageStructureObject, subtype: TextPart['subtype'], within: string | undefined): TextPart {
  const parameters = lowerKeys(node.parameters)
  return {
    part: node.part ?? '1',
    subtype,
    encoding: (node.encoding ?? '7bit').toLowerCase(),
    charset: parameters['charset'],
    flowed: parameters['format']?.toLowerCase() === 'flowed',
    delSp: parameters['delsp']?.toLowerCase() === 'yes',
    bytes: node.size ?? 0,
    ...(within !== undefined && { within }),
  }
}

function addAttachment(node: MessageStructureObject, found: MessageParts, name: string): void {
  found.attachments.push({
    number: found.attachments.length + 1,
    part: node.part ?? '1',
    name: safeFileName(name, 'attachment'),
    type: node.type.toLowerCase(),
    bytes: node.size ?? 0,
    inline: node.disposition?.toLowerCase() === 'inline' || node.id !== undefined,
  })
}

function nameOf(node: MessageStructureObject): string | undefined {
  const name = lowerKeys(node.dispositionParameters)['filename'] ?? lowerKeys(node.parameters)['name']
  return name === undefined || name.trim() === '' ? undefined : name
}

function lowerKeys(record: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([key, value]) => [key.toLowerCase(), value]))
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': '.html',
  'text/calendar': '.ics',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'application/pdf': '.pdf',
}

function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? ''
}
