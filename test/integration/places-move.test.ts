import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRouter, directClient } from '../../src/main/api/server/router'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { TrestleClient } from '../../src/shared/contract'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { SessionPush } from '../../src/shared/events/push'
import type { MovedIn, MoveProgress } from '../../src/shared/model/place/move'
import { pathInPlace } from '../../src/shared/model/place/place-folder'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { hasSlurm, startSlurmLab, type SlurmLab } from '../support/place/slurm-lab'
import { hasSshd, startSshLab, type SshLab } from '../support/place/ssh-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { rejection, required } from '../support/required'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { treeOf } from '../support/scratch-tree'
import { until } from '../support/until'

/** Moves between places; with TRESTLE_TESTS=all, as many as the product promises. */
const MOVES = RUNS_ALL ? 100 : hasSlurm ? 3 : 2
const PLACE = 'lab'
const CLUSTER = 'cluster'
const say = (text: string) => [{ type: 'text' as const, text }]

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    encoding: 'utf8',
  }).trim()
/** Every file of a project outside git's own folder, with its content. */
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(treeOf(folder)).filter(([path, what]) => !path.startsWith('.git/') && !what.startsWith('folder')),
  )

describe.skipIf(!hasSshd)('a session that moves between this machine, one behind ssh and a job of a cluster', () => {
  let lab: SshLab
  let scratch: Scratch
  let server: ModelServer
  let engine: Engine
  let client: TrestleClient
  let written = 0
  let slurm: SlurmLab | undefined
  let user: string
  const there = () => join(lab.home, 'app')

  beforeAll(async () => {
    lab = await startSshLab()
    scratch = createScratch({ 'README.md': '# A project\n', 'src/a.ts': 'export const a = 1\n' })
    server = await startModelServer({
      script: ({ body }) => {
        const messages = body['messages'] as { role: string }[]
        if (messages.at(-1)?.role === 'tool') return { text: 'Wrote it.' }
        written += 1
        const path = `written-${written}.txt`
        return { toolCalls: [{ name: 'Write', input: { path, content: `text ${written}\n` } }] }
      },
    })
    writeConfig(scratch.home, configFor(server.baseUrl, { more: 'default_permission_mode = "auto"' }))
    mkdirSync(join(lab.home, '.trestle'), { mode: 0o700 })
    writeFileSync(join(lab.home, '.trestle', 'config.toml'), 'default_permission_mode = "auto"\n', { mode: 0o600 })
    git(scratch.project, 'init', '-q', '-b', 'main')
    git(scratch.project, 'add', '.')
    git(scratch.project, 'commit', '-qm', 'Begin')
    engine = await createEngine({
      version: '0.1.0',
      home: scratch.home,
      interactive: true,
      places: { timing: { backoff: [50, 500] } },
      log: () => undefined,
    })
    if (hasSlurm) {
      slurm = await startSlurmLab()
      user = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-move-user-'))
      for (const [name, value] of Object.entries({ ...slurm.env, HOME: user })) vi.stubEnv(name, value)
    }
    client = directClient(
      createRouter({
        engine,
        host: { kind: 'web', chooseFolder: async () => null, openExternal: async () => false },
        logBug(message, error) {
          throw new Error(message, { cause: error })
        },
      }),
    )
    const launch = { kind: 'ssh' as const, host: 'lab', configFile: lab.configFile }
    await client.place.add({ placeId: PLACE, launch, program: lab.program })
    await client.place.connect({ placeId: PLACE })
    if (!slurm) return
    const job = { kind: 'slurm' as const, cpus: 1, time: '240', memory: '500M', partition: 'work' }
    await client.place.add({ placeId: CLUSTER, launch: job, program: lab.program })
    const home = join(user, '.trestle-places', CLUSTER)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(join(home, 'config.toml'), 'default_permission_mode = "auto"\n', { mode: 0o600 })
    await client.place.connect({ placeId: CLUSTER })
  })
  afterAll(async () => {
    if (slurm) {
      await client.place.disconnect({ placeId: CLUSTER })
      await until(
        () => slurm?.run('squeue', '-h', '--states=PENDING,RUNNING').trim() === '',
        'the end of the job',
        60_000,
      )
      await slurm.close()
      rmSync(user, { recursive: true, force: true })
      vi.unstubAllEnvs()
    }
    // First, or the lost connection starts the engine there again.
    await client.place.disconnect({ placeId: PLACE })
    await client.place.run({ placeId: PLACE, command: `${lab.program} engine stop` })
    await client.place.disconnect({ placeId: PLACE })
    await engine.close()
    await server.close()
    await lab.close()
    scratch.remove()
  })

  const move = async (sessionId: string, to: string | null, folder?: string): Promise<MovedIn> => {
    let last: MoveProgress | undefined
    const told: string[] = []
    for await (const push of await client.place.move({ sessionId, to, ...(folder !== undefined && { folder }) })) {
      last = push
      if (push.type === 'step') told.push(push.step)
    }
    expect([...new Set(told)]).toEqual(['connect', 'seal', 'receive'])
    return required(last?.type === 'done' ? last.moved : undefined, 'what was received')
  }
  const turn = async (sessionId: string, text: string): Promise<void> => {
    const { header } = await client.session.open({ sessionId, limit: 1 })
    const done = (async () => {
      for await (const push of (await client.push.session({
        sessionId,
        since: header.seq,
      })) as AsyncIterable<SessionPush>)
        if (push.type === 'events' && push.events.some(({ type }) => type === 'turn.finished')) return
    })()
    await client.session.prompt({ sessionId, parts: say(text) })
    await done
  }
  const eventsOf = async (sessionId: string): Promise<RecordedEvent[]> =>
    (await client.session.open({ sessionId, limit: 5000 })).events
  const begin = async (): Promise<string> => {
    const { sessionId } = await client.session.create({ folder: scratch.project, mode: 'auto' })
    await turn(sessionId, 'Write a file')
    return sessionId
  }

  it('is followed there without a gap, is sealed here, and continues there', async () => {
    const sessionId = await begin()
    const seen: RecordedEvent[] = []
    const controller = new AbortController()
    const follow = (async () => {
      // Like clients, which subscribe again after a lost connection.
      while (!controller.signal.aborted)
        try {
          const since = seen.at(-1)?.seq ?? 0
          for await (const push of await client.push.session({ sessionId, since }, { signal: controller.signal }))
            if (push.type === 'events')
              seen.push(...push.events.filter((event): event is RecordedEvent => 'seq' in event))
        } catch (error) {
          if (!controller.signal.aborted && failureFrom(error).code !== 'connection.lost') throw error
        }
    })().catch(() => undefined)
    const moved = await move(sessionId, PLACE, '~/app')
    expect(pathInPlace(moved.folder)).toBe(there())
    expect(filesOf(there())).toEqual(filesOf(scratch.project))
    expect(engine.sessions.header(sessionId).sealed).toMatchObject({ place: PLACE })
    await until(() => seen.some(({ type }) => type === 'session.received'), 'the move in the followed log')
    await turn(sessionId, 'Write another there')
    const events = await eventsOf(sessionId)
    await until(() => seen.length === events.length, 'every event')
    expect(seen.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1))
    controller.abort()
    await follow
    // It is in the list once, where it continues.
    await expect
      .poll(async () => (await client.session.list({})).filter((one) => one.sessionId === sessionId))
      .toMatchObject([{ place: PLACE }])
    const newest = `written-${written}.txt`
    expect([existsSync(join(there(), newest)), existsSync(join(scratch.project, newest))]).toEqual([true, false])

    // Changes made here before the move are undone there.
    const points = await client.checkpoint.points({ sessionId })
    const to = required(points[0], 'a point').seq - 1
    await client.checkpoint.restore({ sessionId, to, files: true, conversation: false })
    expect(readdirSync(there()).filter((name) => name.startsWith('written-'))).toEqual([])
    await move(sessionId, null)
    expect(engine.sessions.header(sessionId).sealed).toBeUndefined()
    expect(readdirSync(scratch.project).filter((name) => name.startsWith('written-'))).toEqual([])
    await client.place.run({ placeId: PLACE, command: 'rm -rf ~/app' })
    await client.session.remove({ sessionId })
  })

  it(
    `has equal hashes of history and files after ${MOVES} moves from place to place with edits in between`,
    { timeout: 60_000 + MOVES * 30_000 },
    async () => {
      const sessionId = await begin()
      const circle = [null, PLACE, ...(slurm ? [CLUSTER] : [])]
      const folderOf = (place: string | null): string =>
        place === null ? scratch.project : place === PLACE ? there() : join(user, 'app')
      for (let n = 1; n <= MOVES; n += 1) {
        const [from, to] = [circle[(n - 1) % circle.length] ?? null, circle[n % circle.length] ?? null]
        writeFileSync(join(folderOf(from), `by-hand-${n % 5}.txt`), `edit ${n}\n`)
        if (n % 3 === 0) git(folderOf(from), 'add', '-A')
        if (n % 4 === 0) git(folderOf(from), 'commit', '-qam', `Commit ${n}`)
        const before = await eventsOf(sessionId)
        const { head } = await client.history.verify({ sessionId })
        const files = filesOf(folderOf(from))
        const status = git(folderOf(from), 'status', '--porcelain')
        const moved = await move(sessionId, to, n < circle.length ? '~/app' : undefined)
        expect(moved.epoch).toBe(n + 1)
        const after = await eventsOf(sessionId)
        expect(after.slice(0, before.length)).toEqual(before)
        expect(await client.history.verify({ sessionId, expect: head })).toMatchObject({
          ok: true,
          expectedAt: before.length,
        })
        expect(filesOf(folderOf(to))).toEqual(files)
        expect(git(folderOf(to), 'status', '--porcelain')).toBe(status)
        await turn(sessionId, `Write file ${n}`)
      }
    },
  )

  it('reports the problem and continues at the source if it cannot be received', async () => {
    const sessionId = await begin()
    const taken = join(lab.home, 'taken')
    mkdirSync(taken)
    writeFileSync(join(taken, 'other.txt'), 'not of this project\n')
    const failure = failureFrom(await rejection(move(sessionId, PLACE, taken)))
    expect(failure.code).toMatch(/^move\.|request\.invalid/)
    expect(engine.sessions.header(sessionId).sealed).toBeUndefined()
    await turn(sessionId, 'It still works here')
    expect(readFileSync(join(taken, 'other.txt'), 'utf8')).toBe('not of this project\n')
    expect(readdirSync(join(lab.home, '.trestle-server', 'moves'))).toEqual([])
    expect(readdirSync(join(scratch.home, 'moves')).filter((name) => name.startsWith('on-its-way'))).toEqual([])
  })

  it('is active in exactly one place when the connection is lost at any step, and moves when asked again', async () => {
    const sessionId = await begin()
    await lab.stop()
    lab.cut()
    await client.place.disconnect({ placeId: PLACE })
    expect(failureFrom(await rejection(move(sessionId, PLACE, '~/again')))).toMatchObject({ code: 'place.unreachable' })
    expect(engine.sessions.header(sessionId).sealed).toBeUndefined()
    await lab.start()
    const attempt = async (): Promise<void> => {
      await client.place.connect({ placeId: PLACE })
      for await (const push of await client.place.move({ sessionId, to: PLACE, folder: '~/again' }))
        if (push.type === 'step' && push.step === 'receive' && push.text === undefined && cuts++ === 0) lab.cut()
    }
    let cuts = 0
    // Either it was received, or it continues here and can be moved again.
    await attempt().catch(() => undefined)
    if (engine.sessions.header(sessionId).sealed === undefined) await attempt()
    await expect
      .poll(async () => (await client.session.open({ sessionId, limit: 1 })).header.folder)
      .toBe(`place://${PLACE}${join(lab.home, 'again')}`)
    await turn(sessionId, 'It works there')
    expect(engine.sessions.header(sessionId).sealed).toMatchObject({ place: PLACE })
  })

  it('refuses to move to its current place, and to move an unknown session', async () => {
    const sessionId = await begin()
    expect(failureFrom(await rejection(move(sessionId, null)))).toMatchObject({ code: 'request.invalid' })
    expect(failureFrom(await rejection(move('session-unknown', PLACE)))).toMatchObject({ code: 'session.not_found' })
  })
})
