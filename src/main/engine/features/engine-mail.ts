import { errorText } from '../../../shared/error-text'
import { CodedError, failureOf } from '../../../shared/errors'
import { presetFor } from '../../../shared/configuration/mail-presets'
import type { MailAccount, MailAccountView, MailDraft, MailTest } from '../../../shared/model/assistant/mail'
import { mailAccountEdits } from '../config/settings/mail-settings'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { Mail, MailActions } from '../mail/mail'
import type { MailWatch } from '../mail/watch-mail'
import { agentTrace } from '../runtime/agent-trace'
import { mailTools } from '../tool/mail/mail-tools'
import type { Tool } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'

export interface EngineMail {
  /** Without a workspace: the tools for descriptions only. */
  tools(workspace?: Workspace): readonly Tool[]
  actions: MailActions
  /**
   * Watches a folder of an account for new mail that matches the filter, until the returned function is called.
   * Reconnects after a lost connection, and then reports the mail that has arrived since.
   */
  watch(watch: MailWatch & { account: string }): () => void
  close(): void
}

/** The mail of an engine. Its code and libraries are loaded on first use. */
export function createEngineMail(foundation: EngineFoundation): EngineMail {
  const { background, config, home, secrets, settings, notify, log } = foundation
  const accounts = (): MailAccount[] => Object.values(settings().mail.accounts)
  let loaded: Mail | undefined
  let loading: Promise<Mail> | undefined
  let closed = false
  const removed = new Map<string, { account: MailAccount; password: string | undefined }>()

  const mail = (): Promise<Mail> =>
    (loading ??= import('../mail/mail').then(({ createMail }) => {
      loaded = createMail({ accounts, password: (id) => secrets.get(keyOf(id)) })
      if (closed) loaded.close()
      return loaded
    }))

  function view(account: MailAccount): MailAccountView {
    const key = keyOf(account.id)
    const password = secrets.get(key) !== undefined ? 'stored' : secrets.isLocked(key) ? 'locked' : 'none'
    return { ...account, password }
  }
  const known = (id: string): MailAccount => {
    const account = settings().mail.accounts[id]
    if (!account) throw new CodedError('mail.account', `There is no mail account ${JSON.stringify(id)}.`)
    return account
  }

  async function save(account: MailAccount, password?: string): Promise<MailAccountView> {
    await config.edit(mailAccountEdits(account))
    if (password !== undefined && password.trim() !== '')
      await secrets.set(keyOf(account.id), plainPassword(account, password))
    notify({ kind: 'settings' })
    return view(known(account.id))
  }

  let trace: Promise<string | undefined> | undefined
  /** Refuses an agent's commands, which would bypass the approvals of the mail tools. */
  async function requireUser(): Promise<void> {
    const found = await (trace ??= agentTrace({ home, orphans: false }))
    if (found !== undefined) throw new CodedError('mail.not_user', `Only you can use your mail this way, but ${found}.`)
  }
  /** Mail for the user's own actions. */
  const ownMail = async (): Promise<Mail> => {
    await requireUser()
    return mail()
  }

  return {
    tools: (workspace) => mailTools({ mail, accounts, ...(workspace && { workspace }) }),
    watch(watch) {
      let stop: (() => void) | undefined
      let stopped = false
      const begin = async (): Promise<void> => {
        const of = await mail()
        if (!stopped && !closed) stop = of.watch(watch)
      }
      background.add(begin(), (error) => log(`Mail cannot be watched: ${failureOf(error).message}`))
      return () => {
        stopped = true
        stop?.()
      }
    },
    actions: {
      accounts: () => accounts().map(view),
      async save(account, password) {
        await requireUser()
        return save(account, password)
      },
      async remove(id) {
        await requireUser()
        const account = known(id)
        removed.set(id, { account, password: secrets.get(keyOf(id)) })
        await config.edit([{ path: ['mail', 'accounts', id], value: undefined }])
        secrets.remove(keyOf(id))
        notify({ kind: 'settings' })
      },
      async restore(id) {
        await requireUser()
        const found = removed.get(id)
        if (!found || settings().mail.accounts[id])
          throw new CodedError(
            'mail.account',
            `The mail account ${JSON.stringify(id)} cannot be restored; add it again.`,
          )
        const restored = await save(found.account, found.password)
        removed.delete(id)
        return restored
      },
      test: async (id) => {
        const account = known(id)
        if (view(account).password !== 'stored') return noPassword(account)
        return (await ownMail()).test(id)
      },
      search: async (query) => (await ownMail()).search(query),
      read: async (id) => (await ownMail()).read(id),
      draft: async (draft) => (await ownMail()).draft(draft, await filesOf(draft)),
      send: async (draft) => (await ownMail()).send(draft, await filesOf(draft)),
      move: async (ids, folder) => (await ownMail()).move(ids, folder),
      flag: async (ids, as) => (await ownMail()).flag(ids, as),
    },
    close() {
      closed = true
      loaded?.close()
    },
  }
}

/** The name under which an account's password is stored, among the keys of providers. */
function keyOf(accountId: string): string {
  return `mail:${accountId}`
}

/** Removes the spaces with which Google displays app passwords; other passwords are kept as entered. */
function plainPassword(account: MailAccount, password: string): string {
  const trimmed = password.trim()
  return presetFor(account.address)?.id === 'gmail' && /^[a-z]{4}(?: [a-z]{4}){3}$/.test(trimmed)
    ? trimmed.replaceAll(' ', '')
    : trimmed
}

function noPassword(account: MailAccount): MailTest {
  const help = presetFor(account.address)?.help ?? 'Enter it, or an app password where the provider needs one.'
  return {
    ok: false,
    checks: [{ what: 'password', ok: false, message: `No password of ${account.address} can be used.`, advice: help }],
    folders: [],
  }
}

/** The files attached by the user. */
async function filesOf({ attachments = [] }: MailDraft): Promise<{ name: string; content: Buffer }[]> {
  if (attachments.length === 0) return []
  const [{ readFile }, { basename }] = await Promise.all([import('node:fs/promises'), import('node:path')])
  return Promise.all(
    attachments.map(async (path) => {
      const content = await readFile(path).catch((error: unknown) => {
        const why = errorText(error)
        throw new CodedError('request.invalid', `attachments: ${path} cannot be read: ${why}`)
      })
      return { name: basename(path), content }
    }),
  )
}
