import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { AppPush } from '../../src/shared/events/push'
import { subscribeSession } from '../../src/renderer/client/subscriptions'
import type { RecordedEvent } from '../../src/shared/events/event'
import { isRecorded } from '../../src/shared/events/event'
import { EngineLab, Followed } from '../support/engine-lab'
import { startCli } from '../support/run-cli'
import { until } from '../support/until'
import { startWebProcess, type WebProcess } from '../support/web-process'

let lab: EngineLab
let web: WebProcess | undefined
afterEach(async () => {
  await web?.kill()
  web = undefined
  await lab.end()
})

const text = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]

test('the browser host joins the running engine, and pages and programs see the same sessions', async () => {
  lab = await EngineLab.start(() => ({ text: 'hello' }))
  await lab.startEngine()
  web = await startWebProcess(lab.home)
  const { client: page } = web.connect()
  const pushes: AppPush[] = web.follow(page)
  expect(await page.app.info()).toMatchObject({ host: 'web', home: lab.home })
  expect(await page.engine.status()).toMatchObject({ holder: 'engine' })
  const program = lab.link()
  const { sessionId } = await program.client.session.create({ folder: lab.scratch.project })
  await until(() => JSON.stringify(pushes).includes(sessionId), 'the session in the list of the page')
  const followed = new Followed(program, sessionId)
  await page.session.prompt({ sessionId, parts: text('go') })
  await followed.has('turn.finished')
  expect((await page.session.open({ sessionId })).events.at(-1)).toMatchObject({ type: 'turn.finished' })
  expect(await page.file.openers()).toMatchObject({ reveals: true })
  await expect(page.file.open({ sessionId, path: '/etc/passwd', with: 'editor' })).rejects.toBeDefined()
  await expect(page.session.open({ sessionId: 'gone' })).rejects.toMatchObject({ code: 'session.not_found' })
  await page.settings.setAppearance({ theme: 'dark' })
  expect((await page.settings.get()).appearance).toMatchObject({ theme: 'dark' })
})

test('pages connect again when the engine is killed, and miss nothing of a turn', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sameAsHere = { ...(process.env as Record<string, string>), NODE_OPTIONS: '' }
  lab = await EngineLab.start(
    async (_request, index) => {
      if (index === 0) return { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
      if (index === 1) await promise
      return { text: 'done' }
    },
    '',
    sameAsHere,
  )
  writeFileSync(join(lab.scratch.project, 'more.md'), 'x')
  await lab.startEngine()
  web = await startWebProcess(lab.home)
  const connection = web.connect()
  const { sessionId } = await connection.client.session.create({ folder: lab.scratch.project })
  const events: RecordedEvent[] = []
  subscribeSession(connection.client, sessionId, 0, (push) => {
    if (push.type === 'events') events.push(...push.events.filter(isRecorded))
  })
  await connection.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(2)
  await lab.killEngine()
  await until(() => events.at(-1)?.type === 'turn.finished', 'the end of the turn', 60_000)
  resolve()
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.at(-1)).toMatchObject({ stop: 'end_turn', steps: 2 })
})

test('without an engine, the browser host runs its own', async () => {
  lab = await EngineLab.start([])
  web = await startWebProcess(lab.home)
  const { client } = web.connect()
  expect(await client.app.info()).toMatchObject({ host: 'web' })
  expect(await client.engine.status()).toBeNull()
  expect(await lab.status()).toBeUndefined()
})

test('the browser host lists the variables that differ for commands in the engine it has joined', async () => {
  lab = await EngineLab.start([])
  await lab.startEngine()
  const serve = startCli(['serve', '--port', '0'], { home: lab.home, env: { KUBECONFIG: '/here' } })
  let said = ''
  serve.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  serve.stdout.resume()
  await until(() => said.includes('\n'), 'what differs')
  expect(said).toMatch(/commands see the environment variables of the engine, which differ .*\(KUBECONFIG\)/)
  serve.kill('SIGTERM')
  await once(serve, 'close')
})
