/** Limits of what is sent and shown; larger values are rejected with an error that names the limit. */
export const MAIL_LIMITS = {
  recipients: 50,
  subjectChars: 500,
  /** For the text of a message to send: the card shows all of it. */
  textChars: 20_000,
  attachments: 20,
  /** Messages that one call can move or flag. */
  messages: 100,
  found: 50,
} as const

/** A recipient: an address, or a name with an address in angle brackets. */
export const MAIL_RECIPIENT = /^(?:[^<>\p{Cc},;]*<[^\s@<>",;:\\]+@[^\s@<>",;:\\]+>|[^\s@<>",;:\\]+@[^\s@<>",;:\\]+)$/u

/** How a connection is protected. `none` is accepted only on this computer. */
export const MAIL_SECURITIES = ['tls', 'starttls', 'none'] as const
export type MailSecurity = (typeof MAIL_SECURITIES)[number]

/** A server of an account. */
export interface MailServer {
  host: string
  port: number
  security: MailSecurity
}

/** An account in config.toml; its password is stored like a key. */
export interface MailAccount {
  /** Its name in config.toml: letters, digits, `-` and `_`. */
  id: string
  address: string
  /** The sender's name in messages. */
  name?: string
  /** The user name for signing in; default: the address. */
  user?: string
  imap: MailServer
  smtp: MailServer
  /** Accepts a certificate of the server's own making; only for servers on this computer. */
  selfSigned?: true
  /** The server automatically keeps a copy of sent messages. */
  keepsSent?: true
  /** Folder for drafts and sent messages; default: those the server names. */
  draftsFolder?: string
  sentFolder?: string
}

/** An account for the settings page. */
export interface MailAccountView extends MailAccount {
  /**
   * `stored`: there is a password; `locked`: it is stored, but the key store cannot be opened; `none`: it is missing.
   */
  password: 'stored' | 'locked' | 'none'
}

/** One check in a test of an account. */
export interface MailCheck {
  what: 'password' | 'imap' | 'folders' | 'smtp'
  ok: boolean
  /** The result, as a sentence. */
  message: string
  /** What to do; absent if the check passed. */
  advice?: string
}

export interface MailTest {
  ok: boolean
  checks: MailCheck[]
  /** The folders of the account, if they could be listed. */
  folders: string[]
}

/** Selects messages. An absent field matches all. */
export interface MailFilter {
  /** Default: the inbox. */
  folder?: string
  /** Part of the sender's name or address. */
  from?: string
  /** Part of the subject. */
  subject?: string
  /** Words of the subject or text. */
  text?: string
}

/** How far a folder was watched: messages up to this number have been reported. */
export interface MailPosition {
  validity: string
  uid: number
}

export interface MailQuery extends MailFilter {
  /** Default: all accounts. */
  account?: string
  /** `YYYY-MM-DD`: not older than that. */
  since?: string
  unread?: boolean
  limit?: number
}

/** A message in a list. */
export interface MailSummary {
  /** `account:folder:validity-uid`, as in the tools. */
  id: string
  account: string
  folder: string
  /** `Name <address>` */
  from: string
  to: string
  subject: string
  /** ms since the epoch; absent when the message has none. */
  at?: number
  bytes: number
  unread: boolean
  flagged: boolean
  answered: boolean
  attachments: number
}

/** The result of a search, newest first. */
export interface MailFound {
  messages: MailSummary[]
  /** In all searched accounts. */
  total: number
  /** Accounts that could not be searched, with the reason. */
  problems: { account: string; message: string }[]
}

export interface MailAttachment {
  /** From 1, as in the tools. */
  number: number
  name: string
  type: string
  /** Stored size; an encoded attachment is smaller once it is saved. */
  bytes: number
  /** Shown within the text, such as a picture. */
  inline: boolean
}

/** A complete message. */
export interface MailMessage extends MailSummary {
  cc: string
  replyTo: string
  messageId?: string
  /** Plain text; for an HTML message, Markdown without remote content. */
  text: string
  /** The source of the text. */
  source: 'text' | 'html' | 'none'
  attachments: number
  files: MailAttachment[]
  /** What the reader should know: an unverified signature, omitted text. */
  notes: string[]
}

/** A message to send or to store as a draft. */
export interface MailDraft {
  /** Default: the first account, or the one of the message it replies to. */
  account?: string
  to: string[]
  cc?: string[]
  bcc?: string[]
  subject: string
  text: string
  /** Id of the message it replies to. */
  replyTo?: string
  /** Real paths. */
  attachments?: string[]
}

/** The result of sending a message. */
export interface MailSent {
  account: string
  messageId: string
  accepted: string[]
  rejected: string[]
  /** The folder that has a copy; absent when no copy was kept. */
  copiedTo?: string
  /** Why there is no copy. */
  note?: string
}

/** How messages can be marked. */
export const MAIL_FLAGS = ['read', 'unread', 'flagged', 'unflagged', 'answered'] as const
export type MailFlag = (typeof MAIL_FLAGS)[number]
