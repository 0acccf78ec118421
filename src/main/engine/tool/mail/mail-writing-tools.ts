import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { MAIL_LIMITS, MAIL_RECIPIENT, type MailAccount, type MailDraft } from '../../../../shared/model/assistant/mail'
import type { Mail } from '../../mail/mail'
import { FileProblem } from '../../workspace/path/file-problem'
import { failed, refuse, type Access, type PreparedCall, type Refusal, type Tool } from '../tool'
import { pathRefusal } from '../file-paths'
import type { Workspace } from '../../workspace/workspace'
import type { LoadedFile } from './mail-files'
import { attempt, MAX_RESULT_CHARS, type Attached, type SessionMail } from './session-mail'

const recipient = lazySchema(() =>
  z
    .string()
    .trim()
    .max(300)
    .regex(MAIL_RECIPIENT, 'must be an address such as ada@example.com or Ada <ada@example.com>'),
)
const recipients = lazySchema(() => z.array(recipient()).max(MAIL_LIMITS.recipients))
const fields = lazySchema(() => ({
  to: recipients(),
  subject: z
    .string()
    .max(MAIL_LIMITS.subjectChars)
    .regex(/^\P{Cc}*$/u, 'must be one line'),
  text: z.string().max(MAIL_LIMITS.textChars),
  cc: recipients().optional(),
  bcc: recipients().optional(),
  reply_to: z.string().min(1).max(500).optional().describe('Id of the message it answers'),
  attachments: z.array(z.string().min(1).max(4000)).max(MAIL_LIMITS.attachments).optional().describe('Files'),
  account: z.string().min(1).max(40).optional(),
}))
const WRITES = { brief: true, maxResultChars: MAX_RESULT_CHARS } as const
const annotations = { readOnly: false, destructive: false, idempotent: false, openWorld: true }

/** Saves a message as a draft. */
export function draftTool(session: SessionMail): Tool {
  const input = lazySchema(() => z.strictObject(fields()))
  return {
    name: 'MailDraft',
    description: 'Stores a draft in the mailbox; reply_to: the id of the message it answers.',
    input,
    ...WRITES,
    annotations,
    prepare: (given) =>
      prepareMessage(session, input().parse(given), async (mail, draft, files, signal) => {
        const { account, folder } = await mail.draft(draft, files, signal)
        return `The draft is in ${JSON.stringify(folder)} of ${account}. It was not sent.`
      }),
  }
}

/** Sends a message. It always asks, with the entire message on the card. */
export function sendTool(session: SessionMail): Tool {
  const input = lazySchema(() => z.strictObject({ ...fields(), to: recipients().min(1) }))
  return {
    name: 'MailSend',
    description: 'Sends a message, after the user has seen all of it.',
    input,
    ...WRITES,
    annotations: { ...annotations, destructive: true },
    prepare: (given) =>
      prepareMessage(session, input().parse(given), async (mail, draft, files, signal) => {
        const sent = await mail.send(draft, files, signal)
        const refused = sent.rejected.length === 0 ? '' : ` The server refused ${sent.rejected.join(', ')}.`
        const copy = sent.copiedTo === undefined ? (sent.note ?? '') : `A copy is in ${JSON.stringify(sent.copiedTo)}.`
        return `Sent to ${sent.accepted.join(', ')}.${refused} ${copy}`.trim()
      }),
  }
}

/** The files attached to a message, or a refusal if no tool may read one of them. */
async function attachedFiles(
  workspace: Workspace,
  paths: readonly string[],
): Promise<{ files: Attached[]; accesses: Access[] } | Refusal> {
  const files: Attached[] = []
  for (const written of paths) {
    const path = await workspace.resolve(written)
    const refusal = pathRefusal(workspace, path)
    if (refusal) return refusal
    files.push({ path, shown: workspace.display(path.realPath) })
  }
  return {
    files,
    accesses: files.map(({ path }) => ({ kind: 'file', path: path.realPath, written: path.path, write: false })),
  }
}

type Written = z.output<z.ZodObject<ReturnType<typeof fields>>>

async function prepareMessage(
  session: SessionMail,
  { reply_to: replyTo, attachments = [], ...rest }: Written,
  deliver: (mail: Mail, draft: MailDraft, files: readonly LoadedFile[], signal: AbortSignal) => Promise<string>,
): Promise<PreparedCall | Refusal> {
  const { workspace } = session
  if (!workspace) throw new Error('A call needs the folders of a session.')
  const account = accountOf(session.accounts(), rest.account, replyTo)
  if (!account) return refuse(unknownAccount(session.accounts(), rest.account))
  const attached = await attachedFiles(workspace, attachments)
  if ('refused' in attached) return attached
  const draft: MailDraft = { ...withoutUndefined(rest), account: account.id, ...(replyTo !== undefined && { replyTo }) }
  // The files are read only once, so that what is sent is what was shown.
  let files: Promise<LoadedFile[]> | undefined
  const load = (): Promise<LoadedFile[]> =>
    (files ??= import('./mail-files').then(({ loadFiles }) => loadFiles(attached.files)))
  return {
    summary: `${draft.to.join(', ') || 'no recipient'}: ${draft.subject || '(no subject)'}`,
    accesses: attached.accesses,
    preview: async () => ({ kind: 'text', text: messageText(account, draft, await load()) }),
    async check() {
      try {
        await load()
        return undefined
      } catch (error) {
        if (error instanceof FileProblem) return failed(error.message)
        throw error
      }
    },
    run: ({ signal }) => attempt(async () => deliver(await session.mail(), draft, await load(), signal)),
  }
}

/** The entire message, as the user reads it before it is sent. */
export function messageText(account: MailAccount, draft: MailDraft, files: readonly { label: string }[]): string {
  const sender = account.name === undefined ? account.address : `${account.name} <${account.address}>`
  const rows: [string, string][] = [
    ['From', sender],
    ['To', draft.to.join(', ')],
    ['Cc', (draft.cc ?? []).join(', ')],
    ['Bcc', (draft.bcc ?? []).join(', ')],
    ['Subject', draft.subject],
    ['Answers', draft.replyTo ?? ''],
    ...files.map(({ label }): [string, string] => ['Attachment', label]),
  ]
  const head = rows.filter(([name, value]) => value !== '' || name === 'To' || name === 'Subject')
  return `${head.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${draft.text}`
}

function accountOf(
  accounts: readonly MailAccount[],
  wanted: string | undefined,
  replyTo: string | undefined,
): MailAccount | undefined {
  const id = wanted ?? replyTo?.split(':', 1)[0]
  return id === undefined ? accounts[0] : accounts.find((one) => one.id === id)
}

function unknownAccount(accounts: readonly MailAccount[], wanted: string | undefined): string {
  const known = accounts.map(({ id }) => id).join(', ')
  return (
    `There is no mail account ${wanted === undefined ? 'for this message' : JSON.stringify(wanted)}. ` +
    (known === '' ? 'None is set up.' : `There are: ${known}.`)
  )
}

function withoutUndefined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T
}
