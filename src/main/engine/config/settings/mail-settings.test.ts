import { expect, it } from 'vitest'
import { readSettings } from './read-settings'
import { parseToml } from '../toml/parse-toml'

const read = (text: string) => {
  const parsed = parseToml(text, 'config.toml')
  if (!('table' in parsed)) throw new Error(parsed.problem.message)
  return readSettings(parsed.table, 'config.toml')
}
const SERVERS = 'imap_host = "imap.example.com"\nsmtp_host = "smtp.example.com"\n'

it('an account needs an address and two servers; ports follow from the security', () => {
  const { settings, mistakes } = read(
    `[mail.accounts.work]\naddress = "ada@example.com"\nsmtp_security = "starttls"\n${SERVERS}`,
  )
  expect(mistakes).toEqual([])
  expect(settings.mail.accounts).toEqual({
    work: {
      id: 'work',
      address: 'ada@example.com',
      imap: { host: 'imap.example.com', port: 993, security: 'tls' },
      smtp: { host: 'smtp.example.com', port: 587, security: 'starttls' },
    },
  })
})

it.each([
  ['[mail.accounts.work]\nimap_host = "a"\nsmtp_host = "b"', 'needs an address'],
  [
    '[mail.accounts.work]\naddress = "ada"\nimap_host = "a"\nsmtp_host = "b"',
    'must be an address like "ada@example.com"',
  ],
  ['[mail.accounts.work]\naddress = "a@b"\nimap_host = "a"', 'needs smtp_host'],
  [
    `[mail.accounts.work]\naddress = "a@b"\nimap_security = "none"\n${SERVERS}`,
    'can be "none" only for a server on this computer',
  ],
  [`[mail.accounts."a:b"]\naddress = "a@b"\n${SERVERS}`, 'needs a name of letters, digits, - and _'],
])('an account with a mistake is left out, and the mistake is named: %j', (text, message) => {
  const { settings, mistakes } = read(text)
  expect(Object.keys(settings.mail.accounts)).toEqual([])
  expect(mistakes.map((mistake) => mistake.message).join('\n')).toContain(message)
})

it('a password in the file is an unknown key', () => {
  const { mistakes } = read(`[mail.accounts.work]\naddress = "a@b"\npassword = "secret"\n${SERVERS}`)
  expect(mistakes).toMatchObject([
    { message: expect.stringContaining('Unknown key "password" in [mail.accounts.work]') },
  ])
})
