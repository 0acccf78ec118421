import { isThisComputer } from '../../../../shared/configuration/this-computer'
import { MAIL_SECURITIES, type MailAccount, type MailServer } from '../../../../shared/model/assistant/mail'
import type { TableReader } from '../toml/table-reader'

/** `[mail.accounts.…]` of config.toml, by id. Passwords are stored elsewhere. */
export interface MailSettings {
  accounts: Readonly<Record<string, MailAccount>>
}

const accountId = /^[A-Za-z0-9_-]{1,40}$/
const address = {
  test: (text: string) => /^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(text) && text.length <= 254,
  must: 'an address like "ada@example.com"',
}
const oneLine = { test: (text: string) => !/\p{Cc}/u.test(text), must: 'a text on one line' }
const host = { test: (text: string) => /^[\w.:[\]-]{1,253}$/.test(text), must: 'the name of a server' }

/** Reads the accounts; an account without a usable server is reported and left out. */
export function readMailSettings(reader: TableReader | undefined): MailSettings {
  const accounts: Record<string, MailAccount> = Object.create(null)
  for (const [id, entry] of reader?.table('accounts')?.tables() ?? []) {
    const account = readAccount(id, entry)
    entry.finish()
    if (account) accounts[id] = account
  }
  reader?.finish()
  return { accounts }
}

function readAccount(id: string, entry: TableReader): MailAccount | undefined {
  const email = entry.string('address', address)
  const name = entry.string('name', oneLine)
  const user = entry.string('user', oneLine)
  const imap = readServer(entry, 'imap', { tls: 993, starttls: 143, none: 143 })
  const smtp = readServer(entry, 'smtp', { tls: 465, starttls: 587, none: 25 })
  const selfSigned = entry.flag('self_signed')
  const keepsSent = entry.flag('keeps_sent')
  const draftsFolder = entry.string('drafts_folder', oneLine)
  const sentFolder = entry.string('sent_folder', oneLine)
  if (!accountId.test(id)) {
    entry.mistake(undefined, 'needs a name of letters, digits, - and _')
    return undefined
  }
  if (email === undefined && !entry.has('address')) entry.mistake(undefined, 'needs an address')
  if (email === undefined || !imap || !smtp) return undefined
  return {
    id,
    address: email,
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    imap,
    smtp,
    ...(selfSigned && { selfSigned }),
    ...(keepsSent && { keepsSent }),
    ...(draftsFolder !== undefined && { draftsFolder }),
    ...(sentFolder !== undefined && { sentFolder }),
  }
}

function readServer(
  entry: TableReader,
  kind: 'imap' | 'smtp',
  ports: Record<MailServer['security'], number>,
): MailServer | undefined {
  const name = entry.string(`${kind}_host`, host)
  const security = entry.oneOf(`${kind}_security`, MAIL_SECURITIES) ?? 'tls'
  const port = entry.number(`${kind}_port`, { min: 1, max: 65_535 }) ?? ports[security]
  if (name === undefined) {
    if (!entry.has(`${kind}_host`)) entry.mistake(undefined, `needs ${kind}_host`)
    return undefined
  }
  if (security === 'none' && !isThisComputer(name)) {
    entry.mistake(`${kind}_security`, 'can be "none" only for a server on this computer')
    return undefined
  }
  return { host: name, port, security }
}

/** The config.toml edits that store an account. */
export function mailAccountEdits(
  account: MailAccount,
): { path: string[]; value: string | number | boolean | undefined }[] {
  const { id, imap, smtp } = account
  const path = (key: string): string[] => ['mail', 'accounts', id, key]
  return [
    { path: path('address'), value: account.address },
    { path: path('name'), value: account.name },
    { path: path('user'), value: account.user },
    { path: path('imap_host'), value: imap.host },
    { path: path('imap_port'), value: imap.port },
    { path: path('imap_security'), value: imap.security },
    { path: path('smtp_host'), value: smtp.host },
    { path: path('smtp_port'), value: smtp.port },
    { path: path('smtp_security'), value: smtp.security },
    { path: path('self_signed'), value: account.selfSigned },
    { path: path('keeps_sent'), value: account.keepsSent },
    { path: path('drafts_folder'), value: account.draftsFolder },
    { path: path('sent_folder'), value: account.sentFolder },
  ]
}
