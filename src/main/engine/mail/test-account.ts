import type { MailCheck, MailTest } from '../../../shared/model/mail'
import { failureOf } from '../../../shared/errors'
import { foldersOf, specialFolder, withImap, type SignedAccount } from './mail-connection'
import { explainMailError, type MailPlace } from './mail-failure'
import { verifySmtp } from './send-mail'

/**
 * Tries everything that an account is used for, without changing or sending anything. Says what fails, why, and what to
 * do.
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
        message: `Signed in to ${account.imap.host}; the inbox has ${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}.`,
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
