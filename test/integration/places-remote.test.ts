import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRouter, directClient } from '../../src/main/api/server/router'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { TrestleClient } from '../../src/shared/contract'
import type { RecordedEvent, SessionEvent } from '../../src/shared/events/event'
import type { AppPush, SessionPush } from '../../src/shared/events/push'
import { pathInPlace } from '../../src/shared/model/place/place-folder'
import { taskHostProgram } from '../../src/main/engine/task/client/task-host-program'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { hasSshd, startSshLab, type SshLab } from '../support/place/ssh-lab'
import type { ModelScript } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { rejection, required } from '../support/required'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { RUNS_ALL } from '../support/sampled'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

const PLACE = 'lab'
const say = (text: string) => [{ type: 'text' as const, text }]

describe.skipIf(!hasSshd)('sessions on a machine behind ssh', () => {
  let lab: SshLab
  let scratch: Scratch
  let server: ModelServer
  let script: ModelScript = []
  let engine: Engine
  let client: TrestleClient
  let folder: string
  let app: AppPush[]
  let stopFollowing: () => void

  const start = async (): Promise<void> => {
    engine = await createEngine({
      version: '0.1.0',
      home: scratch.home,
      interactive: true,
      taskHost: taskHostProgram(),
      places: { timing: { backoff: [50, 500], pingAfter: 1000, deadAfter: 10_000 } },
      log: () => undefined,
    })
    client = directClient(
      createRouter({
        engine,
        host: { kind: 'web', chooseFolder: async () => null, openExternal: async () => false },
        logBug(message, error) {
          throw new Error(message, { cause: error })
        },
      }),
    )
  }
  const follow = async (): Promise<void> => {
    app = []
    const controller = new AbortController()
    const pushes = await client.push.app(undefined, { signal: controller.signal })
    void (async () => {
      for await (const push of pushes) app.push(push)
    })().catch(() => undefined)
    stopFollowing = () => controller.abort()
  }
  beforeAll(async () => {
    lab = await startSshLab()
    scratch = createScratch({})
    server = await startModelServer({
      script: (request, index) => (typeof script === 'function' ? script(request, index) : script[step++]),
    })
    writeConfig(scratch.home, configFor(server.baseUrl))
    folder = join(lab.home, 'app')
    mkdirSync(folder)
    await start()
    const launch = { kind: 'ssh' as const, host: 'lab', configFile: lab.configFile }
    await client.place.add({ placeId: PLACE, launch, program: lab.program })
    await client.place.connect({ placeId: PLACE })
    await follow()
  }, 240_000)
  let step = 0
  const play = (next: ModelScript): void => {
    script = next
    step = 0
  }
  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'notes.md'), 'one\ntwo\n')
  })
  afterAll(async () => {
    stopFollowing()
    // First, or the lost connection starts the engine there again.
    await client.place.disconnect({ placeId: PLACE })
    await client.place.run({ placeId: PLACE, command: `${lab.program} engine stop` })
    await client.place.disconnect({ placeId: PLACE })
    await engine.close()
    await server.close()
    await lab.close()
    scratch.remove()
  })

  /** A session there, subscribed to from the start. */
  const begin = async () => {
    const header = await client.session.create({ folder: `place://${PLACE}${folder}` })
    const { sessionId } = header
    const events: SessionEvent[] = []
    const controller = new AbortController()
    const pushes = await client.push.session({ sessionId, since: 0 }, { signal: controller.signal })
    const done = (async () => {
      for await (const push of pushes as AsyncIterable<SessionPush>)
        if (push.type === 'events') events.push(...push.events)
    })().catch(() => undefined)
    const recorded = (): RecordedEvent[] => events.filter((event): event is RecordedEvent => 'seq' in event)
    const types = (): string[] => recorded().map(({ type }) => type)
    return {
      header,
      sessionId,
      events,
      recorded,
      types,
      finished: (count = 1) =>
        until(() => types().filter((type) => type === 'turn.finished').length >= count, `turn ${count}`),
      happened: (type: string, count = 1) =>
        until(() => types().filter((each) => each === type).length >= count, `${type} ${count}`),
      async end() {
        controller.abort()
        await done
      },
      /** Every event once and in order. */
      isWhole() {
        expect(recorded().map(({ seq }) => seq)).toEqual(recorded().map((_event, index) => index + 1))
      },
    }
  }

  it('answers a prompt there with a model that is asked from here', async () => {
    play([{ text: 'Hello from afar.' }])
    const session = await begin()
    expect(session.header.folder).toBe(`place://${PLACE}${folder}`)
    await client.session.prompt({ sessionId: session.sessionId, parts: say('hi') })
    await session.finished()
    expect(JSON.stringify(session.recorded())).toContain('Hello from afar.')
    expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer test-key-of-the-config')
    // The key is nowhere on the place.
    expect(spawnSync('grep', ['-r', 'test-key-of-the-config', lab.home]).status).toBe(1)
    await until(
      () =>
        app.some((push) => push.type === 'sessions' && push.changed.some((one) => one.sessionId === session.sessionId)),
      'the session in the list',
    )
    session.isWhole()
    await session.end()
  })

  it('asks here before it changes a file there, and changes it after the answer', async () => {
    play([
      { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
      { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'zwei' } }] },
      { text: 'done' },
    ])
    const session = await begin()
    const { sessionId } = session
    await client.session.prompt({ sessionId, parts: say('translate') })
    await session.happened('approval.requested')
    await until(
      () => app.some((push) => push.type === 'inbox' && push.entries.some((one) => one.sessionId === sessionId)),
      'the inbox',
    )
    const [entry] = (await client.approval.list()).filter((one) => one.sessionId === sessionId)
    const { approvalId, place } = required(entry, 'a request')
    expect(place).toBe(PLACE)
    expect(await client.approval.get({ sessionId, approvalId })).toMatchObject({ preview: { kind: 'diff' } })
    await client.approval.reply({ sessionId, approvalId, optionId: 'allow_once' })
    await session.finished()
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('one\nzwei\n')

    const [point] = await client.checkpoint.points({ sessionId })
    await client.checkpoint.restore({
      sessionId,
      to: required(point, 'a point').seq - 1,
      files: true,
      conversation: true,
    })
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('one\ntwo\n')
    await session.end()
  })

  it('lists folders, files and changes there', async () => {
    const listing = await client.folder.list({ path: `place://${PLACE}/~` })
    expect(pathInPlace(listing.path)).toBe(lab.home)
    expect(listing.folders.map(({ path }) => path)).toContain(`place://${PLACE}${folder}`)
    const session = await begin()
    const { sessionId } = session
    expect(await client.file.read({ sessionId, path: 'notes.md' })).toMatchObject({ lines: ['one', 'two'] })
    expect(await client.skill.list({ folder: session.header.folder })).toMatchObject({ skills: expect.any(Array) })
    // Files of a place are not opened on this machine.
    expect(await client.file.open({ sessionId, path: 'notes.md', with: 'editor' })).toBe(false)
    await session.end()
  })

  it('shows background tasks there with those here, and stops them there', async () => {
    play([
      { toolCalls: [{ name: 'Bash', input: { command: 'sleep 300', run_in_background: true, description: 'wait' } }] },
      { text: 'started' },
    ])
    const session = await begin()
    const { sessionId } = session
    await client.session.change({ sessionId, mode: 'auto' })
    await client.session.prompt({ sessionId, parts: say('wait') })
    await session.finished()
    const isOurs = (task: { sessionId?: string; status: string }): boolean => task.sessionId === sessionId
    await until(() => app.some((push) => push.type === 'tasks' && push.changed.some(isOurs)), 'the task')
    const task = required((await client.task.list({ activeOnly: true })).find(isOurs), 'a task')
    expect(task.place).toBe(PLACE)
    play([{ text: 'it was stopped' }])
    expect(await client.task.stop({ taskId: task.taskId })).toMatchObject({ status: 'stopped' })
    // The agent there is notified.
    await session.finished(2)
    await session.end()
  })

  it('asks questions and reviews plans here', async () => {
    play([
      {
        toolCalls: [
          {
            name: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which one?',
                  header: 'Choice',
                  options: [
                    { label: 'A', description: 'a' },
                    { label: 'B', description: 'b' },
                  ],
                },
              ],
            },
          },
        ],
      },
      { text: 'B it is' },
    ])
    const session = await begin()
    const { sessionId } = session
    await client.session.prompt({ sessionId, parts: say('ask me') })
    await session.happened('approval.requested')
    const { header } = await client.session.open({ sessionId })
    const [approval] = header.approvals
    expect(approval?.asks).toBe('questions')
    await client.approval.reply({
      sessionId,
      approvalId: required(approval, 'a question').approvalId,
      optionId: 'answer',
      answers: [{ labels: ['B'] }],
    })
    await session.finished()
    expect((await client.plan.enter({ sessionId })).plan?.active).toBe(true)
    expect((await client.plan.leave({ sessionId })).plan?.active ?? false).toBe(false)
    await session.end()
  })

  const place = async () =>
    required(
      (await client.place.list()).find(({ placeId }) => placeId === PLACE),
      'the place',
    )
  /** Resolves when the place has a different connection from the one at `since`. */
  const connectedAgain = async (since: number): Promise<void> => {
    const from = app.length
    for (let seen = from; ;) {
      const { state, since: now } = await place()
      if (state === 'connected' && now > since) return
      await until(() => app.slice(seen).some(({ type }) => type === 'places'), 'a change of the place')
      seen = app.length
    }
  }

  it.each([
    ['ssh is killed', () => process.kill(required(localSsh().at(-1), 'an ssh process'), 'SIGKILL')],
    ['the network is cut', () => lab.cut()],
    ['the network falls silent', () => lab.blackHole(true)],
  ])('loses and repeats no event when %s during a turn', async (_how, disturb) => {
    play(() => ({ text: 'word '.repeat(30), faults: { eventDelayMs: 10 } }))
    const session = await begin()
    const { sessionId } = session
    await client.session.prompt({ sessionId, parts: say('go') })
    await session.happened('turn.started')
    const { since } = await place()
    const from = app.length
    disturb()
    await until(() => app.slice(from).some(({ type }) => type === 'places'), 'the loss')
    lab.blackHole(false)
    await connectedAgain(since)
    await session.finished()
    session.isWhole()
    expect(session.recorded().at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn' })
    play([{ text: 'again' }])
    await client.session.prompt({ sessionId, parts: say('once more') })
    await until(() => JSON.stringify(session.recorded()).includes('"again"'), 'the next answer')
    session.isWhole()
    await session.end()
  })

  it('continues turns across cuts at random moments, and answers each approval once', async () => {
    const cuts = RUNS_ALL ? 1000 : 8
    const random = seeded(17)
    const session = await begin()
    const { sessionId } = session
    play(({ body }) => {
      const messages = body['messages'] as { role: string }[]
      const asked = messages.filter(({ role }) => role === 'user').length
      const slowly = { faults: { eventDelayMs: 3 }, deltaChars: 10 }
      if (messages.at(-1)?.role === 'tool') return { text: 'word '.repeat(20), ...slowly }
      const input = { path: `cuts/${asked}.txt`, content: `${asked}\n` }
      return { text: 'word '.repeat(10), toolCalls: [{ name: 'Write', input }], ...slowly }
    })
    for (let cut = 1; cut <= cuts; cut += 1) {
      if (cut % 4 === 0) lab.delay(Math.ceil(random() * 20))
      await client.session.prompt({ sessionId, parts: say(`turn ${cut}`) })
      const { since } = await place()
      const seen = session.events.length + Math.floor(random() * 12)
      const over = session.types().filter((type) => type === 'approval.requested').length + 1
      await until(
        () =>
          session.events.length >= seen ||
          session.types().filter((type) => type === 'approval.requested').length >= over,
        'a moment',
      )
      // A silent network is detected only after a while; it stays silent for a minute.
      if (cut % 250 === 125) {
        lab.blackHole(true)
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        lab.blackHole(false)
      } else if (random() < 0.5) lab.cut()
      else for (const pid of localSsh()) process.kill(pid, 'SIGKILL')
      lab.delay(0)
      await connectedAgain(since)
      await session.happened('approval.requested', cut)
      const { header } = await client.session.open({ sessionId })
      const { approvalId } = required(header.approvals[0], `the request of turn ${cut}`)
      const reply = client.approval.reply({ sessionId, approvalId, optionId: 'allow_once' })
      // The answer itself is cut off, too.
      if (cut % 3 === 0) lab.cut()
      await reply
      await session.finished(cut)
    }
    session.isWhole()
    const ends = session.recorded().filter((event) => event.type === 'turn.finished')
    expect(ends.map(({ stop }) => stop)).toEqual(Array.from({ length: cuts }, () => 'end_turn'))
    expect(session.types().filter((type) => type === 'approval.resolved')).toHaveLength(cuts)
    expect(readdirSync(join(folder, 'cuts'))).toHaveLength(cuts)
    await session.end()
  }, 7_200_000)

  it('takes less than 2 ms for a call to a place on this machine', async () => {
    const times: number[] = []
    for (let n = 0; n < 201; n += 1) {
      const startedAt = performance.now()
      await client.folder.list({ path: `place://${PLACE}${folder}` })
      times.push(performance.now() - startedAt)
    }
    const median = required(times.toSorted((a, b) => a - b)[100], 'a time')
    expect(median, `${median.toFixed(2)} ms`).toBeLessThan(limitNow(2))
  })

  it('says since when a place is unreachable, keeps its sessions in the list, and reconnects', async () => {
    const before = (await client.session.list({})).length
    const { since } = await place()
    await lab.stop()
    lab.cut()
    await until(() => app.some(({ type }) => type === 'places'), 'the loss')
    const failure = failureFrom(await rejection(call()))
    async function call(): Promise<unknown> {
      for (;;) await client.folder.list({ path: `place://${PLACE}${folder}` })
    }
    expect(failure).toMatchObject({ code: expect.stringMatching(/^place\.unreachable|connection\.lost$/) })
    const { state } = await place()
    expect(['connecting', 'unreachable']).toContain(state)
    expect((await client.session.list({})).length).toBe(before)
    await lab.start()
    await connectedAgain(since)
  })

  /** Our ssh processes. */
  function localSsh(): number[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    return stdout
      .split('\n')
      .filter((line) => line.includes(`-F ${lab.configFile}`) && line.includes(' wire'))
      .map((line) => Number.parseInt(line, 10))
  }
})

/** Random numbers from 0 to 1, reproducible for each seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
