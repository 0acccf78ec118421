import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  MAIL_FLAGS,
  MAIL_LIMITS,
  MAIL_RECIPIENT,
  MAIL_SECURITIES,
  type MailAccountView,
  type MailFound,
  type MailMessage,
  type MailSent,
  type MailTest,
} from '../../model/assistant/mail'

const oneLine = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u, 'must be one line')
const id = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be letters, digits, - and _')
const messageId = z.string().min(1).max(500)
const messageIds = z.array(messageId).min(1).max(MAIL_LIMITS.messages)
const server = z.strictObject({
  host: z
    .string()
    .trim()
    .regex(/^[\w.:[\]-]{1,253}$/, 'must be the name of a server'),
  port: z.int().min(1).max(65_535),
  security: z.enum(MAIL_SECURITIES),
})
const account = z.strictObject({
  id,
  address: z
    .string()
    .trim()
    .max(254)
    .regex(/^[^\s@<>",;:]+@[^\s@<>",;:]+$/, 'must be an address like ada@example.com'),
  name: oneLine.max(100).optional(),
  user: oneLine.max(254).optional(),
  imap: server,
  smtp: server,
  /** Accepts a certificate of the server's own making; only for servers on this computer. */
  selfSigned: z.literal(true).optional(),
  /** The server automatically keeps a copy of sent messages. */
  keepsSent: z.literal(true).optional(),
  draftsFolder: oneLine.max(200).optional(),
  sentFolder: oneLine.max(200).optional(),
})
const recipients = z
  .array(z.string().trim().max(300).regex(MAIL_RECIPIENT, 'must be an address such as ada@example.com'))
  .max(MAIL_LIMITS.recipients)
const message = z.strictObject({
  account: id.optional(),
  to: recipients,
  cc: recipients.optional(),
  bcc: recipients.optional(),
  subject: oneLine.max(MAIL_LIMITS.subjectChars),
  text: z.string().max(MAIL_LIMITS.textChars),
  /** Id of the message that it replies to. */
  replyTo: messageId.optional(),
  /** Paths of files. */
  attachments: z.array(z.string().min(1)).max(MAIL_LIMITS.attachments).optional(),
})

/**
 * The user's mail accounts, and the mail in them. Agents can use them while the feature is on. Refused to an agent's
 * commands.
 */
export const mailContract = {
  accounts: oc.output(type<MailAccountView[]>()),
  /** Adds or changes an account. Without a password, the stored one stays. */
  save: oc
    .input(z.strictObject({ account, password: z.string().max(1000).optional() }))
    .output(type<MailAccountView>()),
  /** Removes the account with its password. */
  remove: oc.input(z.strictObject({ id })).output(type<void>()),
  /** Restores an account that was removed since the engine started, with its password. */
  restore: oc.input(z.strictObject({ id })).output(type<MailAccountView>()),
  /** Signs in to both servers and looks for the folders; changes and sends nothing. */
  test: oc.input(z.strictObject({ id })).output(type<MailTest>()),
  search: oc
    .input(
      z.strictObject({
        /** Default: all accounts. */
        account: id.optional(),
        /** Default: the inbox. */
        folder: oneLine.min(1).max(200).optional(),
        from: oneLine.min(1).max(200).optional(),
        subject: oneLine.min(1).max(200).optional(),
        text: oneLine.min(1).max(200).optional(),
        since: z.iso.date().optional(),
        unread: z.boolean().optional(),
        limit: z.int().min(1).max(MAIL_LIMITS.found).optional(),
      }),
    )
    .output(type<MailFound>()),
  /** Does not mark the message as read. */
  read: oc.input(z.strictObject({ id: messageId })).output(type<MailMessage>()),
  draft: oc.input(message).output(type<{ account: string; folder: string }>()),
  send: oc.input(message.extend({ to: recipients.min(1) })).output(type<MailSent>()),
  move: oc
    .input(z.strictObject({ ids: messageIds, folder: oneLine.min(1).max(200) }))
    .output(type<{ moved: number; folder: string }>()),
  flag: oc.input(z.strictObject({ ids: messageIds, as: z.enum(MAIL_FLAGS) })).output(type<number>()),
}
