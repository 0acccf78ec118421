import type { FetchMessageObject, ImapFlow } from 'imapflow'
import type { WriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { CodedError } from '../../../shared/errors'
import type { MailMessage } from '../../../shared/model/assistant/mail'
import { inFolder, withImap, type SignedAccount, parseMailId, type MailPlaceId } from './mail-connection'
import { READ_HEADERS, readHeaders, type ReadHeaders } from './message/message-headers'
import { readHtml } from './message/read-html'
import { messageParts, type MessageParts, type TextPart, decodeText, MAX_TEXT_BYTES } from './message/message-parts'
import { summaryOf } from './search-mail'

/** Attachments are fetched in pieces of this size to limit memory use. */
const PIECE_BYTES = 512 * 1024

/** Reads a message without marking it as read. Only its text is fetched: attachments are listed. */
export async function readMail(signed: SignedAccount, id: string, signal?: AbortSignal): Promise<MailMessage> {
  return atMessage(signed, id, signal, async (client, place, message) => {
    const parts = messageParts(message.bodyStructure)
    const { headers, summary } = await headOf(place, message, parts)
    const { text, source, notes } = await textOf(client, place.uid, parts.texts)
    return {
      ...summary,
      cc: headers.cc,
      replyTo: headers.replyTo,
      ...(headers.messageId !== undefined && { messageId: headers.messageId }),
      text,
      source,
      files: parts.attachments.map(({ part: _part, ...file }) => file),
      notes: [...new Set([...parts.notes, ...notes])],
    }
  })
}

/** The data about a message that a reply to it needs. */
export async function readForAnswer(signed: SignedAccount, id: string, signal?: AbortSignal): Promise<ReadHeaders> {
  return atMessage(signed, id, signal, async (_client, place, message) => {
    const { headers } = await headOf(place, message, messageParts(message.bodyStructure))
    return headers
  })
}

/** Saves an attachment to a new file. Never replaces a file. Returns its size in bytes. */
export async function saveAttachment(
  signed: SignedAccount,
  { id, number, createFile }: { id: string; number: number; createFile: () => WriteStream },
  signal?: AbortSignal,
): Promise<{ name: string; bytes: number }> {
  return atMessage(signed, id, signal, async (client, place, message) => {
    const { attachments } = messageParts(message.bodyStructure)
    const wanted = attachments.find((one) => one.number === number)
    if (!wanted)
      throw new CodedError(
        'mail.not_found',
        attachments.length === 0
          ? 'The message has no attachments.'
          : `The message has no attachment ${number}; ` +
              `there are ${attachments.map((one) => `${one.number} (${one.name})`).join(', ')}.`,
      )
    const { content } = await client.download(String(place.uid), wanted.part, {
      uid: true,
      decodeText: false,
      chunkSize: PIECE_BYTES,
    })
    if (!content) throw new CodedError('mail.not_found', 'The attachment no longer exists.')
    const file = createFile()
    await pipeline(content, file, ...(signal ? [{ signal }] : []))
    return { name: wanted.name, bytes: file.bytesWritten }
  })
}

async function atMessage<Result>(
  signed: SignedAccount,
  id: string,
  signal: AbortSignal | undefined,
  work: (client: ImapFlow, place: MailPlaceId, message: FetchMessageObject) => Promise<Result>,
): Promise<Result> {
  const place = parseMailId(id)
  return withImap(signed, signal, (client) =>
    inFolder(client, place.folder, { readOnly: true }, async (validity) => {
      assertSameFolder(place, validity)
      const message = await client.fetchOne(
        String(place.uid),
        { uid: true, flags: true, size: true, internalDate: true, bodyStructure: true, headers: READ_HEADERS },
        { uid: true },
      )
      if (!message) throw goneError(id)
      return work(client, place, message)
    }),
  )
}

/** Message numbers are valid only as long as the folder's UIDVALIDITY does not change. */
export function assertSameFolder(place: MailPlaceId, validity: string): void {
  if (place.validity !== validity)
    throw new CodedError(
      'mail.not_found',
      `The folder ${JSON.stringify(place.folder)} was created again, so its messages have other ids. Search again.`,
    )
}

export function goneError(id: string): CodedError {
  return new CodedError('mail.not_found', `The message ${id} no longer exists: it was moved or deleted. Search again.`)
}

async function headOf(
  place: MailPlaceId,
  message: FetchMessageObject,
  parts: MessageParts,
): Promise<{ headers: ReadHeaders; summary: Awaited<ReturnType<typeof summaryOf>> }> {
  const [headers, summary] = await Promise.all([
    readHeaders(message.headers ?? Buffer.alloc(0), parts.texts[0]?.charset),
    summaryOf(place, message),
  ])
  return { headers, summary }
}

async function textOf(
  client: ImapFlow,
  uid: number,
  texts: readonly TextPart[],
): Promise<Pick<MailMessage, 'text' | 'source' | 'notes'>> {
  if (texts.length === 0) return { text: '', source: 'none', notes: [] }
  const fetched = await client.fetchOne(
    String(uid),
    { uid: true, bodyParts: texts.map(({ part }) => ({ key: part, start: 0, maxLength: MAX_TEXT_BYTES })) },
    { uid: true },
  )
  const bodies = (fetched && fetched.bodyParts) || new Map<string, Buffer>()
  const notes: string[] = []
  const pieces: string[] = []
  for (const part of texts) {
    const bytes = bodies.get(part.part)
    if (!bytes) continue
    if (part.bytes > MAX_TEXT_BYTES)
      notes.push(`Only the first ${(MAX_TEXT_BYTES / 1000).toLocaleString('en-US')} kB of the text were read.`)
    const decoded = await decodeText(part, bytes)
    let text = decoded
    if (part.subtype === 'html') {
      const markdown = await readHtml(decoded)
      if (!markdown) notes.push('The HTML is too complex to be read.')
      text = markdown?.text ?? ''
      if (markdown?.hidden) notes.push('Hidden text of the HTML is left out.')
    }
    if (text.trim() === '') continue
    pieces.push(part.within === undefined ? text.trim() : `--- Attached message: ${part.within} ---\n${text.trim()}`)
  }
  const isHtml = texts.some(({ subtype }) => subtype === 'html')
  return { text: cleaned(pieces.join('\n\n')), source: pieces.length === 0 ? 'none' : isHtml ? 'html' : 'text', notes }
}

/** Removes invisible characters and converts CRLF and CR to LF. */
function cleaned(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|[\p{Cf}\p{Co}\u034f]/gu, '')
    .replaceAll(/\n{4,}/g, '\n\n\n')
    .toWellFormed()
}
