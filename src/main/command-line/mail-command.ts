import { MAIL_PRESETS } from '../../shared/configuration/mail-presets'
import { MAIL_FLAGS, MAIL_SECURITIES } from '../../shared/model/assistant/mail'
import type { CommandSpec, OptionSpec } from '../console/parse-command'

const text = (value: string, help: string): OptionSpec => ({ type: 'string', value, help })
const list = (value: string, help: string): OptionSpec => ({ type: 'string', value, help, multiple: true })

/** `trestle mail`, without `--help`. */
export const MAIL_COMMAND: CommandSpec = {
  summary: 'Set up mail accounts; search, read, draft, send, move and mark mail.',
  actions: ['account', 'search', 'read', 'draft', 'send', 'move', 'flag'],
  positionals: {
    name: 'account|search|read|draft|send|move|flag',
    help: [
      '  account list         The accounts.',
      '  account add ADDRESS  Add one; the servers of common providers are filled in. ' +
        'Its password is typed, or piped in (--password-stdin).',
      '  account test ID      Sign in to its servers, and report problems.',
      '  account remove ID    Remove it, with its password.',
      '  search [WORDS]       The newest messages, or those that contain the words.',
      '  read ID              A message; its id comes from a search.',
      '  draft, send          Store or send a message; the text comes from --text or stdin.',
      '  move ID...           Move messages to --folder.',
      '  flag ID...           Mark messages with --as.',
    ].join('\n'),
    max: 101,
  },
  options: {
    id: text('ID', 'account add: its name (default: from the address).'),
    name: text('NAME', 'account add: the sender in your messages.'),
    user: text('USER', 'account add: what it signs in with (default: the address).'),
    preset: { ...text('P', 'account add: its provider.'), choices: MAIL_PRESETS.map(({ id }) => id) },
    imap: text('HOST[:PORT]', 'account add: its server for reading.'),
    smtp: text('HOST[:PORT]', 'account add: its server for sending.'),
    'imap-security': { ...text('S', 'account add: default tls.'), choices: MAIL_SECURITIES },
    'smtp-security': { ...text('S', 'account add: default tls.'), choices: MAIL_SECURITIES },
    'self-signed': { type: 'boolean', help: 'account add: accept the certificate of a program on this computer.' },
    'password-stdin': { type: 'boolean', help: 'account add: read the password from stdin.' },
    replace: { type: 'boolean', help: 'account add: replace the account of this name.' },
    account: text('ID', 'search: only this account. draft, send: from this account (default: the first).'),
    folder: text('NAME', 'search: this folder (default: INBOX). move: to this one.'),
    from: text('WORDS', 'search: part of the sender.'),
    subject: text('WORDS', 'search: part of the subject. draft, send: the subject.'),
    since: text('DATE', 'search: not older, as YYYY-MM-DD.'),
    unread: { type: 'boolean', help: 'search: only unread ones.' },
    limit: text('N', 'search: maximum number (default: 20).'),
    to: list('ADDRESS', 'draft, send: a recipient; can be repeated.'),
    cc: list('ADDRESS', 'draft, send: a Cc recipient; can be repeated.'),
    bcc: list('ADDRESS', 'draft, send: a hidden recipient (Bcc); can be repeated.'),
    text: text('TEXT', 'draft, send: the text (default: stdin).'),
    'reply-to': text('ID', 'draft, send: the message it answers.'),
    attach: list('FILE', 'draft, send: a file; can be repeated.'),
    as: { ...text('MARK', 'flag: how to mark.'), choices: MAIL_FLAGS },
    yes: { type: 'boolean', help: 'send: do not ask. Without it, the whole message is shown first.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle mail account add ada@gmail.com',
    'pass show mail | trestle mail account add ada@example.com ' +
      '--imap imap.example.com --smtp smtp.example.com --password-stdin',
    'trestle mail account test gmail',
    'trestle mail search --unread --from github.com --json',
    'trestle mail read gmail:INBOX:1-42',
    'trestle mail send --to bob@example.com --subject Minutes --attach minutes.pdf < minutes.txt',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage or not sent, 130 interrupted. See docs/mail.md.',
}
