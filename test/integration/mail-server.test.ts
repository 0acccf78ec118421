import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWriteStream, mkdtempSync, realpathSync, rmSync, statSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMail, type Mail } from '../../src/main/engine/mail/mail'
import type { MailAccount, MailSummary } from '../../src/shared/model/assistant/mail'
import { hasDovecot } from '../support/mail/dovecot'
import { MAIL_PASSWORD, startMailLab, type MailLab } from '../support/mail/mail-lab'
import { largeMessage, plainMessage } from '../support/mail/messages'
import { rejection } from '../support/required'

describe.skipIf(!hasDovecot)('mail on a Dovecot server', () => {
  let lab: MailLab
  let accounts: MailAccount[]
  let mail: Mail
  beforeAll(async () => {
    lab = await startMailLab()
    accounts = [lab.account('ada'), lab.account('bob', { name: 'Bob Ross' })]
    mail = createMail({ accounts: () => accounts, password: () => MAIL_PASSWORD, retryMs: () => 1 })
  })
  afterAll(async () => {
    mail.close()
    await lab.close()
  })

  const idOf = async (account: string, subject: string, folder = 'INBOX'): Promise<string> => {
    const { messages } = await mail.search({ account, folder, subject })
    return messages[0]?.id ?? `no message ${subject}`
  }
  const subjects = (messages: readonly MailSummary[]): string[] => messages.map(({ subject }) => subject)

  it('searches by folder, sender, subject, text, date and unread, in one account or all, the newest first', async () => {
    await lab.deliver(
      'ada',
      'From: Carol <carol@example.com>\r\nSubject: Invoice 12\r\n' +
        'Date: Mon, 2 Nov 2026 10:00:00 +0000\r\n\r\nPlease pay 12 euros.\r\n',
    )
    await lab.deliver(
      'ada',
      'From: Dan <dan@example.com>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nDate: Tue, ' +
        '3 Nov 2026 10:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nSchöne Grüße aus Köln\r\n',
    )
    await lab.deliver(
      'bob',
      'From: Carol <carol@example.com>\r\nSubject: Invoice 13\r\n' +
        'Date: Wed, 4 Nov 2026 10:00:00 +0000\r\n\r\nPlease pay 13 euros.\r\n',
    )
    await lab.deliver('bob', 'From: Carol <carol@example.com>\r\nSubject: Old\r\n\r\nold\r\n', 'Archive')
    const found = async (query: Parameters<Mail['search']>[0]) => subjects((await mail.search(query)).messages)
    expect(await found({ from: 'carol' })).toEqual(['Invoice 13', 'Invoice 12'])
    expect(await found({ account: 'ada', from: 'carol' })).toEqual(['Invoice 12'])
    expect(await found({ subject: 'Grüße' })).toEqual(['Grüße'])
    expect(await found({ text: 'Köln' })).toEqual(['Grüße'])
    expect(await found({ text: 'euros', limit: 1 })).toEqual(['Invoice 13'])
    expect(await found({ account: 'bob', folder: 'archive' })).toEqual(['Old'])
    expect(await found({ since: '2030-01-01' })).toEqual([])
    await mail.flag([await idOf('ada', 'Invoice 12')], 'read')
    expect(await found({ account: 'ada', unread: true, from: 'carol' })).toEqual([])
    expect((await mail.search({ text: 'euros', limit: 1 })).total).toBe(2)
  })

  it('lists the existing folders or accounts if one is missing', async () => {
    expect(await rejection(mail.search({ account: 'ada', folder: 'Archiv' }))).toMatchObject({
      code: 'mail.not_found',
      message: expect.stringMatching(/no folder "Archiv"\. Did you mean "Archive"\? There are: .*"Drafts"/),
    })
    expect(await rejection(mail.search({ account: 'stranger' }))).toMatchObject({
      message: expect.stringContaining('There are: ada, bob.'),
    })
    expect(await rejection(mail.read('ada:INBOX:1-1'))).toMatchObject({
      code: 'mail.not_found',
      message: expect.stringContaining('Search again'),
    })
    expect(await rejection(mail.read('nonsense'))).toMatchObject({
      message: expect.stringContaining('is not the id of a message'),
    })
  })

  it('reads a message with an attachment of 30 MB without fetching it, and saves it with flat memory', async () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-mail-'))
    await lab.deliver('bob', largeMessage(30_000_000))
    const id = await idOf('bob', 'Large')
    const peak = peakMemory()
    const read = await mail.read(id)
    expect(read).toMatchObject({
      text: 'The film is attached.',
      files: [{ number: 1, name: 'film.mp4', type: 'video/mp4' }],
    })
    const file = join(folder, 'film.mp4')
    const saved = await mail.save(id, {
      number: 1,
      createFile: () => peak.during(createWriteStream(file, { flags: 'wx' })),
    })
    expect(saved).toEqual({ name: 'film.mp4', bytes: statSync(file).size })
    expect(saved.bytes).toBeGreaterThanOrEqual(30_000_000)
    expect(peak.stop()).toBeLessThan(12_000_000)
    rmSync(folder, { recursive: true })
  })

  it('stores a draft with a thread, blind copies and umlauts, and sends nothing', async () => {
    await lab.deliver('bob', plainMessage('Question', 'How are you?', ['Message-ID: <q1@example.com>']))
    const stored = await mail.draft(
      {
        account: 'bob',
        to: ['Ada <ada@example.com>'],
        bcc: ['eve@example.com'],
        subject: 'Re: Question – größer',
        text: 'Fine.\nBob',
        replyTo: await idOf('bob', 'Question'),
      },
      [],
    )
    expect(stored).toEqual({ account: 'bob', folder: 'Drafts' })
    const draft = await mail.read(await idOf('bob', 'größer', 'Drafts'))
    expect(draft).toMatchObject({
      from: 'Bob Ross <bob@example.com>',
      to: 'Ada <ada@example.com>',
      subject: 'Re: Question – größer',
      text: 'Fine.\nBob',
    })
    expect(lab.smtp.received).toEqual([])
  })

  it('sends with an attachment, keeps a copy, marks the original as answered, and never reveals Bcc recipients', async () => {
    const sent = await mail.send(
      {
        to: ['ada@example.com', 'gone@example.com'],
        bcc: ['eve@example.com'],
        subject: 'Re: Question',
        text: 'See the plan.',
        replyTo: await idOf('bob', 'Question'),
      },
      [{ name: 'plan.txt', content: Buffer.from('the plan') }],
    )
    expect(sent).toMatchObject({
      account: 'bob',
      accepted: ['ada@example.com', 'eve@example.com'],
      rejected: ['gone@example.com'],
      copiedTo: 'Sent',
    })
    const [received] = lab.smtp.received
    expect(received).toMatchObject({ from: 'bob@example.com', to: ['ada@example.com', 'eve@example.com'] })
    expect(received?.raw).toMatch(/^In-Reply-To: <q1@example\.com>/m)
    expect(received?.raw).toMatch(/^References: <q1@example\.com>/m)
    expect(received?.raw).not.toMatch(/eve@/)
    const copy = await mail.read(await idOf('bob', 'Re: Question', 'Sent'))
    expect(copy.files).toMatchObject([{ name: 'plan.txt' }])
    expect((await mail.search({ account: 'bob', subject: 'Question' })).messages[0]).toMatchObject({ answered: true })
  })

  it('moves and marks messages, also of several folders', async () => {
    await lab.deliver('ada', plainMessage('Move me', 'x'))
    const id = await idOf('ada', 'Move me')
    expect(await mail.flag([id], 'flagged')).toBe(1)
    expect((await mail.read(id)).flagged).toBe(true)
    expect(await mail.move([id], 'trash')).toEqual({ moved: 1, folder: 'Trash' })
    expect(await rejection(mail.read(id))).toMatchObject({ code: 'mail.not_found' })
    const moved = await idOf('ada', 'Move me', 'Trash')
    expect(await mail.move([moved, await idOf('ada', 'Invoice 12')], 'Archive')).toEqual({
      moved: 2,
      folder: 'Archive',
    })
    expect(await rejection(mail.move([moved], 'Nowhere'))).toMatchObject({
      message: expect.stringContaining('There are:'),
    })
  })

  it('reports new mail that matches the filter once each, including mail that arrived while the server was unreachable', async () => {
    const inbox: string[] = []
    let arrived = next()
    const problems: string[] = []
    const stop = mail.watch({
      account: 'ada',
      filter: { from: 'ci@example.com', text: 'failed' },
      onMail({ subject }) {
        inbox.push(subject)
        arrived.resolve()
      },
      onProblem: (problem) => problems.push(problem === undefined ? 'works again' : 'broken'),
    })
    const ready = next()
    const stopReady = mail.watch({ account: 'ada', filter: { subject: 'ready' }, onMail: () => ready.resolve() })
    // Only arriving mail shows that the watch has started: send messages until one is reported.
    while (
      !(await Promise.race([
        ready.promise.then(() => true),
        lab.deliver('ada', plainMessage('ready', 'x')).then(() => false),
      ]))
    );
    const build = (subject: string, text: string): string =>
      `From: CI <ci@example.com>\r\nSubject: ${subject}\r\n\r\n${text}\r\n`
    await lab.deliver('ada', build('Build 1', 'all is well'))
    await lab.deliver('ada', build('Build 2', 'it failed'))
    await arrived.promise
    arrived = next()
    await lab.imap.stop()
    await lab.imap.start()
    await lab.deliver('ada', build('Build 3', 'it failed again'))
    await arrived.promise
    expect(inbox).toEqual(['Build 2', 'Build 3'])
    // It reports that it works again after its first check, which may be the one that found the message.
    await expect.poll(() => problems.slice(0, 2)).toEqual(['broken', 'works again'])
    stop()
    stopReady()
  })

  it('retries a message that could not be handled, with growing delays, and reports it once', async () => {
    const handled = next<string>()
    const problems: (string | undefined)[] = []
    let attempts = 0
    await lab.deliver('bob', plainMessage('Earlier', 'x'))
    const stop = mail.watch({
      account: 'bob',
      filter: { subject: 'Difficult' },
      since: position(await idOf('bob', 'Earlier')),
      onMail({ subject }) {
        attempts += 1
        if (attempts < 3) throw new Error('the disk is full')
        handled.resolve(subject)
      },
      onProblem: (problem) => problems.push(problem?.message),
    })
    await lab.deliver('bob', plainMessage('Difficult', 'x'))
    expect(await handled.promise).toBe('Difficult')
    expect(attempts).toBe(3)
    expect(problems.slice(0, 1)).toEqual(['A new message could not be handled: the disk is full'])
    expect(problems.filter((problem) => problem !== undefined)).toHaveLength(1)
    stop()
  })

  it('a watch that cannot handle messages or notifications does not affect the others', async () => {
    const handled = next<string>()
    await lab.deliver('bob', plainMessage('Mark', 'x'))
    const since = position(await idOf('bob', 'Mark'))
    const fail = (): never => {
      throw new Error('the disk is full')
    }
    const watch = { account: 'bob', filter: { subject: 'Shared' }, since }
    const stopFirst = mail.watch({ ...watch, onMail: fail, onPosition: fail, onProblem: fail })
    const stopSecond = mail.watch({ ...watch, onMail: ({ subject }) => handled.resolve(subject) })
    await lab.deliver('bob', plainMessage('Shared', 'x'))
    expect(await handled.promise).toBe('Shared')
    // The watch continues even if reporting the failure fails.
    const later = next<string>()
    const stopThird = mail.watch({
      ...watch,
      filter: { subject: 'Later' },
      onMail: ({ subject }) => later.resolve(subject),
    })
    await lab.deliver('bob', plainMessage('Later', 'x'))
    expect(await later.promise).toBe('Later')
    for (const stop of [stopFirst, stopSecond, stopThird]) stop()
  })

  it('continues a watch where an earlier one stopped', async () => {
    const one = next<{ validity: string; uid: number }>()
    await lab.deliver('bob', plainMessage('Before', 'x'))
    const stop = mail.watch({
      account: 'bob',
      filter: { subject: 'First' },
      since: position(await idOf('bob', 'Before')),
      onMail: (_mail, at) => one.resolve(at),
    })
    await lab.deliver('bob', plainMessage('First', 'x'))
    const since = await one.promise
    stop()
    await lab.deliver('bob', plainMessage('Second', 'x'))
    const two = next<string>()
    const stopAgain = mail.watch({ account: 'bob', filter: {}, since, onMail: ({ subject }) => two.resolve(subject) })
    expect(await two.promise).toBe('Second')
    stopAgain()
  })
})

function position(id: string): { validity: string; uid: number } {
  const [, validity = '', uid = ''] = /:(\d+)-(\d+)$/.exec(id) ?? []
  return { validity, uid: Number(uid) }
}

function next<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  return Promise.withResolvers<T>()
}

/**
 * The peak memory in use above the current use, after garbage collection. Measured from time to time, for at most a
 * fifth of the time because a full collection takes long, and several times `during` writing.
 */
function peakMemory(): { during(stream: WriteStream): WriteStream; stop(): number } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const inUse = (): number => {
    // The second collection frees buffers.
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = inUse()
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, inUse() - before)
  }
  const lookAgain = (): void => {
    const startedAt = performance.now()
    look()
    timer = setTimeout(lookAgain, 4 * (performance.now() - startedAt))
  }
  let timer = setTimeout(lookAgain, 40)
  return {
    during(stream) {
      let next = 0
      return stream.on('drain', () => {
        if (stream.bytesWritten < next) return
        next = stream.bytesWritten + 5_000_000
        look()
      })
    },
    stop() {
      clearTimeout(timer)
      return peak
    },
  }
}
