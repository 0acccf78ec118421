import type { MailSecurity, MailServer } from '../model/assistant/mail'

/** The servers of a mail provider, and what its users need to know. */
export interface MailPreset {
  id: string
  label: string
  imap: MailServer
  smtp: MailServer
  /** The domains of its addresses. */
  domains: readonly string[]
  /** How to get a password that works here. */
  help: string
  /** Where to create an app password. */
  helpUrl?: string
  /** The server automatically keeps a copy of sent messages. */
  keepsSent?: true
  /** It runs on this computer, with its own certificate. */
  selfSigned?: true
}

const server = (host: string, port: number, security: MailSecurity = 'tls'): MailServer => ({ host, port, security })

/** Providers with known servers. The first whose domain matches an address is suggested. */
export const MAIL_PRESETS: readonly MailPreset[] = [
  {
    id: 'gmail',
    label: 'Gmail',
    imap: server('imap.gmail.com', 993),
    smtp: server('smtp.gmail.com', 465),
    domains: ['gmail.com', 'googlemail.com'],
    help: 'Turn on 2-Step Verification, then create an app password in your Google account and use it here.',
    helpUrl: 'https://myaccount.google.com/apppasswords',
    keepsSent: true,
  },
  {
    id: 'outlook',
    label: 'Outlook.com',
    imap: server('outlook.office365.com', 993),
    smtp: server('smtp-mail.outlook.com', 587, 'starttls'),
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    help:
      'Enable IMAP in the settings of Outlook.com and create an app password. ' +
      'Accounts for which Microsoft no longer allows passwords cannot be used.',
    helpUrl: 'https://account.live.com/proofs/AppPassword',
    keepsSent: true,
  },
  {
    id: 'icloud',
    label: 'iCloud',
    imap: server('imap.mail.me.com', 993),
    smtp: server('smtp.mail.me.com', 587, 'starttls'),
    domains: ['icloud.com', 'me.com', 'mac.com'],
    help: 'Create an app-specific password in your Apple account and use it here.',
    helpUrl: 'https://account.apple.com/account/manage',
  },
  {
    id: 'fastmail',
    label: 'Fastmail',
    imap: server('imap.fastmail.com', 993),
    smtp: server('smtp.fastmail.com', 465),
    domains: ['fastmail.com', 'fastmail.fm'],
    help: 'Create an app password with access to mail in Settings, Privacy & Security.',
    helpUrl: 'https://app.fastmail.com/settings/security/apps',
  },
  {
    id: 'yahoo',
    label: 'Yahoo',
    imap: server('imap.mail.yahoo.com', 993),
    smtp: server('smtp.mail.yahoo.com', 465),
    domains: ['yahoo.com', 'yahoo.co.uk', 'yahoo.de', 'yahoo.fr', 'ymail.com', 'rocketmail.com'],
    help: 'Create an app password in the security settings of your Yahoo account.',
    helpUrl: 'https://login.yahoo.com/account/security',
  },
  {
    id: 'aol',
    label: 'AOL',
    imap: server('imap.aol.com', 993),
    smtp: server('smtp.aol.com', 465),
    domains: ['aol.com'],
    help: 'Create an app password in the security settings of your AOL account.',
    helpUrl: 'https://login.aol.com/account/security',
  },
  {
    id: 'gmx',
    label: 'GMX',
    imap: server('imap.gmx.net', 993),
    smtp: server('mail.gmx.net', 465),
    domains: ['gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'gmx.com'],
    help: 'Allow POP3 and IMAP in the settings of GMX first. With two-factor sign-in, use an app password.',
  },
  {
    id: 'web-de',
    label: 'WEB.DE',
    imap: server('imap.web.de', 993),
    smtp: server('smtp.web.de', 587, 'starttls'),
    domains: ['web.de'],
    help: 'Allow POP3 and IMAP in the settings of WEB.DE first. With two-factor sign-in, use an app password.',
  },
  {
    id: 'mailbox-org',
    label: 'mailbox.org',
    imap: server('imap.mailbox.org', 993),
    smtp: server('smtp.mailbox.org', 465),
    domains: ['mailbox.org'],
    help: 'Use your password, or an application password if you have created one.',
  },
  {
    id: 'posteo',
    label: 'Posteo',
    imap: server('posteo.de', 993),
    smtp: server('posteo.de', 465),
    domains: ['posteo.de', 'posteo.net'],
    help: 'Use your password, or an app password if two-factor sign-in is on.',
  },
  {
    id: 'zoho',
    label: 'Zoho Mail',
    imap: server('imap.zoho.com', 993),
    smtp: server('smtp.zoho.com', 465),
    domains: ['zoho.com', 'zohomail.com'],
    help: 'Enable IMAP in the settings of Zoho Mail. With two-factor sign-in, use an application-specific password.',
  },
  {
    id: 'proton-bridge',
    label: 'Proton Mail Bridge',
    imap: server('127.0.0.1', 1143, 'starttls'),
    smtp: server('127.0.0.1', 1025, 'starttls'),
    domains: ['proton.me', 'protonmail.com', 'pm.me'],
    help:
      'Start Proton Mail Bridge and use the user name and password that Bridge shows, ' +
      'not those of your Proton account.',
    keepsSent: true,
    selfSigned: true,
  },
]

/** The provider of an address, if its domain is known. */
export function presetFor(address: string): MailPreset | undefined {
  const domain = address.split('@').at(-1)?.trim().toLowerCase() ?? ''
  return MAIL_PRESETS.find(({ domains }) => domains.includes(domain))
}
