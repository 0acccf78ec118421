import { expect, it } from 'vitest'
import { MAIL_PRESETS, presetFor } from '../../../../shared/configuration/mail-presets'
import { isThisComputer } from '../../../../shared/configuration/this-computer'
import { accountOf, inputOf, problemsOf, suggestedId, withAddress, withPreset } from './mail-input'

it('an address of a known provider fills in its servers, until others are entered', () => {
  const gmail = withAddress(inputOf(undefined), 'ada@gmail.com')
  expect(gmail).toMatchObject({ preset: 'gmail', imapHost: 'imap.gmail.com', smtpPort: '465' })
  expect(withAddress(gmail, 'ada@icloud.com')).toMatchObject({ preset: 'icloud', smtpSecurity: 'starttls' })
  const own = { ...inputOf(undefined), imapHost: 'imap.example.com' }
  expect(withAddress(own, 'ada@gmail.com')).toMatchObject({ preset: '', imapHost: 'imap.example.com' })
  expect(accountOf(gmail, 'gmail', undefined)).toMatchObject({
    id: 'gmail',
    keepsSent: true,
    imap: { port: 993, security: 'tls' },
  })
})

it('a stored account opens unchanged, and is stored unchanged', () => {
  const account = accountOf(
    withPreset(withAddress(inputOf(undefined), 'ada@proton.me'), presetFor('ada@proton.me')),
    'proton',
    undefined,
  )
  expect(account).toMatchObject({ selfSigned: true, imap: { host: '127.0.0.1', port: 1143 } })
  expect(accountOf(inputOf(account), 'proton', account)).toEqual(account)
})

it('reports missing fields, and refuses to send a password unencrypted', () => {
  expect(problemsOf(inputOf(undefined), '', [])).toMatchObject({
    address: expect.any(String),
    id: expect.any(String),
    imapHost: expect.any(String),
  })
  const input = { ...withAddress(inputOf(undefined), 'ada@gmail.com'), imapSecurity: 'none' as const }
  expect(problemsOf(input, 'gmail', ['gmail'])).toEqual({
    id: 'An account with this name already exists',
    imapSecurity: 'Passwords are sent unencrypted only on this computer',
  })
  expect(suggestedId(input, ['gmail'])).toBe('gmail-2')
})

it.each(MAIL_PRESETS.map((preset) => [preset.label, preset] as const))(
  'the preset of %s uses encryption, and says how to get a password',
  (_label, { imap, smtp, help, selfSigned }) => {
    expect([imap.security, smtp.security]).not.toContain('none')
    expect(help.length).toBeGreaterThan(20)
    expect(isThisComputer(imap.host)).toBe(selfSigned === true)
  },
)
