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
} from '../../../shared/model/mail'
import { flagMail, moveMail } from './change-mail'
import type { SignedAccount } from './mail-connection'
import { parseMailId } from './mail-id'
import { readMail, saveAttachment } from './read-mail'
import { searchMail } from './search-mail'
import { sendMail, storeDraft, type AttachedFile } from './send-mail'
import { testAccount } from './test-account'
import { createFolderWatcher, type FolderWatcher, type MailWatch, type WatchDeps } from './watch-mail'

/** What the user does with mail, in any host. Failures are `CodedError`s. */
export interface MailActions {
  accounts(): MailAccountView[]
  /** Adds or changes an account. Without a password, the stored one stays. */
  save(account: MailAccount, password?: string): Promise<MailAccountView>
  /** Removes the account with its password. */
  remove(id: string): Promise<void>
  /** Brings back an account that was removed since the engine was started, with its password. */
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
   * Watches a folder for new mail, until the function returned is called. Nothing is missed while the server is away.
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

/** The account that a message is sent with: the named one, that of the message it answers, or the first. */
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
