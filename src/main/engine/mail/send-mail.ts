import { errorText } from '../../../shared/error-text'
import type { MailDraft, MailSent } from '../../../shared/model/assistant/mail'
import { CodedError } from '../../../shared/errors'
import { withSystemCertificates } from '../network/certificates'
import { specialFolder, tlsOptions, withImap, type SignedAccount } from './mail-connection'
import { mailError } from './mail-failure'
import { flagMail } from './change-mail'
import { readForAnswer } from './read-mail'
import type { ReadHeaders } from './message/message-headers'

const CONNECT_MS = 10_000
const SILENT_MS = 60_000
/** Time limit for saving a copy and marking the original as answered. */
const AFTER_MS = 10_000

/** An attachment with its content, read when it was approved. */
export interface AttachedFile {
  name: string
  content: Buffer
}

/** A message as sent to the servers. */
interface Composed {
  raw: Buffer
  messageId: string
  envelope: { from: string; to: string[] }
}

/** Stores a message among the drafts. Returns the folder. */
export async function storeDraft(
  signed: SignedAccount,
  draft: MailDraft,
  files: readonly AttachedFile[],
  signal?: AbortSignal,
): Promise<{ folder: string }> {
  const { raw } = await compose(signed, draft, files, { signal, keepBcc: true })
  return withImap(signed, signal, async (client) => {
    const folder = await specialFolder(client, signed.account, 'drafts')
    if (folder === undefined)
      throw new CodedError(
        'mail.not_found',
        `${signed.account.id} has no folder for drafts. ` +
          `Create one, or name it as drafts_folder in [mail.accounts.${signed.account.id}].`,
      )
    const stored = await client.append(folder, raw, ['\\Draft', '\\Seen'])
    if (!stored) throw new CodedError('mail.rejected', `The draft could not be stored in ${JSON.stringify(folder)}.`)
    return { folder }
  })
}

/**
 * Sends a message, saves a copy in the sent folder, and marks the message it replies to as answered. After sending,
 * failures become notes.
 */
export async function sendMail(
  signed: SignedAccount,
  draft: MailDraft,
  files: readonly AttachedFile[],
  signal?: AbortSignal,
): Promise<MailSent> {
  const { account, password } = signed
  const { raw, envelope, messageId } = await compose(signed, draft, files, { signal, keepBcc: false })
  const { accepted, rejected } = await deliver(signed, { raw, envelope }, signal).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw mailError(error, { account, server: 'smtp', password })
  })
  const sent: MailSent = { account: account.id, messageId, accepted, rejected }
  // The message has been sent: delays from here on must not look like a failure.
  const limit = AbortSignal.timeout(AFTER_MS)
  const marked =
    draft.replyTo === undefined
      ? undefined
      : flagMail(signed, [draft.replyTo], 'answered', limit).catch(() => undefined)
  const kept = await keepCopy(signed, raw, limit).catch((error: unknown) => ({
    note: `No copy was kept: ${errorText(error)}`,
  }))
  await marked
  return { ...sent, ...kept }
}

/** Connects and signs in to the SMTP server, and sends nothing. Rejects with the library's own error. */
export async function verifySmtp(signed: SignedAccount): Promise<void> {
  const transport = await smtpTransport(signed)
  try {
    await withSystemCertificates(() => transport.verify())
  } finally {
    transport.close()
  }
}

async function smtpTransport({ account, password }: SignedAccount) {
  const { createTransport } = await import('nodemailer')
  const { host, port, security } = account.smtp
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    auth: { user: account.user ?? account.address, pass: password },
    tls: tlsOptions(account, host),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

async function deliver(
  signed: SignedAccount,
  { raw, envelope }: Pick<Composed, 'raw' | 'envelope'>,
  signal: AbortSignal | undefined,
): Promise<{ accepted: string[]; rejected: string[] }> {
  const transport = await smtpTransport(signed)
  const abort = (): void => transport.close()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    // Certificates are checked before anything is sent, so a retry sends nothing twice.
    const info = await withSystemCertificates(() => transport.sendMail({ envelope, raw }))
    return { accepted: addresses(info.accepted), rejected: addresses(info.rejected) }
  } finally {
    signal?.removeEventListener('abort', abort)
    transport.close()
  }
}

function addresses(list: readonly (string | { address: string })[] = []): string[] {
  return list.map((one) => (typeof one === 'string' ? one : one.address))
}

async function keepCopy(
  signed: SignedAccount,
  raw: Buffer,
  signal: AbortSignal,
): Promise<Pick<MailSent, 'copiedTo' | 'note'>> {
  if (signed.account.keepsSent) return {}
  return withImap(signed, signal, async (client) => {
    const folder = await specialFolder(client, signed.account, 'sent')
    if (folder === undefined) return { note: 'No copy was kept: the account has no folder for sent messages.' }
    const stored = await client.append(folder, raw, ['\\Seen'])
    return stored ? { copiedTo: folder } : { note: `No copy was kept: ${JSON.stringify(folder)} did not take it.` }
  })
}

interface ComposeOptions {
  signal: AbortSignal | undefined
  /** Bcc recipients are written only to drafts. */
  keepBcc: boolean
}

async function compose(
  signed: SignedAccount,
  draft: MailDraft,
  files: readonly AttachedFile[],
  { signal, keepBcc }: ComposeOptions,
): Promise<Composed> {
  const { account } = signed
  const answered = draft.replyTo === undefined ? undefined : await readForAnswer(signed, draft.replyTo, signal)
  const { createTransport } = await import('nodemailer')
  const builder = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { to, cc = [], bcc = [], subject, text } = draft
  const made = await builder.sendMail({
    from: account.name === undefined ? account.address : { name: account.name, address: account.address },
    to,
    ...(cc.length > 0 && { cc }),
    ...(keepBcc && bcc.length > 0 && { bcc }),
    subject,
    text: text.replaceAll(/\r?\n/g, '\r\n'),
    ...threadOf(answered),
    attachments: files.map(({ name, content }) => ({ filename: name, content })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const raw: Buffer = Buffer.isBuffer(made.message) ? made.message : Buffer.alloc(0)
  return {
    raw,
    messageId: made.messageId,
    envelope: { from: account.address, to: [...to, ...cc, ...bcc].map(bareAddress) },
  }
}

function threadOf(answered: ReadHeaders | undefined): { inReplyTo?: string; references?: string[] } {
  if (answered?.messageId === undefined) return {}
  return { inReplyTo: answered.messageId, references: [...answered.references, answered.messageId] }
}

/** The address in `Name <address>`. */
function bareAddress(recipient: string): string {
  return /<([^<>]+)>\s*$/.exec(recipient)?.[1]?.trim() ?? recipient.trim()
}
