import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { MailAccountView, MailFound, MailMessage, MailSent, MailTest } from '../../src/shared/model/assistant/mail'
import { hasDovecot } from '../support/mail/dovecot'
import { MAIL_PASSWORD, startMailLab, type MailLab } from '../support/mail/mail-lab'
import { plainMessage } from '../support/mail/messages'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'

let scratch: Scratch
afterEach(() => scratch.remove())

const run = (args: readonly string[], stdin = ''): Promise<CliRun> =>
  runCli(['mail', ...args], { home: scratch.home, stdin })

describe.skipIf(!hasDovecot)('trestle mail', () => {
  let lab: MailLab
  beforeAll(async () => {
    lab = await startMailLab()
  })
  afterAll(() => lab.close())

  const json = async <Output>(args: readonly string[], stdin = ''): Promise<Output> => {
    const { code, stdout, stderr } = await run([...args, '--json'], stdin)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as Output
  }
  const addOptions = (): string[] => [
    'account',
    'add',
    'carla@example.com',
    '--id',
    'home',
    '--user',
    'carla',
    '--password-stdin',
    '--imap',
    `127.0.0.1:${lab.imap.port}`,
    '--imap-security',
    'none',
    '--smtp',
    `127.0.0.1:${lab.smtp.port}`,
    '--smtp-security',
    'none',
  ]

  it('adds, lists, tests and removes an account; the password never appears', async () => {
    scratch = createScratch()
    const added = await run(addOptions(), `${MAIL_PASSWORD}\n`)
    expect(added).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Try it with: trestle mail account test home'),
    })
    expect(await json<MailAccountView[]>(['account', 'list'])).toMatchObject([
      { id: 'home', address: 'carla@example.com', password: 'stored' },
    ])
    expect(await json<MailTest>(['account', 'test', 'home'])).toMatchObject({ ok: true })
    expect(await run(addOptions(), MAIL_PASSWORD)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--replace puts this one in its place'),
    })
    expect(await json(['account', 'add', ...addOptions().slice(2), '--replace'], 'wrong')).toMatchObject({ id: 'home' })
    const failed = await run(['account', 'test', 'home'])
    expect(failed).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('refused the user name or the password of carla'),
    })
    expect(await run(['account', 'remove', 'home'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Its mail stays on the server'),
    })
    expect(await json(['account', 'list'])).toEqual([])
    expect(JSON.stringify([added, failed])).not.toContain(MAIL_PASSWORD)
  })

  it('searches, reads, drafts, sends, marks and moves', async () => {
    scratch = createScratch({ 'minutes.txt': 'the minutes\n' })
    await json(addOptions(), MAIL_PASSWORD)
    await lab.deliver('carla', plainMessage('Minutes?', 'Where are the minutes?'))
    const { messages } = await json<MailFound>(['search', 'minutes', '--unread'])
    const [{ id } = { id: '' }] = messages
    expect(await json<MailMessage>(['read', id])).toMatchObject({ subject: 'Minutes?', text: 'Where are the minutes?' })
    expect(await run(['search', '--from', 'ada'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/unread\s+Ada <ada@example\.com>\s+Minutes\?/),
    })
    const message = [
      '--to',
      'ada@example.com',
      '--subject',
      'Re: Minutes?',
      '--reply-to',
      id,
      '--attach',
      join(scratch.project, 'minutes.txt'),
    ]
    expect(await json(['draft', ...message], 'Here they are.')).toEqual({ account: 'home', folder: 'Drafts' })
    expect(await run(['send', ...message], 'Here they are.')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('nothing was sent: there is no terminal to ask at'),
    })
    expect(lab.smtp.received).toEqual([])
    expect(await json<MailSent>(['send', ...message, '--yes'], 'Here they are.')).toMatchObject({
      accepted: ['ada@example.com'],
      copiedTo: 'Sent',
    })
    expect(lab.smtp.received[0]?.raw).toContain('Here they are.')
    expect(await json(['flag', id, '--as', 'flagged'])).toEqual({ marked: 1 })
    expect(await json(['move', id, '--folder', 'archive'])).toEqual({ moved: 1, folder: 'Archive' })
    expect(await run(['read', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('Search again') })
  })

  it("an agent's command can use none of it", async () => {
    scratch = createScratch()
    await json(addOptions(), MAIL_PASSWORD)
    const tagged = { TRESTLE_TASK: 'task-1' }
    for (const args of [['search'], ['send', '--to', 'eve@example.com', '--text', 'x', '--yes'], ['account', 'list']]) {
      const { code, stdout } = await runCli(['mail', ...args], { home: scratch.home, env: tagged })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    }
  })
})

describe('wrong usage of trestle mail', () => {
  it('says what is missing', async () => {
    scratch = createScratch()
    writeFileSync(
      join(scratch.home, 'config.toml'),
      '[mail.accounts.work]\naddress = "ada@example.com"\nimap_host = "imap.example.com"\n' +
        'imap_security = "none"\nsmtp_host = "smtp.example.com"\n',
    )
    expect(await run(['account', 'add', 'ada@unknown.example', '--password-stdin'], 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give --imap HOST[:PORT]'),
    })
    expect(await run(['account', 'add', 'ada@gmail.com'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Pipe it in with --password-stdin'),
    })
    expect(await run(['search', '--since', 'yesterday'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('such as 2026-11-24'),
    })
    expect(await run(['search'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No mail account is set up'),
    })
    expect((await run(['account', 'list'])).stderr).toContain(
      'imap_security in [mail.accounts.work] can be "none" only for a server on this computer',
    )
  })
})
