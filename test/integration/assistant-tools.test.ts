import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Alarm, NotificationPage } from '../../src/shared/model/assistant/notification'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

const brief = (name: string, input: Record<string, unknown>): ScriptStep => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})

interface Program {
  scratch: Scratch
  model: ModelServer
  print(...more: string[]): ReturnType<typeof runCli>
  json<Output>(...words: string[]): Promise<Output>
  results(): string[]
}

async function program(script: ScriptStep[], config = ''): Promise<Program> {
  const scratch = createScratch({ 'page.html': '<p>Hello</p>' })
  undo.push(() => scratch.remove())
  const model = await startModelServer({ script })
  undo.push(() => model.close())
  writeConfig(scratch.home, `${configFor(model.baseUrl)}${config}`)
  const { home } = scratch
  return {
    scratch,
    model,
    print: (...more) => runCli(['print', 'go', '--agent', 'assistant', '--cwd', scratch.project, ...more], { home }),
    async json(...words) {
      const { code, stdout, stderr } = await runCli([...words, '--json'], { home })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout)
    },
    results: () =>
      (model.requests.at(-1)!.body['messages'] as { role: string; content: string }[]).flatMap(({ role, content }) =>
        role === 'tool' ? [content] : [],
      ),
  }
}

it('a notification is a line on stderr and in the stream, and is kept in a list that can be read, cleared and restored', async () => {
  const { print, json, results } = await program([
    brief('SendNotification', { title: 'Build done', body: 'All green' }),
    { text: 'done' },
  ])
  const { code, stdout, stderr } = await print('--output-format', 'stream-json')
  expect(code).toBe(0)
  expect(stderr).toBe('trestle: notification: Build done: All green\n')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toContainEqual(
    expect.objectContaining({ type: 'notification', title: 'Build done', body: 'All green', source: 'agent' }),
  )
  expect(results()).toEqual(['The user was notified.'])

  const { notifications, unread } = await json<NotificationPage>('notification', 'list')
  expect({ notifications, unread }).toMatchObject({ unread: 1, notifications: [{ title: 'Build done' }] })
  expect(await json('notification', 'read')).toEqual({ read: 1 })
  expect(await json('notification', 'list')).toMatchObject({ unread: 0, total: 1 })
  const { cleared } = await json<{ cleared: number[] }>('notification', 'clear')
  expect(await json('notification', 'list')).toMatchObject({ total: 0 })
  expect(await json('notification', 'restore', ...cleared.map(String))).toEqual({ restored: 1 })
  expect(await json('notification', 'list')).toMatchObject({ total: 1, unread: 0 })
})

it('while notifications are off, one is listed but not shown, and the model is told so', async () => {
  const { print, json, results } = await program(
    [brief('SendNotification', { title: 'Quiet' }), { text: 'done' }],
    '[notifications]\nenabled = false\n',
  )
  expect(await print()).toMatchObject({ code: 0, stderr: '' })
  expect(results()[0]).toContain('turned notifications off')
  expect(await json('notification', 'list')).toMatchObject({ unread: 1 })
})

it('an alarm of an agent outlives its program, and the terminal lists, cancels and restores it', async () => {
  const { print, json, results } = await program([
    brief('SetAlarm', { when: '2h', label: 'Stretch' }),
    brief('SetAlarm', { when: 'tomorrowish', label: 'x' }),
    { text: 'done' },
  ])
  const before = Date.now()
  expect(await print()).toMatchObject({ code: 0 })
  expect(results()).toEqual([
    expect.stringMatching(/^Set. It rings at:\ntime: .*\n/),
    expect.stringContaining('"tomorrowish" is not a time.'),
  ])
  const [alarm] = await json<Alarm[]>('alarm', 'list')
  expect(alarm).toMatchObject({ label: 'Stretch', status: 'pending', sessionId: expect.any(String) })
  expect(alarm!.at).toBeGreaterThanOrEqual(before + 2 * 3_600_000)
  await json('alarm', 'cancel', alarm!.id)
  expect(await json('alarm', 'list')).toEqual([])
  await json('alarm', 'restore', alarm!.id)
  expect(await json('alarm', 'list')).toMatchObject([{ label: 'Stretch' }])
})

it.each([
  ['OpenURL', { url: 'https://example.org/?a=b' }, 'It opens on your screen'],
  ['OpenURL', { url: 'page.html' }, 'It opens on your screen'],
  ['CreateCalendarEvent', { title: 'Review', start: '2026-12-01T09:00' }, 'Check the event'],
  ['GetLocation', {}, 'are personal'],
])('%s %o needs a user: print mode denies it in every mode, whatever rules say', async (name, input, reason) => {
  const { scratch, print, results } = await program(
    [brief(name, input), { text: 'done' }],
    '[features]\nlocation = true\n[location]\nservice = "http://127.0.0.1:9/"\n' +
      `[[permission.rules]]\ndecision = "allow"\npattern = "${name}"\n`,
  )
  expect(await print('--permission-mode', 'auto')).toMatchObject({ code: 3 })
  expect(results()).toEqual([expect.stringContaining(reason)])
  expect(results()[0]).toContain('no user is available')
  expect(existsSync(join(scratch.home, 'calendar'))).toBe(false)
})

it.each([
  ['javascript:alert(1)', 'not javascript: addresses'],
  ['mailto:a@example.org', 'not mailto: addresses'],
  ['https://user:secret@example.org/', 'name or password'],
  ['../outside.txt', 'is outside the project'],
  ['file:///etc/passwd', 'is outside the project'],
  ['missing.html', 'does not exist'],
])('OpenURL refuses %s and says why', async (url, why) => {
  const { print, results } = await program([brief('OpenURL', { url }), { text: 'done' }])
  await print()
  expect(results()).toEqual([expect.stringContaining(why)])
})

it('without a service, GetLocation names the missing setting; while the feature is off, the tool does not exist', async () => {
  const on = await program([brief('GetLocation', {}), { text: 'done' }], '[features]\nlocation = true\n')
  await on.print()
  expect(on.results()[0]).toContain('set service in [location] of config.toml')
  const off = await program([brief('GetLocation', {}), { text: 'done' }])
  await off.print()
  expect(JSON.stringify(off.model.requests[0]!.body)).not.toContain('GetLocation')
  expect(off.results()[0]).toContain('There is no tool "GetLocation"')
})

it('a disabled tool is not sent to the model', async () => {
  const { model, print } = await program([{ text: 'done' }], '[tools]\ndisabled = ["SetAlarm", "OpenURL"]\n')
  await print()
  const request = JSON.stringify(model.requests[0]!.body)
  expect(request).toContain('SendNotification(')
  expect(request).not.toMatch(/SetAlarm|OpenURL/)
})

it('with every feature on and nothing stored, a request grows by at most 3 kB', async () => {
  const all = '[features]\nmemory = true\nscheduling = true\nmail = true\nlocation = true\n'
  const sizes = await Promise.all(
    ['', all].map(async (config) => {
      const { model, print } = await program([{ text: 'done' }], config)
      await print()
      const { messages, tools } = model.requests[0]!.body
      return JSON.stringify({ messages, tools }).length
    }),
  )
  expect(sizes[1]! - sizes[0]!).toBeLessThanOrEqual(3_000)
  expect(sizes[1]! - sizes[0]!).toBeGreaterThan(0)
})
