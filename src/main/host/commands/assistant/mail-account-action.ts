import { text as readAll } from 'node:stream/consumers'
import { MAIL_PRESETS, presetFor, type MailPreset } from '../../../../shared/configuration/mail-presets'
import {
  MAIL_SECURITIES,
  type MailAccount,
  type MailAccountView,
  type MailServer,
} from '../../../../shared/model/assistant/mail'
import { table } from '../../../console/output'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { typedSecret } from '../../../console/typed-secret'
import type { Engine } from '../../../engine/engine-api'

type Values = Parsed['values']
type Say = (json: unknown, text: string) => void

/** `trestle mail account`. Returns the exit code. */
export async function mailAccountAction(
  { mail }: Engine,
  [action, word]: readonly string[],
  values: Values,
  say: Say,
): Promise<number> {
  switch (action) {
    case 'list': {
      const accounts = mail.accounts()
      say(accounts, listText(accounts))
      return 0
    }
    case 'add': {
      const account = accountFrom(needed(word, 'an address'), values)
      if (mail.accounts().some(({ id }) => id === account.id) && values['replace'] !== true)
        throw wrong(
          `There is an account "${account.id}" already; ` +
            '--replace puts this one in its place, --id gives this one another name.',
        )
      const password = await readPassword(account, values['password-stdin'] === true)
      if (password === undefined) return 130
      const added = await mail.save(account, password)
      const help = presetFor(account.address)?.help
      say(
        added,
        `Added ${added.id} (${added.address}).\n${password === '' && help !== undefined ? `${help}\n` : ''}Try ` +
          `it with: trestle mail account test ${added.id}\n`,
      )
      return 0
    }
    case 'test': {
      const result = await mail.test(needed(word, 'the name of an account'))
      const lines = result.checks.map(
        ({ ok, message, advice }) => `${ok ? 'ok' : 'failed'}: ${message}${advice === undefined ? '' : ` ${advice}`}\n`,
      )
      say(result, lines.join(''))
      return result.ok ? 0 : 1
    }
    case 'remove': {
      const id = needed(word, 'the name of an account')
      await mail.remove(id)
      say({ removed: id }, `Removed ${id}, with its stored password. Its mail stays on the server.\n`)
      return 0
    }
    default:
      throw wrong('Specify an account action: list, add ADDRESS, test ID or remove ID.')
  }
}

function listText(accounts: readonly MailAccountView[]): string {
  if (accounts.length === 0) return 'No mail account is set up. Add one with: trestle mail account add ADDRESS\n'
  return table(
    ['ID', 'ADDRESS', 'READING', 'SENDING', 'PASSWORD'],
    accounts.map(({ id, address, imap, smtp, password }) => [
      id,
      address,
      serverText(imap),
      serverText(smtp),
      password,
    ]),
  )
}

function serverText({ host, port, security }: MailServer): string {
  return `${host}:${port} ${security}`
}

/** The account that the options describe; throws a `UsageError`. */
function accountFrom(address: string, values: Values): MailAccount {
  const given = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (!/^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(address))
    throw wrong(`"${address}" is not an address like ada@example.com.`)
  const preset = MAIL_PRESETS.find(({ id }) => id === given('preset')) ?? presetFor(address)
  const name = given('name')
  const user = given('user')
  const selfSigned = values['self-signed'] === true || (preset?.selfSigned === true && given('imap') === undefined)
  return {
    id: given('id') ?? idFrom(address, preset),
    address,
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    imap: serverFrom('imap', given('imap'), given('imap-security'), preset),
    smtp: serverFrom('smtp', given('smtp'), given('smtp-security'), preset),
    ...(selfSigned && { selfSigned: true as const }),
    ...(preset?.keepsSent && given('smtp') === undefined && { keepsSent: true as const }),
  }
}

const PORTS = {
  imap: { tls: 993, starttls: 143, none: 143 },
  smtp: { tls: 465, starttls: 587, none: 25 },
} as const

function serverFrom(
  kind: 'imap' | 'smtp',
  given: string | undefined,
  wanted: string | undefined,
  preset: MailPreset | undefined,
): MailServer {
  if (given === undefined) {
    if (preset) return preset[kind]
    throw wrong(`The servers of this provider are not known: give --${kind} HOST[:PORT].`)
  }
  const [, host = '', port] = /^([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i.exec(given) ?? []
  if (host === '' || Number(port ?? 1) > 65_535)
    throw wrong(`--${kind} needs a server such as ${kind}.example.com or ${kind}.example.com:${PORTS[kind].tls}.`)
  const security = MAIL_SECURITIES.find((one) => one === wanted) ?? securityOf(port)
  return { host, port: port === undefined ? PORTS[kind][security] : Number(port), security }
}

function securityOf(port: string | undefined): MailServer['security'] {
  return port === '143' || port === '587' || port === '25' ? 'starttls' : 'tls'
}

function idFrom(address: string, preset: MailPreset | undefined): string {
  const domain = address.split('@')[1]?.split('.')[0] ?? 'mail'
  return (preset?.id ?? domain).replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 40)
}

async function readPassword(account: MailAccount, fromStdin: boolean): Promise<string | undefined> {
  const { stdin, stderr } = process
  if (fromStdin) {
    const password = (await readAll(stdin)).replace(/\r?\n$/, '')
    if (password === '' || /\p{Cc}/u.test(password))
      throw wrong('The password from stdin is empty or has several lines.')
    return password
  }
  if (stdin.isTTY && stderr.isTTY)
    return typedSecret(`Password of ${account.user ?? account.address} (not shown; leave empty to enter it later): `)
  throw wrong('A password is needed. Pipe it in with --password-stdin.')
}

function needed(word: string | undefined, what: string): string {
  if (word !== undefined) return word
  throw wrong(`Give ${what}.`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'mail')
}
