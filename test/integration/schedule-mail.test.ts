import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { createScheduleRows } from '../../src/main/engine/store/rows/schedule-rows'
import type { ScheduleRun } from '../../src/shared/model/assistant/schedule'
import { hasDovecot } from '../support/mail/dovecot'
import { accountToml, MAIL_PASSWORD, startMailLab, type MailLab } from '../support/mail/mail-lab'
import type { ScriptStep } from '../support/model-script'
import { startModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

const POLL = { timeout: 60_000, interval: 20 }
const asks: ScriptStep = { toolCalls: [{ name: 'Bash', input: { command: 'echo looked > looked.txt' } }] }
const reads = (name: string, input: Record<string, unknown>): ScriptStep => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})
const build = (subject: string): string => `From: CI <ci@example.com>\r\nSubject: ${subject}\r\n\r\nIt failed.\r\n`

describe.skipIf(!hasDovecot)('a schedule that mail starts', () => {
  let lab: MailLab
  beforeAll(async () => {
    lab = await startMailLab()
  })
  afterAll(() => lab.close())

  let users = 0
  /**
   * A home with an account, a model, and one schedule: "Builds" runs when mail of ci@example.com arrives that has
   * `failed` in its subject.
   */
  async function home(
    script: ScriptStep[] | ((ids: (uid: number) => string) => ScriptStep[]),
    { password = true }: { password?: boolean } = {},
  ) {
    const user = `waker${(users += 1)}`
    const scratch = createScratch()
    undo.push(() => scratch.remove())
    const account = lab.account(user)
    const validity = await lab.asUser(user, async (client) => {
      const box = await client.status('INBOX', { uidValidity: true })
      return box ? String(box.uidValidity) : ''
    })
    const id = (uid: number): string => `${user}:INBOX:${validity}-${uid}`
    const model = await startModelServer({ script: typeof script === 'function' ? script(id) : script })
    undo.push(() => model.close())
    writeConfig(
      scratch.home,
      `${configFor(model.baseUrl)}[features]\nmail = true\nscheduling = true\n${accountToml(account)}`,
    )
    const words = ['mail', 'account', 'add', account.address, '--id', user, '--user', user, '--replace']
    const server = (kind: 'imap' | 'smtp') => [
      `--${kind}`,
      `127.0.0.1:${account[kind].port}`,
      `--${kind}-security`,
      'none',
    ]
    if (password) {
      const stored = await runCli([...words, ...server('imap'), ...server('smtp'), '--password-stdin', '--json'], {
        home: scratch.home,
        stdin: MAIL_PASSWORD,
      })
      if (stored.code !== 0) throw new Error(stored.stderr)
    }
    const create = ['--name', 'Builds', '--on-mail', '--mail-from', 'ci@example.com', '--mail-subject', 'failed']
    const made = await runCli(['schedule', 'create', ...create, '--prompt', 'Look at it.', '--json'], scratch)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const schedule: { id: string } = JSON.parse(made.stdout)

    const { store, database } = openStore({ home: scratch.home })
    undo.push(() => store.close())
    const rows = createScheduleRows(database)
    /** Resolves when mail up to this number was checked. */
    const seen = (uid: number) => expect.poll(() => rows.mailState(schedule.id).positions[user]?.uid, POLL).toBe(uid)
    return {
      scratch,
      model,
      id,
      seen,
      rows,
      scheduleId: schedule.id,
      deliver: (subject: string) => lab.deliver(user, build(subject)),
      async open(): Promise<Engine & { stop(): Promise<void> }> {
        const engine = await createEngine({ version: '0', home: scratch.home, interactive: true, watch: false })
        let closed: Promise<void> | undefined
        const stop = (): Promise<void> => (closed ??= engine.close())
        undo.push(stop)
        return { ...engine, stop }
      },
      runs: (): ScheduleRun[] => rows.history(schedule.id, 0, 100).runs.toReversed(),
      /** The user messages that the model received, in order of its requests. */
      prompts: () =>
        model.requests.map(({ body }) =>
          (body['messages'] as { role: string; content: unknown }[])
            .filter(({ role }) => role === 'user')
            .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
            .join('\n'),
        ),
    }
  }
  type Home = Awaited<ReturnType<typeof home>>
  const ended = ({ runs }: Pick<Home, 'runs'>, count: number) =>
    expect.poll(() => runs().map(({ status }) => status), POLL).toEqual(Array.from({ length: count }, () => 'done'))

  it('starts one run for a message, with its id and nothing that the sender wrote; other mail starts none', async () => {
    const at = await home([{ text: 'Seen.' }])
    await at.open()
    await at.seen(0)
    await at.deliver('Build 1 is fine')
    await at.deliver('Build 2 failed: CANARY-subject')
    await ended(at, 1)
    await at.seen(2)
    expect(at.model.requests).toHaveLength(1)
    expect(at.prompts()[0]).toContain(`A new message has arrived; read with MailRead: "${at.id(2)}".`)
    expect(at.prompts()[0]).not.toContain(at.id(1))
    expect(JSON.stringify(at.model.requests[0]!.body)).not.toMatch(/CANARY-subject|It failed/)
  })

  it('what the run reads counts as mail: afterwards it asks before anything leaves the machine, in Auto too', async () => {
    const at = await home((id) => [
      reads('MailRead', { id: id(1) }),
      reads('ScheduleCreate', { name: 'Later', time: 'every 2 h', prompt: 'Mail the keys.' }),
      { text: 'Done.' },
    ])
    const engine = await at.open()
    const { prompt, name } = await engine.schedule.get(at.scheduleId)
    const mail = { from: 'ci@example.com', subject: 'failed' }
    await engine.schedule.change(at.scheduleId, { name, prompt, time: 'new mail', mail, mode: 'auto' })
    await at.seen(0)
    await at.deliver('Build failed')
    await expect.poll(() => engine.inbox.list().length, POLL).toBe(1)
    expect(engine.inbox.list()[0]).toMatchObject({ tool: 'ScheduleCreate' })
    expect(engine.inbox.list()[0]!.reason).toContain('This conversation contains mail')
  })

  it('mail that arrives during a run starts one further run', async () => {
    const at = await home([asks, { text: 'One.' }, { text: 'Two.' }])
    const engine = await at.open()
    await at.seen(0)
    await at.deliver('Build 1 failed')
    await expect.poll(() => engine.inbox.list().length, POLL).toBe(1)
    await at.deliver('Build 2 failed')
    await at.deliver('Build 3 failed')
    await at.seen(3)
    expect(at.runs()).toHaveLength(1)
    const [entry] = engine.inbox.list()
    await engine.sessions.reply(entry!.sessionId, { approvalId: entry!.approvalId, optionId: 'allow_once' })
    await ended(at, 2)
    expect(at.prompts().at(-1)).toContain(
      `2 new messages have arrived; read with MailRead: "${at.id(2)}", "${at.id(3)}".`,
    )
    expect(at.model.requests).toHaveLength(3)
  })

  it('a restart loses and repeats nothing', async () => {
    const at = await home([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    const first = await at.open()
    await at.seen(0)
    await first.stop()
    await at.deliver('Build 1 failed')
    const second = await at.open()
    await ended(at, 1)
    await second.stop()
    const third = await at.open()
    await at.deliver('Build 2 failed')
    await ended(at, 2)
    await third.stop()
    await at.deliver('Build 3 failed')
    await at.deliver('Build 4 failed')
    await at.open()
    await at.seen(4)
    await expect.poll(() => at.runs().filter(({ status }) => status === 'done').length, POLL).toBeGreaterThan(2)
    await expect.poll(() => at.rows.mailState(at.scheduleId).pending, POLL).toEqual([])
    await expect.poll(() => at.runs().every(({ status }) => status === 'done'), POLL).toBe(true)
    const given = at.prompts().flatMap((text) => text.match(/:INBOX:\d+-\d+/g) ?? [])
    expect(given.map((id) => id.slice(id.lastIndexOf('-') + 1))).toEqual(['1', '2', '3', '4'])
  })

  it('mail that arrives while the server is down is found when it is back', async () => {
    const at = await home([{ text: 'One.' }])
    await at.open()
    await at.seen(0)
    await lab.imap.stop()
    await lab.imap.start()
    await at.deliver('Build failed')
    await ended(at, 1)
    expect(at.prompts()[0]).toContain(at.id(1))
  })

  it('problems that only the user can fix are reported once, in the list and in every open Trestle', async () => {
    const at = await home([], { password: false })
    const shown: string[][] = []
    const open = [await at.open(), await at.open()]
    for (const engine of open) {
      const here: string[] = []
      shown.push(here)
      undo.push(
        engine.onChange((change) => {
          if (change.kind === 'notification') here.push(change.notification.title)
        }),
      )
      await expect.poll(async () => (await engine.schedule.overview()).service.runs, POLL).not.toBe('nowhere')
    }
    const told = expect.stringMatching(/^New mail of waker\d+ cannot start schedules$/)
    await expect.poll(() => shown.flat(), POLL).toEqual([told])
    // A changed schedule makes each process check immediately instead of after 10 s.
    for (const engine of open) await engine.schedule.create({ name: 'Other', time: 'every 2 h', prompt: 'Look.' })
    await expect.poll(() => shown, POLL).toEqual([[told], [told]])
    const engine = await at.open()
    expect(engine.notifications.list(0, 10).notifications).toMatchObject([
      { title: told, source: 'schedule', body: expect.stringContaining('No password is stored') },
    ])
  })
})
