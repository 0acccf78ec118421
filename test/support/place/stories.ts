import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { version } from '../../../package.json'
import { createEngine } from '../../../src/main/engine/engine'
import { findEngine } from '../../../src/main/role/attach'
import { openDesktopEngine } from '../../../src/main/role/desktop-engine'
import type { EngineLink } from '../../../src/main/role/engine-link'
import { connectWire } from '../../../src/main/wire/wire-client'
import { failureOf } from '../../../src/shared/errors'
import type { EngineStatus, EngineStop } from '../../../src/shared/model/app/engine'
import type { Approval } from '../../../src/shared/model/approval/approval'
import { textOf } from '../../../src/shared/model/turn/message'
import { EngineLab, Followed, lives } from '../engine-lab'
import { agentCall, familyScript } from '../family-script'
import { stdioServer } from '../mcp-lab'
import type { ModelScript, RecordedRequest, ScriptStep } from '../model-script'
import { required } from '../required'
import { TwoBuilds } from '../two-builds'
import { until } from '../until'

/** Where the stories run: this machine, or a place that is also on this machine, so that tests can inspect it. */
export interface StoryPlace {
  /** The name of the place; absent: this machine. */
  placeId?: string
  /** TRESTLE_HOME there, on the disk of this machine. */
  home: string
  /** A project there, on the disk of this machine. */
  folder: string
  /** The app that its engine is started from. */
  app: TwoBuilds
  /** Breaks every connection between the client and the engine there. */
  cut(): void
  /** Ends what was started for it; the engines are ended before. */
  close(): Promise<void>
}

export interface StoryOptions {
  skip?: boolean
  /** Additional variables for the user's own engine. */
  env?(): Record<string, string>
  /** Creates the place, and adds it to the user's engine with `link.client.place`. `app`: the app installed there. */
  open(lab: EngineLab, link: EngineLink, app: TwoBuilds): Promise<Omit<StoryPlace, 'app'>>
}

/** From a prompt to its answer, if programs have to be started first. */
const LONG_MS = 60_000
const say = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]
const call = (name: string, input: Record<string, unknown>): ScriptStep => ({ toolCalls: [{ name, input }] })
const resultsIn = ({ body }: RecordedRequest): number =>
  (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length
const PLAN = '# Plan\n\n1. one\n2. two\n'
/** A server that returns the folder it was started in. */
const SERVER = `require('http').createServer((_, response) => response.end('from ' + process.cwd())).listen(0, '127.0.0.1')\n`

/** The stories that must be the same wherever a session works; a test file runs them for one or several places. */
export function tellStories(name: string, { skip = false, env, open }: StoryOptions): void {
  describe.skipIf(skip)(`the stories on ${name}`, () => {
    let lab: EngineLab
    let link: EngineLink
    let app: TwoBuilds | undefined
    let place: StoryPlace
    let script: ModelScript = []
    let step = 0
    const play = (next: ModelScript): void => {
      script = next
      step = 0
    }
    beforeAll(async () => {
      lab = await EngineLab.start(
        (request, index) => (typeof script === 'function' ? script(request, index) : script[step++]),
        '',
        env?.(),
      )
      app = new TwoBuilds()
      link = lab.link()
      place = { ...(await open(lab, link, app)), app }
      mkdirSync(place.folder, { recursive: true })
      writeFileSync(join(place.home, 'mcp.json'), JSON.stringify({ mcpServers: { words: stdioServer() } }))
      // The Node of the tests is not in the usual place for programs.
      appendFileSync(join(place.home, 'config.toml'), `\n[sandbox]\nread = ['${dirname(process.execPath)}']\n`, {
        mode: 0o600,
      })
    }, 300_000)
    beforeEach(() => writeFileSync(join(place.folder, 'notes.md'), 'one\ntwo\n'))
    afterAll(async () => {
      if (place?.placeId !== undefined) await link.client.place.disconnect({ placeId: place.placeId })
      await lab?.end()
      // Only now is there no client that would start another one.
      if (place) await stopEngine(place.home, 'now')
      await place?.close()
      app?.remove()
    }, 120_000)

    /** Creates a session there and follows it from the start. */
    const begin = async (mode: 'ask' | 'auto' = 'auto') => {
      const folder = place.placeId === undefined ? place.folder : `place://${place.placeId}${place.folder}`
      const { sessionId } = await link.client.session.create({ folder, mode })
      const followed = new Followed(link, sessionId)
      const { client } = link
      return {
        sessionId,
        followed,
        prompt: (text = 'go') => client.session.prompt({ sessionId, parts: say(text) }),
        async asked(asks?: Approval['asks']): Promise<Approval> {
          await followed.has('approval.requested', 1, LONG_MS)
          const { header } = await client.session.open({ sessionId })
          const approval = required(header.approvals[0], 'a request')
          expect(approval.asks).toBe(asks)
          return approval
        },
        reply: (approvalId: string, optionId: string, more: object = {}) =>
          client.approval.reply({ sessionId, approvalId, optionId, ...more }),
        /** Waits for the end of the turn, and checks that no event is missing or repeated. */
        async ended(turns = 1): Promise<void> {
          await followed.has('turn.finished', turns, 2 * LONG_MS)
          expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_event, index) => index + 1))
          const last = followed.events.findLast((event) => event.type === 'turn.finished')
          // As text, so that a failure shows why the turn ended.
          expect(JSON.stringify(last)).toContain(`"stop":"end_turn"`)
        },
        results: (): string[] =>
          followed.events.flatMap((event) => (event.type === 'tool.finished' ? [textOf(event.content)] : [])),
      }
    }
    const read = (file: string): string => readFileSync(join(place.folder, file), 'utf8')

    it('a prompt is answered', async () => {
      play([call('Read', { path: 'notes.md' }), { text: 'It says one and two.' }])
      const session = await begin()
      await session.prompt()
      await session.ended()
      expect(session.results()[0]).toContain('two')
      expect(JSON.stringify(session.followed.events)).toContain('It says one and two.')
    })

    it('a change is asked for first, shown in the inbox, and made after the answer', async () => {
      play([call('Write', { path: 'made.txt', content: 'made\n' }), { text: 'done' }])
      const session = await begin('ask')
      await session.prompt()
      const { approvalId } = await session.asked()
      // The place updates the inbox a moment after the session.
      const inInbox = async (): Promise<object | undefined> => {
        const entry = (await link.client.approval.list()).find((one) => one.sessionId === session.sessionId)
        return entry && { place: entry.place }
      }
      await expect.poll(inInbox).toEqual({ place: place.placeId })
      expect(existsSync(join(place.folder, 'made.txt'))).toBe(false)
      await session.reply(approvalId, 'allow_once')
      await session.ended()
      expect(read('made.txt')).toBe('made\n')
    })

    it('a question is answered by the user', async () => {
      const options = ['A', 'B'].map((label) => ({ label, description: label.toLowerCase() }))
      play([
        call('AskUserQuestion', { questions: [{ question: 'Which one?', header: 'Choice', options }] }),
        { text: 'B it is' },
      ])
      const session = await begin()
      await session.prompt()
      const { approvalId } = await session.asked('questions')
      await session.reply(approvalId, 'answer', { answers: [{ labels: ['B'] }] })
      await session.ended()
      expect(session.results()[0]).toContain('B')
    })

    it('a plan is reviewed and approved by the user', async () => {
      let steps = 0
      play(({ body }) => {
        steps += 1
        const path =
          JSON.stringify(body)
            .match(/\/[^\s"\\`]+\/plan-\d+\.md/g)
            ?.at(-1) ?? ''
        if (steps === 1) return call('EnterPlanMode', {})
        if (steps === 2) return call('Write', { path, content: PLAN })
        return steps === 3 ? call('ExitPlanMode', {}) : { text: 'planned' }
      })
      const session = await begin()
      await session.prompt()
      const approval = await session.asked('plan')
      expect(approval.preview).toMatchObject({ kind: 'plan', text: PLAN })
      await session.reply(approval.approvalId, required(approval.options[0], 'an option').optionId)
      await session.ended()
      const { header } = await link.client.session.open({ sessionId: session.sessionId })
      expect(header.plan).toMatchObject({ active: false })
    })

    it('a background task has a port that opens here, and is stopped from here', async () => {
      writeFileSync(join(place.folder, 'serve.cjs'), SERVER)
      const command = `'${process.execPath}' serve.cjs`
      play([call('Bash', { command, run_in_background: true, description: 'serve' }), { text: 'started' }])
      const session = await begin()
      await session.prompt()
      await session.ended()
      const isOurs = (task: { sessionId?: string; status: string }): boolean =>
        task.sessionId === session.sessionId && task.status === 'running'
      await expect.poll(async () => (await link.client.task.list({})).some(isOurs), { timeout: LONG_MS }).toBe(true)
      const task = required((await link.client.task.list({ activeOnly: true })).find(isOurs), 'a task')
      expect(task.place).toBe(place.placeId)
      const port = await portOf(link, task.taskId)
      const near =
        place.placeId === undefined ? port : (await link.client.place.forward({ placeId: place.placeId, port })).port
      const page = await fetch(`http://127.0.0.1:${near}/`)
      expect(await page.text()).toBe(`from ${place.folder}`)
      play([{ text: 'it was stopped' }])
      expect(await link.client.task.stop({ taskId: task.taskId })).toMatchObject({ status: 'stopped' })
      // The agent is notified.
      await session.ended(2)
    })

    it('a turn is undone', async () => {
      play([
        call('Read', { path: 'notes.md' }),
        call('Edit', { path: 'notes.md', old_string: 'two', new_string: 'zwei' }),
        { text: 'done' },
      ])
      const session = await begin()
      const { sessionId } = session
      await session.prompt()
      await session.ended()
      expect(read('notes.md')).toBe('one\nzwei\n')
      const [point] = await link.client.checkpoint.points({ sessionId })
      const to = required(point, 'a point').seq - 1
      await link.client.checkpoint.restore({ sessionId, to, files: true, conversation: true })
      expect(read('notes.md')).toBe('one\ntwo\n')
    })

    it('a subagent works on a part and reports', async () => {
      play(
        familyScript({
          lead: [{ toolCalls: [agentCall('helper reads')] }, { text: 'All known.' }],
          helper: [call('Read', { path: 'notes.md' }), { text: 'There are two lines.' }],
        }),
      )
      const session = await begin()
      await session.prompt('lead this')
      await session.ended()
      expect(session.results().join('\n')).toContain('There are two lines.')
      const started = session.followed.events.find((event) => event.type === 'subagent.started')
      const { agentId } = required(started, 'a subagent') as { agentId: string }
      expect((await link.client.session.open({ sessionId: agentId })).header.sessionId).toBe(agentId)
    })

    it('a tool of an MCP server there is used', async () => {
      play([call('mcp__words__echo', { text: 'from the server' }), { text: 'done' }])
      const session = await begin()
      await session.prompt()
      await session.ended()
      expect(session.results()[0]).toContain('from the server')
    })

    /**
     * A turn whose second and third steps wait until `disturb` is done, or releases them. Returns how often its call
     * ran, once it has finished as it should.
     */
    const survives = async (disturb: (goOn: () => void, session: string) => Promise<void>): Promise<number> => {
      writeFileSync(join(place.folder, 'count.txt'), '')
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let open = 0
      play(async (request) => {
        const done = resultsIn(request)
        if (done === 0) return call('Bash', { command: 'echo once >> count.txt' })
        await gates[done - 1]?.promise
        return done === 1 ? call('Read', { path: 'count.txt' }) : { text: 'all done' }
      })
      const session = await begin()
      const asked = lab.server.requests.length
      await session.prompt()
      await until(() => lab.server.requests.length >= asked + 2, 'the second step', LONG_MS)
      await disturb(() => gates[open++]?.resolve(), session.sessionId)
      for (const gate of gates) gate.resolve()
      await session.ended()
      expect(JSON.stringify(session.followed.events.at(-2))).toContain('all done')
      return read('count.txt').split('\n').length - 1
    }

    it('a turn continues when its client is killed', async () => {
      // Here the session's engine is the user's own; its client is another program.
      const killClient = async (sessionId: string): Promise<void> => {
        const client = lab.attach()
        client.begin('push.session', { sessionId, since: 0 })
        await client.line('the session', (line) => 'event' in line)
        await client.kill()
      }
      const calls = await survives(async (_goOn, sessionId) => {
        await (place.placeId === undefined ? killClient(sessionId) : lab.killEngine())
      })
      expect(calls).toBe(1)
    })

    it('a turn continues when its engine is killed: only the running step is repeated', async () => {
      const killThere = async (): Promise<void> => {
        const { pid } = required(await statusOf(place.home), 'an engine')
        process.kill(pid, 'SIGKILL')
        await until(() => !lives(pid), 'the end of the engine')
      }
      const calls = await survives(async () => {
        await (place.placeId === undefined ? lab.killEngine() : killThere())
      })
      expect(calls).toBe(1)
    })

    it('a turn continues when the link is cut', async () => {
      expect(await survives(async () => place.cut())).toBe(1)
    })

    it('a turn continues through an upgrade of its engine to another version', async () => {
      const calls = await survives(async (goOn) => {
        const { pid } = required(await statusOf(place.home), 'an engine')
        expect(await statusOf(place.home)).toMatchObject({ version: place.app.version })
        place.app.upgrade()
        // The turn is handed over to the next engine when the running step ends.
        const stopping = place.placeId === undefined && stopEngine(place.home, 'hand-over', true)
        goOn()
        await stopping
        if (place.placeId !== undefined) await link.client.place.update({ placeId: place.placeId })
        await expect
          .poll(async () => (await statusOf(place.home))?.pid ?? pid, { timeout: LONG_MS, interval: 50 })
          .not.toBe(pid)
        expect(await statusOf(place.home)).toMatchObject({ version: place.app.version })
      })
      expect(calls).toBe(1)
    })

    it('a turn continues when the app there takes the role of the engine, and hands it off again', async () => {
      const calls = await survives(async (goOn) => {
        const log = (): void => {}
        const opening = openDesktopEngine({
          home: place.home,
          version,
          log,
          start: place.placeId === undefined ? lab.startEngine : () => Promise.resolve(),
          open: (keepsTurns) =>
            createEngine({ version, home: place.home, interactive: true, keepsTurns, watch: false, log }),
        })
        await expect
          .poll(async () => (await statusOf(place.home))?.holder, { timeout: LONG_MS, interval: 50 })
          .toBe('desktop')
        const asked = lab.server.requests.length
        goOn()
        const app = await opening
        await until(() => lab.server.requests.length > asked, 'a step in the app', LONG_MS)
        const leaving = app.leave?.({ resident: true, limitMs: LONG_MS })
        goOn()
        await leaving
        await expect
          .poll(async () => (await statusOf(place.home))?.holder, { timeout: LONG_MS, interval: 50 })
          .toBe('engine')
      })
      expect(calls).toBe(1)
    })
  })
}

/** The first port on which a task listens. */
async function portOf({ client }: EngineLink, taskId: string): Promise<number> {
  const controller = new AbortController()
  try {
    for await (const push of await client.push.usage(undefined, { signal: controller.signal })) {
      const port = push.usage.find((one) => one.taskId === taskId)?.ports[0]?.port
      if (port !== undefined) return port
    }
  } finally {
    controller.abort()
  }
  throw new Error('missing: a port')
}

/** The engine of a home on this disk, for another of its clients. */
async function statusOf(home: string): Promise<EngineStatus | undefined> {
  const found = await findEngine({ home, version }).catch(() => undefined)
  if (!found) return undefined
  const wire = connectWire(found.socket)
  try {
    return (await wire.client.engine.status()) ?? undefined
  } catch {
    return undefined
  } finally {
    wire.close()
  }
}

/** Ends it; resolves when it has exited. */
async function stopEngine(home: string, how: EngineStop, restart = false): Promise<void> {
  const status = await statusOf(home)
  const found = status && (await findEngine({ home, version }))
  if (!found) return
  const wire = connectWire(found.socket)
  // It may exit before its answer arrives.
  await wire.client.engine.stop({ how, restart }).catch((error: unknown) => {
    if (failureOf(error).code !== 'connection.lost') throw error
  })
  await wire.closed
  if (!restart) await until(() => !lives(status.pid), 'the end of the engine', LONG_MS)
}
