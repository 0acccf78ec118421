import { createInterface } from 'node:readline/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import {
  MAIL_FLAGS,
  MAIL_LIMITS,
  MAIL_RECIPIENT,
  type MailDraft,
  type MailFound,
  type MailMessage,
  type MailSent,
} from '../../../../shared/model/assistant/mail'
import { oneLine, safeText, table } from '../../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../../console/parse-action'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { reportStart } from '../../../console/report'
import { createEngine } from '../../../engine/engine'
import type { Engine } from '../../../engine/engine-api'
import { mailAccountAction } from './mail-account-action'

const MESSAGE = ['to', 'cc', 'bcc', 'subject', 'text', 'reply-to', 'attach', 'account', 'json'] as const
const ACCOUNT = [
  'id',
  'name',
  'user',
  'preset',
  'imap',
  'smtp',
  'imap-security',
  'smtp-security',
  'self-signed',
  'password-stdin',
  'replace',
  'json',
] as const
const ACTIONS = {
  account: { options: ACCOUNT, words: [1, 2], takes: 'list, add ADDRESS, test ID or remove ID' },
  search: {
    options: ['account', 'folder', 'from', 'subject', 'since', 'unread', 'limit', 'json'],
    words: [0, 20],
    takes: 'words to search for',
  },
  read: { options: ['json'], words: [1, 1], takes: 'the id of a message' },
  draft: { options: MESSAGE, words: [0, 0], takes: 'no arguments: the message is in the options' },
  send: { options: [...MESSAGE, 'yes'], words: [0, 0], takes: 'no arguments: the message is in the options' },
  move: { options: ['folder', 'json'], words: [1, 100], takes: 'the ids of messages' },
  flag: { options: ['as', 'json'], words: [1, 100], takes: 'the ids of messages' },
} satisfies Record<string, ActionSpec>

/**
 * `trestle mail`: accounts and mail in a terminal. All of it is for people: an agent's command would bypass the
 * questions of the mail tools. Returns the exit code: 0, 1 when it failed, 2 when it is not allowed or not sent, 130
 * when interrupted.
 */
export async function mailMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('mail', ACTIONS, parsed)
  if (await refuseAgents(`mail ${action}`)) return 2
  const { values } = parsed
  const isJson = values['json'] === true
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : safeText(text))
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { mail } = engine
  try {
    reportStart(engine)
    switch (action) {
      case 'account':
        return await mailAccountAction(engine, words, values, say)
      case 'search': {
        const found = await mail.search(queryFrom(words, values))
        say(found, foundText(found))
        return 0
      }
      case 'read': {
        const message = await mail.read(words[0]!)
        say(message, messageText(message))
        return 0
      }
      case 'draft': {
        const stored = await mail.draft(await draftFrom(values))
        say(stored, `Stored in ${stored.folder} of ${stored.account}.\n`)
        return 0
      }
      case 'send': {
        const draft = await draftFrom(values)
        if (draft.to.length === 0) throw wrong('Give a recipient with --to.')
        if (values['yes'] !== true && !(await confirmed(engine, draft))) return 2
        const sent = await mail.send(draft)
        say(sent, sentText(sent))
        return sent.rejected.length === 0 ? 0 : 1
      }
      case 'move': {
        const { moved, folder } = await mail.move(words, needed(values, 'folder'))
        say({ moved, folder }, `Moved ${moved} to ${folder}.\n`)
        return 0
      }
      default: {
        const as = MAIL_FLAGS.find((flag) => flag === needed(values, 'as'))!
        const marked = await mail.flag(words, as)
        say({ marked }, `Marked ${marked} as ${as}.\n`)
        return 0
      }
    }
  } finally {
    await engine.close()
  }
}

type Values = Parsed['values']

function queryFrom(words: readonly string[], values: Values): Parameters<Engine['mail']['search']>[0] {
  const given = (name: string): Record<string, string> =>
    typeof values[name] === 'string' ? { [name]: values[name] } : {}
  const { limit, since } = values
  if (
    limit !== undefined &&
    !(typeof limit === 'string' && /^[1-9]\d?$/.test(limit) && Number(limit) <= MAIL_LIMITS.found)
  )
    throw wrong(`--limit is a whole number from 1 to ${MAIL_LIMITS.found}; not "${String(limit)}".`)
  if (
    since !== undefined &&
    !(typeof since === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(since) && !Number.isNaN(Date.parse(since)))
  )
    throw wrong(`--since is a day such as 2026-11-24; not "${String(since)}".`)
  return {
    ...given('account'),
    ...given('folder'),
    ...given('from'),
    ...given('subject'),
    ...given('since'),
    ...(words.length > 0 && { text: words.join(' ') }),
    ...(values['unread'] === true && { unread: true }),
    ...(limit !== undefined && { limit: Number(limit) }),
  }
}

function foundText({ messages, total, problems }: MailFound): string {
  const failed = problems
    .map(({ account, message }) => `The account ${account} could not be searched: ${message}\n`)
    .join('')
  if (messages.length === 0) return `No messages match.\n${failed}`
  const rows = messages.map(({ id, at, from, subject, unread }) => [
    id,
    when(at),
    unread ? 'unread' : '',
    oneLine(from),
    oneLine(subject),
  ])
  const more = total > messages.length ? `${total - messages.length} more; --limit shows them.\n` : ''
  return `${table(['ID', 'DATE', '', 'FROM', 'SUBJECT'], rows)}${more}${failed}`
}

function messageText({ from, to, cc, at, subject, files, notes, text }: MailMessage): string {
  const rows: [string, string][] = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', when(at)],
    ['Subject', subject],
    ...files.map(({ number, name, bytes }): [string, string] => [
      'Attachment',
      `${number}. ${name} (${bytes.toLocaleString('en-US')} bytes)`,
    ]),
    ...notes.map((note): [string, string] => ['Note', note]),
  ]
  const head = rows.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${oneLine(value)}\n`)
  return `${head.join('')}\n${text}\n`
}

function sentText({ accepted, rejected, copiedTo, note }: MailSent): string {
  const refused = rejected.length === 0 ? '' : `Refused: ${rejected.join(', ')}\n`
  const copy = copiedTo === undefined ? (note === undefined ? '' : `${note}\n`) : `A copy is in ${copiedTo}.\n`
  return `Sent to ${accepted.join(', ')}.\n${refused}${copy}`
}

async function draftFrom(values: Values): Promise<MailDraft> {
  const list = (name: string): string[] => {
    const given = values[name]
    return Array.isArray(given) ? given.map(String) : []
  }
  const given = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const [to, cc, bcc, attachments] = [list('to'), list('cc'), list('bcc'), list('attach').map((file) => resolve(file))]
  const odd = [...to, ...cc, ...bcc].find((one) => !MAIL_RECIPIENT.test(one.trim()))
  if (odd !== undefined)
    throw wrong(
      `"${odd}" is not an address such as ada@example.com or "Ada <ada@example.com>"; repeat the option for several.`,
    )
  const [account, replyTo] = [given('account'), given('reply-to')]
  const text = given('text') ?? (process.stdin.isTTY ? undefined : await readAll(process.stdin))
  if (text === undefined) throw wrong('Give the text with --text, or pipe it in.')
  if (text.length > MAIL_LIMITS.textChars)
    throw wrong(`The text is longer than ${MAIL_LIMITS.textChars} characters; attach it as a file.`)
  return {
    ...(account !== undefined && { account }),
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    subject: given('subject') ?? '',
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(attachments.length > 0 && { attachments }),
  }
}

/** Shows the complete message and asks. Without a terminal, the answer is no. */
async function confirmed({ mail }: Engine, draft: MailDraft): Promise<boolean> {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) {
    stderr.write('trestle: nothing was sent: there is no terminal to ask at. --yes sends without asking.\n')
    return false
  }
  const accounts = mail.accounts()
  const id = draft.account ?? draft.replyTo?.split(':', 1)[0]
  const account = id === undefined ? accounts[0] : accounts.find((one) => one.id === id)
  const rows: [string, string][] = [
    ['From', account?.address ?? ''],
    ['To', draft.to.join(', ')],
    ['Cc', (draft.cc ?? []).join(', ')],
    ['Bcc', (draft.bcc ?? []).join(', ')],
    ['Subject', draft.subject],
    ['Attachments', (draft.attachments ?? []).join(', ')],
  ]
  stderr.write(
    safeText(
      `${rows
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name}: ${value}\n`)
        .join('')}\n${draft.text}\n\n`,
    ),
  )
  const ask = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(?:es)?$/i.test((await ask.question('Send this message? [y/N] ')).trim())
  } finally {
    ask.close()
  }
}

function when(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

function needed(values: Values, name: string): string {
  const value = values[name]
  if (typeof value === 'string' && value !== '') return value
  throw wrong(`Give --${name}.`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'mail')
}
