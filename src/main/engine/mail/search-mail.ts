import type { FetchMessageObject, ImapFlow, SearchObject } from 'imapflow'
import { CodedError } from '../../../shared/errors'
import { MAIL_LIMITS, type MailFilter, type MailQuery, type MailSummary } from '../../../shared/model/assistant/mail'
import { folderPath, inFolder, withImap, type SignedAccount, mailId } from './mail-connection'
import { READ_HEADERS, readHeaders } from './message/message-headers'
import { messageParts } from './message/message-parts'

const DEFAULT_LIMIT = 20

export interface FoundInAccount {
  messages: MailSummary[]
  total: number
}

/** Searches a folder of an account; the newest messages first. */
export async function searchMail(
  signed: SignedAccount,
  query: MailQuery,
  signal?: AbortSignal,
): Promise<FoundInAccount> {
  const { account } = signed
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAIL_LIMITS.found)
  return withImap(signed, signal, async (client) => {
    const folder = await folderPath(client, account, query.folder ?? 'INBOX')
    return inFolder(client, folder, { readOnly: true }, async (validity) => {
      const uids = await uidsOf(client, criteria(query))
      const newest = uids.toSorted((a, b) => b - a).slice(0, limit)
      const messages = await summaries(client, { account: account.id, folder, validity }, newest)
      return { messages, total: uids.length }
    })
  })
}

/** The numbers of matching messages in the open folder. */
export async function uidsOf(client: ImapFlow, wanted: SearchObject): Promise<number[]> {
  const found = await client.search(wanted, { uid: true })
  if (!found) throw new CodedError('mail.rejected', 'The mail server rejected the search. Use fewer or simpler words.')
  return found
}

/** The filter as IMAP search criteria. */
export function criteria(filter: MailFilter & Pick<MailQuery, 'since' | 'unread'>): SearchObject {
  const { from, subject, text, since, unread } = filter
  const wanted: SearchObject = {
    ...(from !== undefined && { from }),
    ...(subject !== undefined && { subject }),
    ...(text !== undefined && { text }),
    ...(since !== undefined && { since: new Date(`${since}T00:00:00Z`) }),
    ...(unread === true && { seen: false }),
  }
  return Object.keys(wanted).length === 0 ? { all: true } : wanted
}

interface Where {
  account: string
  folder: string
  validity: string
}

/** Maximum number of messages that a server may report in an answer in addition to those it was asked for. */
const MAX_UNASKED = 10_000

/** What a list shows of each message, newest first. */
export async function summaries(client: ImapFlow, where: Where, uids: readonly number[]): Promise<MailSummary[]> {
  if (uids.length === 0) return []
  const fetched = new Map<number, FetchMessageObject>()
  let left = uids.length + MAX_UNASKED
  const wanted = new Set(uids)
  const answer = client.fetch(
    uids.join(','),
    { uid: true, flags: true, size: true, internalDate: true, bodyStructure: true, headers: READ_HEADERS },
    { uid: true },
  )
  for await (const message of answer) {
    left -= 1
    if (left < 0) {
      // It would have to be read to its end before anything else.
      client.close()
      throw new CodedError('mail.rejected', 'The mail server reported more messages than it was asked for.')
    }
    // In between, a server also reports changes of flags, without the rest, and of any message.
    const isWhole = message.headers !== undefined || message.bodyStructure !== undefined
    if (wanted.has(message.uid) && (isWhole || !fetched.has(message.uid))) fetched.set(message.uid, message)
  }
  const all = await Promise.all([...fetched.values()].map((message) => summaryOf(where, message)))
  return all.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
}

export async function summaryOf(where: Where, message: FetchMessageObject): Promise<MailSummary> {
  const parts = messageParts(message.bodyStructure)
  const headers = await readHeaders(message.headers ?? Buffer.alloc(0), parts.texts[0]?.charset)
  const received = message.internalDate === undefined ? undefined : new Date(message.internalDate).getTime()
  const at = headers.at ?? received
  const flags = message.flags ?? new Set<string>()
  return {
    id: mailId({ ...where, uid: message.uid }),
    account: where.account,
    folder: where.folder,
    from: headers.from,
    to: headers.to,
    subject: headers.subject,
    ...(at !== undefined && Number.isFinite(at) && { at }),
    bytes: message.size ?? 0,
    unread: !flags.has('\\Seen'),
    flagged: flags.has('\\Flagged'),
    answered: flags.has('\\Answered'),
    attachments: parts.attachments.filter(({ inline }) => !inline).length,
  }
}
