import type { AddressObject } from 'mailparser'

/** The headers that a reader needs. */
export const READ_HEADERS = [
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'references',
  'in-reply-to',
]

export interface ReadHeaders {
  from: string
  to: string
  cc: string
  replyTo: string
  subject: string
  /** ms since the epoch. */
  at?: number
  messageId?: string
  references: string[]
  /** Addresses to reply to, without names. */
  answerTo: string[]
}

const MAX_LINE_CHARS = 1_000
/** Real headers are a few kB. */
const MAX_BLOCK_BYTES = 200_000

/**
 * Reads a block of headers. Non-ASCII bytes, which headers must not contain, are decoded as UTF-8 if the block is valid
 * UTF-8, otherwise in the character set of the text. Malformed headers are read as far as possible, without an error.
 */
export async function readHeaders(block: Buffer, charset: string | undefined): Promise<ReadHeaders> {
  const { simpleParser } = await import('mailparser')
  const text = Buffer.from(`${headerText(block.subarray(0, MAX_BLOCK_BYTES), charset).trimEnd()}\r\n\r\n`)
  const mail = await simpleParser(text, { skipTextToHtml: true, skipHtmlToText: true }).catch(() => undefined)
  const references = mail?.references === undefined ? [] : [mail.references].flat()
  const answers = addresses(mail?.replyTo).length > 0 ? mail?.replyTo : mail?.from
  const at = mail?.date?.getTime()
  return {
    from: people(mail?.from),
    to: people(mail?.to),
    cc: people(mail?.cc),
    replyTo: people(mail?.replyTo),
    subject: line(typeof mail?.subject === 'string' ? mail.subject : ''),
    ...(at !== undefined && Number.isFinite(at) && { at }),
    ...(mail?.messageId !== undefined && { messageId: line(mail.messageId) }),
    references: references.map(line),
    answerTo: addresses(answers),
  }
}

function headerText(block: Buffer, charset: string | undefined): string {
  for (const name of ['utf-8', charset ?? '', 'windows-1252']) {
    try {
      return new TextDecoder(name, { fatal: true }).decode(block)
    } catch {
      // Tries the next one.
    }
  }
  return block.toString('latin1')
}

type Addresses = AddressObject | AddressObject[] | undefined

function addresses(found: Addresses): string[] {
  return (found === undefined ? [] : [found].flat()).flatMap(({ value }) =>
    value
      .flatMap(({ address, group }) => [address, ...(group ?? []).map((one) => one.address)])
      .filter((one) => one !== undefined && one !== ''),
  ) as string[]
}

function people(found: Addresses): string {
  const all = (found === undefined ? [] : [found].flat()).flatMap(({ value }) =>
    value.flatMap((one) => (one.group ? one.group : [one])),
  )
  const shown = all.map(({ name, address }) => {
    const who = line(name ?? '')
    if (address === undefined || address === '') return who
    return who === '' || who === address ? line(address) : `${who} <${line(address)}>`
  })
  return shown
    .filter((one) => one !== '')
    .join(', ')
    .slice(0, MAX_LINE_CHARS)
    .toWellFormed()
}

/** The text on one line, without invisible characters. */
function line(text: string): string {
  return text
    .replaceAll(/[\p{Cf}\p{Co}]/gu, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LINE_CHARS)
    .toWellFormed()
}
