import { CodedError, failureOf } from '../../../shared/errors'
import {
  MAIL_LIMITS,
  type MailAccount,
  type MailDraft,
  type MailFlag,
  type MailFound,
  type MailMessage,
  type MailQuery,
  type MailSent,
  type MailTest,
  type MailAccountView,
  type MailCheck,
} from '../../../shared/model/assistant/mail'
import { flagMail, moveMail } from './change-mail'
import { type SignedAccount, parseMailId, foldersOf, specialFolder, withImap } from './mail-connection'
import { readMail, saveAttachment } from './read-mail'
import { searchMail } from './search-mail'
import { sendMail, storeDraft, type AttachedFile, verifySmtp } from './send-mail'
import { createFolderWatcher, type FolderWatcher, type MailWatch, type WatchDeps } from './watch-mail'
import { explainMailError, type MailPlace } from './mail-failure'

/** The user's actions on mail accounts, in any host. Failures are `CodedError`s. */
export interface MailActions {
  accounts(): MailAccountView[]
  /** Adds or changes an account. Without a password, the stored one stays. */
  save(account: MailAccount, password?: string): Promise<MailAccountView>
  /** Removes the account with its password. */
  remove(id: string): Promise<void>
  /** Restores an account that was removed since the engine started, with its password. */
  restore(id: string): Promise<MailAccountView>
  test(id: string): Promise<MailTest>
  search(query: MailQuery): Promise<MailFound>
  read(id: string): Promise<MailMessage>
  draft(draft: MailDraft): Promise<{ account: string; folder: string }>
  send(draft: MailDraft): Promise<MailSent>
  move(ids: readonly string[], folder: string): Promise<{ moved: number; folder: string }>
  flag(ids: readonly string[], as: MailFlag): Promise<number>
}

export interface MailDeps extends Pick<WatchDeps, 'retryMs'> {
  /** In the order of config.toml. */
  accounts(): readonly MailAccount[]
  /** The stored password; undefined when it is missing or cannot be opened. */
  password(accountId: string): string | undefined
}

/** The mail of all accounts. Every failure is a `CodedError`. */
export interface Mail {
  search(query: MailQuery, signal?: AbortSignal): Promise<MailFound>
  read(id: string, signal?: AbortSignal): Promise<MailMessage>
  save(
    id: string,
    attachment: { number: number; createFile: Parameters<typeof saveAttachment>[1]['createFile'] },
    signal?: AbortSignal,
  ): Promise<{ name: string; bytes: number }>
  draft(
    draft: MailDraft,
    files: readonly AttachedFile[],
    signal?: AbortSignal,
  ): Promise<{ account: string; folder: string }>
  send(draft: MailDraft, files: readonly AttachedFile[], signal?: AbortSignal): Promise<MailSent>
  move(ids: readonly string[], folder: string, signal?: AbortSignal): Promise<{ moved: number; folder: string }>
  flag(ids: readonly string[], as: MailFlag, signal?: AbortSignal): Promise<number>
  test(accountId: string, signal?: AbortSignal): Promise<MailTest>
  /**
   * Watches a folder for new mail, until the returned function is called. Mail that arrives while the server is
   * unreachable is reported later.
   */
  watch(watch: MailWatch & { account: string }): () => void
  close(): void
}

export function createMail({ accounts, password, retryMs }: MailDeps): Mail {
  const watchers = new Map<string, FolderWatcher>()

  function signed(accountId: string): SignedAccount {
    const account = accounts().find(({ id }) => id === accountId)
    if (!account) throw noAccount(accountId, accounts())
    const found = password(accountId)
    if (found === undefined)
      throw new CodedError(
        'mail.account',
        `No password is stored for the mail account ${accountId}, or it cannot be opened.`,
      )
    return { account, password: found }
  }
  const ofMessages = (ids: readonly string[]): SignedAccount => {
    const names = new Set(ids.map((id) => parseMailId(id).account))
    const [name, ...others] = names
    if (name === undefined || others.length > 0)
      throw new CodedError('request.invalid', 'All messages of one call must be of the same account.')
    return signed(name)
  }

  return {
    async search(query, signal) {
      const wanted = query.account === undefined ? accounts().map(({ id }) => id) : [query.account]
      if (wanted.length === 0) throw noAccount(undefined, [])
      const results = await Promise.allSettled(wanted.map(async (id) => searchMail(signed(id), query, signal)))
      signal?.throwIfAborted()
      const found: MailFound = { messages: [], total: 0, problems: [] }
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') {
          found.messages.push(...result.value.messages)
          found.total += result.value.total
        } else if (wanted.length === 1) throw result.reason
        else found.problems.push({ account: wanted[index]!, message: failureOf(result.reason).message })
      }
      if (found.problems.length === wanted.length)
        throw new CodedError(
          'mail.unreachable',
          found.problems.map(({ account, message }) => `${account}: ${message}`).join(' '),
        )
      found.messages = found.messages
        .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
        .slice(0, Math.min(query.limit ?? 20, MAIL_LIMITS.found))
      return found
    },
    read: async (id, signal) => readMail(signed(parseMailId(id).account), id, signal),
    save: async (id, attachment, signal) =>
      saveAttachment(signed(parseMailId(id).account), { id, ...attachment }, signal),
    async draft(draft, files, signal) {
      const account = accountFor(draft, accounts())
      return { account, ...(await storeDraft(signed(account), draft, files, signal)) }
    },
    send: async (draft, files, signal) => sendMail(signed(accountFor(draft, accounts())), draft, files, signal),
    move: async (ids, folder, signal) => moveMail(ofMessages(ids), ids, folder, signal),
    flag: async (ids, as, signal) => flagMail(ofMessages(ids), ids, as, signal),
    test: async (accountId, signal) => testAccount(signed(accountId), signal),
    watch({ account, ...watch }) {
      const folder = watch.filter.folder ?? 'INBOX'
      const key = `${account}:${folder}`
      let watcher = watchers.get(key)
      if (!watcher) {
        watcher = createFolderWatcher(folder, { sign: async () => signed(account), ...(retryMs && { retryMs }) })
        watchers.set(key, watcher)
      }
      const stop = watcher.add(watch)
      return () => {
        stop()
        if (!watcher.isEmpty) return
        watcher.close()
        if (watchers.get(key) === watcher) watchers.delete(key)
      }
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

/** The account that a message is sent with: the named one, that of the message it replies to, or the first. */
export function accountFor(draft: Pick<MailDraft, 'account' | 'replyTo'>, accounts: readonly MailAccount[]): string {
  const wanted = draft.account ?? (draft.replyTo === undefined ? accounts[0]?.id : parseMailId(draft.replyTo).account)
  if (wanted === undefined || !accounts.some(({ id }) => id === wanted)) throw noAccount(wanted, accounts)
  return wanted
}

function noAccount(id: string | undefined, accounts: readonly MailAccount[]): CodedError {
  const known =
    accounts.length === 0 ? 'No mail account is set up.' : `There are: ${accounts.map((one) => one.id).join(', ')}.`
  return new CodedError(
    'mail.account',
    id === undefined ? known : `There is no mail account ${JSON.stringify(id)}. ${known}`,
  )
}

/**
 * Tests everything that an account is used for, without changing or sending anything. Reports what fails, why, and what
 * to do.
 */
export async function testAccount(signed: SignedAccount, signal?: AbortSignal): Promise<MailTest> {
  const folders: string[] = []
  const [reading, sending] = await Promise.all([testImap(signed, folders, signal), testSmtp(signed)])
  const checks = [...reading, sending]
  return { ok: checks.every(({ ok }) => ok), checks, folders }
}

async function testImap(signed: SignedAccount, found: string[], signal: AbortSignal | undefined): Promise<MailCheck[]> {
  const { account } = signed
  try {
    return await withImap(signed, signal, async (client) => {
      const status = await client.status('INBOX', { messages: true })
      const messages = (status && status.messages) || 0
      const folders = await foldersOf(client)
      found.push(...folders.map(({ path }) => path))
      const read: MailCheck = {
        what: 'imap',
        ok: true,
        message:
          `Signed in to ${account.imap.host}; ` +
          `the inbox has ${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}.`,
      }
      return [read, await testFolders(signed, client)]
    })
  } catch (error) {
    return [{ what: 'imap', ok: false, ...explained(error, { account, server: 'imap', password: signed.password }) }]
  }
}

async function testFolders(
  { account }: SignedAccount,
  client: Parameters<typeof specialFolder>[0],
): Promise<MailCheck> {
  const names: string[] = []
  for (const kind of account.keepsSent ? (['drafts'] as const) : (['drafts', 'sent'] as const)) {
    const key = `${kind}_folder in [mail.accounts.${account.id}]`
    try {
      const path = await specialFolder(client, account, kind)
      if (path === undefined)
        return {
          what: 'folders',
          ok: false,
          message: `The account has no folder for ${kind === 'drafts' ? 'drafts' : 'sent messages'}.`,
          advice: `Create one with your mail program, or name an existing one as ${key}.`,
        }
      names.push(path)
    } catch (error) {
      return { what: 'folders', ok: false, message: failureOf(error).message, advice: `Correct ${key}.` }
    }
  }
  return { what: 'folders', ok: true, message: `Folders found: ${names.join(', ')}.` }
}

async function testSmtp(signed: SignedAccount): Promise<MailCheck> {
  const { account, password } = signed
  try {
    await verifySmtp(signed)
    return { what: 'smtp', ok: true, message: `Signed in to ${account.smtp.host} for sending.` }
  } catch (error) {
    return { what: 'smtp', ok: false, ...explained(error, { account, server: 'smtp', password }) }
  }
}

function explained(error: unknown, place: MailPlace): Pick<MailCheck, 'message' | 'advice'> {
  const failure = explainMailError(error, place)
  if (failure) return { message: failure.message, advice: failure.advice }
  const { message, advice } = failureOf(error)
  return { message, advice }
}
