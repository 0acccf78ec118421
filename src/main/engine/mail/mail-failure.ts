import { presetFor } from '../../../shared/configuration/mail-presets'
import { isThisComputer } from '../../../shared/configuration/this-computer'
import { CodedError, type ErrorCode } from '../../../shared/errors'
import type { MailAccount } from '../../../shared/model/assistant/mail'

/** Why a mail operation failed, and what to do about it. */
export interface MailFailure {
  code: ErrorCode
  /** A sentence. */
  message: string
  /** What to do; a sentence or two. */
  advice: string
}

/** Where it failed. */
export interface MailPlace {
  account: MailAccount
  server: 'imap' | 'smtp'
  /** Never shown, even if a server repeats it. */
  password?: string
}

const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_ALTNAME_INVALID|UNABLE_TO_(?:GET|VERIFY)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED)/
const NOT_TLS = /wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long|EPROTO|unknown protocol|ERR_SSL/i
const NO_ANSWER = new Set([
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
  'UPGRADE_TIMEOUT',
  'ETIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNECTION',
  'NoConnection',
  'EConnectionClosed',
  'ClosedAfterConnectText',
  'ClosedAfterConnectTLS',
  'StateLogout',
])

/** A failure of a mail server, as shown to the user and the model. */
class MailError extends CodedError {
  readonly explained: MailFailure

  constructor(explained: MailFailure) {
    super(explained.code, `${explained.message} ${explained.advice}`)
    this.explained = explained
  }
}

/** The failure as a `CodedError`. Errors that no server or network can cause stay unchanged: they are bugs. */
export function mailError(error: unknown, place: MailPlace): Error {
  if (error instanceof CodedError) return error
  const failure = explainMailError(error, place)
  return failure ? new MailError(failure) : asError(error)
}

/** Explains an error of a mail server or the network; undefined for other errors. */
export function explainMailError(error: unknown, { account, server, password }: MailPlace): MailFailure | undefined {
  if (error instanceof MailError) return error.explained
  const { host, port, security } = account[server]
  const facts = factsOf(error, password)
  const { codes, text } = facts
  const has = (test: (code: string) => boolean): boolean => codes.some(test)
  const said = facts.said === '' ? '' : ` It says: ${JSON.stringify(facts.said.replace(/\.$/, ''))}.`
  const user = account.user ?? account.address
  if (facts.isSignIn)
    return {
      code: 'mail.sign_in',
      message: `${host} refused the user name or the password of ${user}.${said}`,
      advice: signInAdvice(account, facts.said),
    }
  const certificate = codes.find((code) => CERTIFICATE.test(code)) ?? certificateIn(text)
  if (certificate !== undefined) return certificateFailure(certificate, account, host)
  if (has((code) => code === 'ENOTFOUND'))
    return {
      code: 'mail.unreachable',
      message: `There is no server called ${host}.`,
      advice: 'Check the spelling of the server name, and the network.',
    }
  if (has((code) => code === 'EAI_AGAIN' || code === 'EDNS'))
    return {
      code: 'mail.unreachable',
      message: `The address of ${host} could not be looked up.`,
      advice: 'Check the network connection and the spelling of the server name.',
    }
  if (has((code) => code === 'ECONNREFUSED'))
    return {
      code: 'mail.unreachable',
      message: `${host} does not accept connections on port ${port}.`,
      advice: isThisComputer(host)
        ? 'Start the program that serves mail there (for Proton Mail: Bridge), and check the port.'
        : 'Check the port. A firewall may also block it.',
    }
  if (NOT_TLS.test(text) || has((code) => NOT_TLS.test(code)))
    return {
      code: 'mail.unreachable',
      message: `Port ${port} of ${host} does not speak TLS.`,
      advice: `Choose STARTTLS as the security, or the port for TLS (${server === 'imap' ? 993 : 465}).`,
    }
  if (/STARTTLS/i.test(text) || has((code) => code === 'ETLS' || code === 'MissingServerExtension'))
    return {
      code: 'mail.unreachable',
      message: `${host} offers no encryption on port ${port}, so no password was sent.`,
      advice: `Choose TLS as the security, with port ${server === 'imap' ? 993 : 465}.`,
    }
  if (has((code) => NO_ANSWER.has(code)))
    return {
      code: 'mail.unreachable',
      message: `${host} does not answer on port ${port}.`,
      advice:
        security === 'tls'
          ? 'A firewall or the network may block this port. Check the port and the server name.'
          : `Check the port and the security: port ${server === 'imap' ? 993 : 465} needs TLS. ` +
            'A firewall may also block it.',
    }
  if (facts.isFolderMissing)
    return {
      code: 'mail.not_found',
      message:
        `The folder${facts.folder === undefined ? '' : ` ${JSON.stringify(facts.folder)}`} does ` +
        `not exist in ${account.id}.${said}`,
      advice: 'Choose one that the account has.',
    }
  if (has((code) => CLOSED.has(code)))
    return {
      code: 'mail.unreachable',
      message: `${host} closed the connection.${said}`,
      advice: 'Try again. If it keeps happening, check the port and the security of the connection.',
    }
  if (facts.said !== '' || facts.isAnswer)
    return {
      code: 'mail.rejected',
      message: `${host} rejected it.${said}`,
      advice: /quota|\bfull\b/i.test(facts.said)
        ? 'The mailbox is full: delete messages first.'
        : 'Try again later, or change what it objects to.',
    }
  return undefined
}

/** Found by its text, because a library may replace the system's error code with its own. */
function certificateIn(text: string): string | undefined {
  if (/certificate has expired/i.test(text)) return 'CERT_HAS_EXPIRED'
  if (/certificate is not yet valid/i.test(text)) return 'CERT_NOT_YET_VALID'
  if (/does not match certificate's altnames/i.test(text)) return 'ERR_TLS_CERT_ALTNAME_INVALID'
  if (/self[- ]signed certificate/i.test(text)) return 'DEPTH_ZERO_SELF_SIGNED_CERT'
  return /unable to (?:verify the first certificate|get (?:local )?issuer)/i.test(text) ? 'UNABLE_TO_VERIFY' : undefined
}

function certificateFailure(code: string, account: MailAccount, host: string): MailFailure {
  const isLocal = isThisComputer(host)
  const why =
    code === 'CERT_HAS_EXPIRED'
      ? 'has expired'
      : code === 'CERT_NOT_YET_VALID'
        ? 'is not valid yet'
        : code === 'ERR_TLS_CERT_ALTNAME_INVALID'
          ? 'is for another name'
          : /SELF_SIGNED/.test(code)
            ? 'is self-signed'
            : 'is signed by an unknown authority'
  const advice = isLocal
    ? 'If this is a program of yours such as Proton Mail Bridge, ' +
      `accept its own certificate in the account (self_signed = true in [mail.accounts.${account.id}]).`
    : code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID'
      ? "Check this computer's clock; otherwise the owner of the server has to renew it."
      : code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? 'Use the server name that the provider states.'
        : 'If your company runs this server, add its certificate authority with [network] ca_file.'
  return { code: 'mail.certificate', message: `The certificate of ${host} ${why}, so no password was sent.`, advice }
}

function signInAdvice(account: MailAccount, said: string): string {
  if (/basic auth\w* is disabled|LogonDenied-BasicAuthBlocked|password.*no longer/i.test(said))
    return 'The provider no longer accepts passwords for this account, so it cannot be used here.'
  if (/imap.*(?:disabled|not enabled)|enable imap/i.test(said))
    return 'Allow IMAP in the settings of the provider first.'
  return presetFor(account.address)?.help ?? 'Check both. Many providers need an app password instead of the usual one.'
}

interface Facts {
  codes: string[]
  text: string
  /** The server's message. */
  said: string
  isSignIn: boolean
  isFolderMissing: boolean
  isAnswer: boolean
  folder?: string
}

/** Properties that the mail libraries set on their errors. */
interface LibraryError {
  code?: unknown
  message?: unknown
  authenticationFailed?: unknown
  responseCode?: unknown
  responseText?: unknown
  responseStatus?: unknown
  serverResponseCode?: unknown
  response?: unknown
  mailboxMissing?: unknown
  path?: unknown
  cause?: unknown
}

function factsOf(error: unknown, password: string | undefined): Facts {
  const facts: Facts = { codes: [], text: '', said: '', isSignIn: false, isFolderMissing: false, isAnswer: false }
  for (let [current, depth] = [error, 0]; current instanceof Error && depth < 5; depth += 1) {
    const found: LibraryError = current
    if (typeof found.code === 'string') facts.codes.push(found.code)
    facts.text += ` ${current.message}`
    if (found.authenticationFailed === true || found.code === 'EAUTH' || found.code === 'ENOAUTH') facts.isSignIn = true
    if (typeof found.responseCode === 'number' && [530, 534, 535].includes(found.responseCode)) facts.isSignIn = true
    if (found.serverResponseCode === 'AUTHENTICATIONFAILED') facts.isSignIn = true
    if (
      found.mailboxMissing === true ||
      found.serverResponseCode === 'NONEXISTENT' ||
      found.serverResponseCode === 'TRYCREATE'
    )
      facts.isFolderMissing = true
    if (typeof found.path === 'string') facts.folder = found.path
    if (typeof found.responseStatus === 'string' || typeof found.responseCode === 'number') facts.isAnswer = true
    const said = typeof found.responseText === 'string' ? found.responseText : found.response
    if (facts.said === '' && typeof said === 'string') facts.said = shown(said, password)
    current = found.cause ?? Reflect.get(current, '_err')
  }
  return facts
}

/**
 * A server's message on one line. The password is removed before anything is cut or joined, so that no part of it is
 * left.
 */
function shown(said: string, password: string | undefined): string {
  const hidden = password === undefined || password === '' ? said : said.replaceAll(password, '•••')
  return hidden.replaceAll(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
