import type { ImapFlow, ListResponse } from 'imapflow'
import { isThisComputer } from '../../../shared/configuration/this-computer'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import type { MailAccount } from '../../../shared/model/assistant/mail'
import { withSystemCertificates } from '../network/certificates'
import { mailError } from './mail-failure'

/** An account with its credentials. */
export interface SignedAccount {
  account: MailAccount
  password: string
}

const CONNECT_MS = 10_000
const IDLE_DELAY_MS = 100
/** Timeout for servers that do not respond. */
const SILENT_MS = 60_000

/**
 * Whether the certificate of a server is checked: always, unless the user accepts any certificate for a server on this
 * computer.
 */
export function tlsOptions({ selfSigned }: MailAccount, host: string): { rejectUnauthorized: boolean } {
  return { rejectUnauthorized: !(selfSigned === true && isThisComputer(host)) }
}

interface ConnectOptions {
  /**
   * Waits for changes in the open folder when nothing else is requested (IDLE), and restarts that after this many ms.
   */
  idleMs?: number
}

/** Connects and signs in. The caller closes it. Rejects with a `CodedError`. The conversation is not logged. */
export async function connectImap(
  { account, password }: SignedAccount,
  signal?: AbortSignal,
  { idleMs }: ConnectOptions = {},
): Promise<ImapFlow> {
  const { ImapFlow: Client } = await import('imapflow')
  const { host, port, security } = account.imap
  const connect = async (): Promise<ImapFlow> => {
    signal?.throwIfAborted()
    const client = new Client({
      host,
      port,
      secure: security === 'tls',
      doSTARTTLS: security === 'starttls',
      auth: { user: account.user ?? account.address, pass: password },
      tls: tlsOptions(account, host),
      logger: false,
      clientInfo: { name: 'Trestle' },
      ...(idleMs === undefined ? { disableAutoIdle: true } : { autoIdleDelay: IDLE_DELAY_MS, maxIdleTime: idleMs }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      maxLiteralSize: 64 * 1024 * 1024,
      maxResponseSize: 96 * 1024 * 1024,
    })
    // A broken connection rejects pending requests; without a listener, it would also crash the process.
    client.on('error', () => undefined)
    const abort = (): void => client.close()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await client.connect()
    } catch (error) {
      client.close()
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
    return client
  }
  try {
    return await withSystemCertificates(connect)
  } catch (error) {
    signal?.throwIfAborted()
    throw mailError(error, { account, server: 'imap', password })
  }
}

/** Connects, works, and signs out again. */
export async function withImap<Result>(
  signed: SignedAccount,
  signal: AbortSignal | undefined,
  work: (client: ImapFlow) => Promise<Result>,
): Promise<Result> {
  const client = await connectImap(signed, signal)
  const abort = (): void => client.close()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await work(client)
  } catch (error) {
    signal?.throwIfAborted()
    throw mailError(error, { account: signed.account, server: 'imap', password: signed.password })
  } finally {
    signal?.removeEventListener('abort', abort)
    if (client.usable) await client.logout().catch(() => undefined)
    client.close()
  }
}

/** Works in one folder; other work of this connection cannot switch folders in the meantime. */
export async function inFolder<Result>(
  client: ImapFlow,
  folder: string,
  options: { readOnly: boolean },
  work: (validity: string) => Promise<Result>,
): Promise<Result> {
  const lock = await client.getMailboxLock(folder, options)
  try {
    return await work(validityOf(client.mailbox))
  } finally {
    lock.release()
  }
}

/** UIDVALIDITY of an open folder; `0` if the server reports none. */
export function validityOf(box: ImapFlow['mailbox']): string {
  return box && box.uidValidity ? String(box.uidValidity) : '0'
}

const SPECIAL: Readonly<Record<string, string>> = {
  inbox: '\\Inbox',
  drafts: '\\Drafts',
  sent: '\\Sent',
  trash: '\\Trash',
  archive: '\\Archive',
  junk: '\\Junk',
  spam: '\\Junk',
  all: '\\All',
}

/** The folders that messages can be in. */
export async function foldersOf(client: ImapFlow): Promise<ListResponse[]> {
  return (await client.list()).filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'))
}

/**
 * Resolves a folder by its path, by its name (case-insensitive), or by its purpose (Drafts, Sent, Trash, Archive,
 * Junk), if the server reports it. Throws `mail.not_found` with the list of folders.
 */
export async function folderPath(client: ImapFlow, account: MailAccount, wanted: string): Promise<string> {
  if (wanted.toUpperCase() === 'INBOX') return 'INBOX'
  const folders = await foldersOf(client)
  const lower = wanted.toLowerCase()
  const found =
    folders.find(({ path }) => path === wanted) ??
    folders.find(({ path, name }) => path.toLowerCase() === lower || name.toLowerCase() === lower) ??
    folders.find(({ specialUse }) => specialUse !== undefined && specialUse === SPECIAL[lower])
  if (found) return found.path
  const paths = folders.map(({ path }) => path)
  const [best] = nearest(wanted, paths, 1)
  const shown = paths.slice(0, 30).map((path) => JSON.stringify(path))
  throw new CodedError(
    'mail.not_found',
    `${account.id} has no folder ` +
      `${JSON.stringify(wanted)}.${best === undefined ? '' : ` Did you mean ${JSON.stringify(best)}?`} There are: ` +
      `${shown.join(', ')}${paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''}.`,
  )
}

/**
 * The folder for drafts or sent messages: the configured one, or the one the server names. Undefined when it is
 * missing.
 */
export async function specialFolder(
  client: ImapFlow,
  account: MailAccount,
  kind: 'drafts' | 'sent',
): Promise<string | undefined> {
  const configured = kind === 'drafts' ? account.draftsFolder : account.sentFolder
  if (configured !== undefined) return folderPath(client, account, configured)
  const folders = await foldersOf(client)
  return folders.find(({ specialUse }) => specialUse === SPECIAL[kind])?.path
}

/**
 * Where a message is: the account, the folder, and its number there, which is valid only as long as UIDVALIDITY does
 * not change.
 */
export interface MailPlaceId {
  account: string
  folder: string
  /** UIDVALIDITY of the folder. */
  validity: string
  uid: number
}

/** The id of a message, as the tools and the command line name it: `work:INBOX:1700000000-42`. */
export function mailId({ account, folder, validity, uid }: MailPlaceId): string {
  return `${account}:${folder}:${validity}-${uid}`
}

/** Reads an id; throws `mail.not_found` for any other text. */
export function parseMailId(id: string): MailPlaceId {
  const [, account, folder, validity, uid] = /^([A-Za-z0-9_-]+):(.+):(\d+)-([1-9]\d{0,9})$/s.exec(id.trim()) ?? []
  if (account === undefined || folder === undefined || validity === undefined)
    throw new CodedError(
      'mail.not_found',
      `${JSON.stringify(id)} is not the id of a message; a search gives ids such as "work:INBOX:1700000000-42".`,
    )
  return { account, folder, validity, uid: Number(uid) }
}
