import { MAIL_PRESETS, presetFor, type MailPreset } from '../../../../shared/configuration/mail-presets'
import { isThisComputer } from '../../../../shared/configuration/this-computer'
import { MAIL_SECURITIES, type MailAccount, type MailSecurity } from '../../../../shared/model/assistant/mail'

/** The values of the account form, as typed. */
export interface MailInput {
  address: string
  /** Id of a preset; empty: other servers. */
  preset: string
  name: string
  user: string
  id: string
  imapHost: string
  imapPort: string
  imapSecurity: MailSecurity
  smtpHost: string
  smtpPort: string
  smtpSecurity: MailSecurity
  selfSigned: boolean
}

export const SECURITY_LABELS: Record<MailSecurity, string> = {
  tls: 'TLS',
  starttls: 'STARTTLS',
  none: 'None (this computer only)',
}

/** The form of an account; empty for a new one. */
export function inputOf(account: MailAccount | undefined): MailInput {
  const preset =
    account &&
    MAIL_PRESETS.find(
      ({ imap, smtp }) =>
        imap.host === account.imap.host &&
        imap.port === account.imap.port &&
        smtp.host === account.smtp.host &&
        smtp.port === account.smtp.port,
    )
  return {
    address: account?.address ?? '',
    preset: preset?.id ?? '',
    name: account?.name ?? '',
    user: account?.user ?? '',
    id: account?.id ?? '',
    imapHost: account?.imap.host ?? '',
    imapPort: String(account?.imap.port ?? 993),
    imapSecurity: account?.imap.security ?? 'tls',
    smtpHost: account?.smtp.host ?? '',
    smtpPort: String(account?.smtp.port ?? 465),
    smtpSecurity: account?.smtp.security ?? 'tls',
    selfSigned: account?.selfSigned ?? false,
  }
}

/** The form with the servers of a provider. */
export function withPreset(input: MailInput, preset: MailPreset | undefined): MailInput {
  if (!preset) return { ...input, preset: '' }
  const { imap, smtp } = preset
  return {
    ...input,
    preset: preset.id,
    imapHost: imap.host,
    imapPort: String(imap.port),
    imapSecurity: imap.security,
    smtpHost: smtp.host,
    smtpPort: String(smtp.port),
    smtpSecurity: smtp.security,
    selfSigned: preset.selfSigned ?? false,
  }
}

/** The form after the address changed: the provider follows the address, unless other servers were entered. */
export function withAddress(input: MailInput, address: string): MailInput {
  const changed = { ...input, address }
  const preset = presetFor(address)
  return preset && (input.imapHost === '' || input.preset !== '') && preset.id !== input.preset
    ? withPreset(changed, preset)
    : changed
}

/** A name for the account that is not taken. */
export function suggestedId({ address, preset }: MailInput, taken: readonly string[]): string {
  const domain = address.split('@')[1]?.split('.')[0] ?? ''
  const base = (preset || domain || 'mail').replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 36)
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}-${n}`
    if (!taken.includes(id)) return id
  }
}

/** Errors by field; empty if the form is valid. */
export function problemsOf(input: MailInput, id: string, taken: readonly string[]): Record<string, string> {
  const problems: Record<string, string> = {}
  if (!/^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(input.address.trim()))
    problems['address'] = 'Enter an address such as ada@example.com'
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(id)) problems['id'] = 'Letters, digits, - and _ only'
  else if (taken.includes(id)) problems['id'] = 'An account with this name already exists'
  for (const kind of ['imap', 'smtp'] as const) {
    const [host, port] = [input[`${kind}Host`].trim(), input[`${kind}Port`].trim()]
    if (!/^[\w.:[\]-]+$/.test(host)) problems[`${kind}Host`] = 'Enter the name of the server'
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      problems[`${kind}Port`] = 'From 1 to 65535'
    if (input[`${kind}Security`] === 'none' && !isThisComputer(host))
      problems[`${kind}Security`] = 'Passwords are sent unencrypted only on this computer'
  }
  return problems
}

/** The account that the form describes; `before` keeps what the form does not show. */
export function accountOf(input: MailInput, id: string, before: MailAccount | undefined): MailAccount {
  const keepsSent = MAIL_PRESETS.find((preset) => preset.id === input.preset)?.keepsSent ?? before?.keepsSent
  return {
    id,
    address: input.address.trim(),
    ...(input.name.trim() !== '' && { name: input.name.trim() }),
    ...(input.user.trim() !== '' && { user: input.user.trim() }),
    imap: { host: input.imapHost.trim(), port: Number(input.imapPort), security: input.imapSecurity },
    smtp: { host: input.smtpHost.trim(), port: Number(input.smtpPort), security: input.smtpSecurity },
    ...(input.selfSigned && { selfSigned: true as const }),
    ...(keepsSent && { keepsSent: true as const }),
    ...(before?.draftsFolder !== undefined && { draftsFolder: before.draftsFolder }),
    ...(before?.sentFolder !== undefined && { sentFolder: before.sentFolder }),
  }
}

export function securityOf(value: string): MailSecurity {
  return MAIL_SECURITIES.find((one) => one === value) ?? 'tls'
}
