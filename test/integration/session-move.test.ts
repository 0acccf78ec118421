import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { familyPrefix } from '../../src/shared/model/session/agent'
import type { MovedIn } from '../../src/shared/model/place/move'
import { forgeMove } from '../support/forged-move'
import { startModelServer, type ModelServer } from '../support/model-server'
import { rejection } from '../support/required'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { filesOf, treeOf } from '../support/scratch-tree'

/** `SESSION_MOVES=100` for the long run. */
const MOVES = Number(process.env['SESSION_MOVES'] ?? (RUNS_ALL ? 24 : 6))

interface Place {
  scratch: Scratch
  engine: Engine
  address: string
}

let server: ModelServer
let here: Place
let there: Place

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    encoding: 'utf8',
  }).trim()

async function place(files: Record<string, string>): Promise<Place> {
  const scratch = createScratch(files)
  writeConfig(scratch.home, configFor(server.baseUrl, { more: 'default_permission_mode = "auto"' }))
  const engine = await createEngine({ version: '1.2.3', home: scratch.home, watch: false, runsQueue: false })
  return { scratch, engine, address: (await engine.moves.address()).address }
}

beforeEach(async () => {
  const script = Array.from({ length: MOVES + 20 }, (_, n) => [
    { toolCalls: [{ name: 'Write', input: { path: `written-${n}.txt`, content: `text ${n}\n`.repeat(n + 1) } }] },
    { text: `Wrote file ${n}.` },
  ]).flat()
  server = await startModelServer({ script })
  here = await place({ 'README.md': '# A project\n', 'src/a.ts': 'export const a = 1\n' })
  there = await place({})
  git(here.scratch.project, 'init', '-q', '-b', 'main')
  git(here.scratch.project, 'add', '.')
  git(here.scratch.project, 'commit', '-qm', 'Begin')
})
afterEach(async () => {
  await here.engine.close()
  await there.engine.close()
  await server.close()
  here.scratch.remove()
  there.scratch.remove()
})

async function turn(engine: Engine, sessionId: string, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = engine.sessions.listen(sessionId, (event) => {
    if (event.type === 'turn.finished') resolve()
  })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text }])
  await promise
  stop()
}

const bodiesOf = (engine: Engine, sessionId: string, to: number): string =>
  JSON.stringify(engine.sessions.since(sessionId, 0).filter(({ seq }) => seq <= to))

async function started(): Promise<string> {
  const { sessionId } = await here.engine.sessions.create({ folder: here.scratch.project, mode: 'auto' })
  await turn(here.engine, sessionId, 'Write the first file')
  return sessionId
}

async function move(from: Place, to: Place, sessionId: string, name: string, folder?: string): Promise<MovedIn> {
  const file = join(from.scratch.home, '..', name)
  const out = await from.engine.moves.out(sessionId, file, { address: to.address, place: 'the other one' })
  return to.engine.moves.in(file, { head: out.head, ...(folder !== undefined && { folder }) })
}

describe('a session that is moved', () => {
  it('continues at the destination with its history, its project and its changes to undo', async () => {
    const sessionId = await started()
    writeFileSync(join(here.scratch.project, 'src/a.ts'), 'export const a = 2\n')
    git(here.scratch.project, 'add', 'src/a.ts')
    writeFileSync(join(here.scratch.project, 'notes.md'), 'not in git\n')
    const events = here.engine.sessions.since(sessionId, 0)
    const { head } = await here.engine.histories.verify(sessionId)
    const target = join(there.scratch.project, 'app')
    const moved = await move(here, there, sessionId, 'one.trestle-move', target)
    expect(moved).toMatchObject({ sessionId, folder: target, epoch: 2, project: 'written' })

    expect(there.engine.sessions.since(sessionId, 0).slice(0, events.length)).toEqual(events)
    expect(await there.engine.histories.verify(sessionId, head)).toMatchObject({ ok: true, expectedAt: events.length })
    expect(filesOf(target)).toEqual(filesOf(here.scratch.project))
    expect(git(target, 'status', '--porcelain')).toBe(git(here.scratch.project, 'status', '--porcelain'))
    expect(git(target, 'rev-parse', 'HEAD')).toBe(git(here.scratch.project, 'rev-parse', 'HEAD'))

    await turn(there.engine, sessionId, 'Write another')
    const [first] = await there.engine.checkpoints.points(sessionId)
    const undone = await there.engine.checkpoints.restore(sessionId, {
      to: first!.seq - 1,
      files: true,
      conversation: true,
    })
    expect(undone.kept).toEqual([])
    expect(existsSync(join(target, 'written-0.txt'))).toBe(false)
    expect(existsSync(join(target, 'written-1.txt'))).toBe(false)
    expect(existsSync(join(target, 'notes.md'))).toBe(true)
    expect(await there.engine.histories.verify(sessionId)).toMatchObject({ ok: true })
  })

  it('accepts no changes at the source, reports where it is, and can be written again only for the same home', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    const out = await here.engine.moves.out(sessionId, file, { address: there.address, place: 'my server' })
    const { sessions } = here.engine
    expect(sessions.header(sessionId).sealed).toMatchObject({
      to: there.address,
      place: 'my server',
      moveId: out.moveId,
    })
    const before = sessions.header(sessionId).seq
    const refused = [
      () => sessions.prompt(sessionId, [{ type: 'text', text: 'Continue' }]),
      () => sessions.change(sessionId, { title: 'Another' }),
      () => sessions.compact(sessionId),
      () => here.engine.checkpoints.restore(sessionId, { to: 1, files: true, conversation: true }),
    ]
    for (const one of refused) expect(await rejection(one())).toMatchObject({ code: 'session.sealed' })
    expect(sessions.header(sessionId).seq).toBe(before)
    expect(existsSync(join(here.scratch.project, 'written-0.txt'))).toBe(true)

    const again = await here.engine.moves.out(sessionId, `${file}-again`, { address: there.address })
    expect(again).toMatchObject({ moveId: out.moveId, head: out.head })
    expect(readFileSync(`${file}-again`)).toEqual(readFileSync(file))
    expect(await rejection(here.engine.moves.out(sessionId, `${file}-3`, { address: 'home-third' }))).toMatchObject({
      code: 'session.sealed',
    })
    const verified = await here.engine.histories.verify(sessionId)
    expect(verified).toMatchObject({ ok: true, head: out.head })
  })

  it('is received once, by the home it is sealed for, and not after that home has refused it', async () => {
    const sessionId = await started()
    const target = join(there.scratch.project, 'app')
    const file = join(here.scratch.home, '..', 'one')
    const out = await here.engine.moves.out(sessionId, file, { address: there.address })
    expect(await rejection(here.engine.moves.in(file))).toMatchObject({ code: 'move.elsewhere' })
    expect(await rejection(there.engine.moves.in(file))).toMatchObject({ code: 'request.invalid' })
    await there.engine.moves.in(file, { folder: target })
    expect(await rejection(there.engine.moves.in(file, { folder: target }))).toMatchObject({ code: 'move.repeated' })
    expect(await rejection(there.engine.moves.refuse(out.moveId))).toMatchObject({ code: 'move.repeated' })
    await there.engine.sessions.remove(sessionId)
    expect(await rejection(there.engine.moves.in(file, { folder: target }))).toMatchObject({ code: 'move.repeated' })
  })

  it('continues at the source when the destination has refused it and the user removes the seal', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    const { moveId } = await here.engine.moves.out(sessionId, file, { address: there.address })
    expect(await rejection(here.engine.moves.cancel(sessionId, 'move-other'))).toMatchObject({
      code: 'request.invalid',
    })
    await there.engine.moves.refuse(moveId)
    const header = await here.engine.moves.cancel(sessionId, moveId)
    expect(header.sealed).toBeUndefined()
    await turn(here.engine, sessionId, 'Continue here')
    expect(await rejection(there.engine.moves.in(file, { folder: there.scratch.project }))).toMatchObject({
      code: 'move.repeated',
    })
    expect(await here.engine.histories.verify(sessionId)).toMatchObject({ ok: true })
  })

  it('is sealed again when the process ended before its file was complete', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    const first = await here.engine.moves.out(sessionId, file, { address: there.address })
    // The state after a kill between the seal and the file.
    rmSync(file)
    const kept = join(here.scratch.home, 'moves', `${first.moveId}.trestle-move`)
    renameSync(kept, kept.replace('.trestle-move', '.part'))
    const second = await here.engine.moves.out(sessionId, file, { address: there.address })
    expect(second.moveId).not.toBe(first.moveId)
    expect(
      here.engine.sessions
        .since(sessionId, 0)
        .slice(-3)
        .map(({ type }) => type),
    ).toEqual(['session.sealed', 'session.unsealed', 'session.sealed'])
    await there.engine.moves.in(file, { folder: join(there.scratch.project, 'app'), head: second.head })
    expect(await there.engine.histories.verify(sessionId, first.head)).toMatchObject({ ok: true })
  })

  it('continues at the source when the file could not be written, and can be moved in another way', async () => {
    const sessionId = await started()
    const blocked = join(here.scratch.project, 'README.md', 'one')
    await rejection(here.engine.moves.out(sessionId, blocked, { address: there.address }))
    expect(here.engine.sessions.header(sessionId).sealed).toBeUndefined()
    expect(readdirSync(join(here.scratch.home, 'moves'))).toEqual([])
    const file = join(here.scratch.home, '..', 'one')
    const { head } = await here.engine.moves.out(sessionId, file, { address: there.address })
    expect(readdirSync(join(here.scratch.home, '..')).filter((name) => name.endsWith('.part'))).toEqual([])
    await there.engine.moves.in(file, { folder: join(there.scratch.project, 'app'), head })
    expect(await there.engine.histories.verify(sessionId, head)).toMatchObject({ ok: true })
  })

  it('removes leftovers of a process that ended during a move long ago', async () => {
    const sessionId = await started()
    const moves = join(here.scratch.home, 'moves')
    mkdirSync(moves)
    const [old, young] = [
      ['move-1.part', 'move-1.bundle', 'in-0123.bundle', 'on-its-way-0123', 'notes.txt'],
      ['move-2.part', 'on-its-way-4567'],
    ]
    for (const name of [...old, ...young]) writeFileSync(join(moves, name), 'half')
    for (const name of old) utimesSync(join(moves, name), 1_000_000_000, 1_000_000_000)
    const file = join(here.scratch.home, '..', 'one')
    const { moveId } = await here.engine.moves.out(sessionId, file, { address: there.address })
    expect(readdirSync(moves).toSorted()).toEqual([...young, 'notes.txt', `${moveId}.trestle-move`].toSorted())
  })

  it('stays sealed when its file is lost, until the user removes the seal', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    const { moveId } = await here.engine.moves.out(sessionId, file, { address: there.address })
    rmSync(join(here.scratch.home, 'moves', `${moveId}.trestle-move`))
    expect(await rejection(here.engine.moves.out(sessionId, `${file}-2`, { address: there.address }))).toMatchObject({
      code: 'session.sealed',
    })
    expect((await here.engine.moves.cancel(sessionId, moveId)).sealed).toBeUndefined()
  })

  it('leaves no file in the home once the session is deleted', async () => {
    const sessionId = await started()
    const other = await started()
    const file = join(here.scratch.home, '..', 'one')
    const { moveId } = await here.engine.moves.out(sessionId, file, { address: there.address })
    await here.engine.sessions.remove(sessionId)
    const second = await here.engine.moves.out(other, `${file}-2`, { address: there.address })
    expect(readdirSync(join(here.scratch.home, 'moves'))).toEqual([`${second.moveId}.trestle-move`])
    expect(second.moveId).not.toBe(moveId)
  })

  it('is refused when the hash of its last event is not the one that was noted', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    await here.engine.moves.out(sessionId, file, { address: there.address })
    const options = { folder: join(there.scratch.project, 'app'), head: 'a'.repeat(64) }
    expect(await rejection(there.engine.moves.in(file, options))).toMatchObject({ code: 'move.damaged' })
  })

  it('brings no permissions along', async () => {
    const { sessionId } = await here.engine.sessions.create({
      folder: here.scratch.project,
      mode: 'auto',
      addedFolders: [here.scratch.home],
    })
    writeConfig(there.scratch.home, configFor(server.baseUrl))
    await there.engine.close()
    there.engine = await createEngine({ version: '1.2.3', home: there.scratch.home, watch: false, runsQueue: false })
    await move(here, there, sessionId, 'one', join(there.scratch.project, 'app'))
    expect(there.engine.sessions.header(sessionId)).toMatchObject({ mode: 'ask', addedFolders: [] })
  })

  it('brings along no permissions of subagents and no pending work', async () => {
    const sessionId = await started()
    const [file, forged] = ['one', 'two'].map((name) => join(here.scratch.home, '..', name))
    await here.engine.moves.out(sessionId, file!, { address: there.address })
    const agentId = `${familyPrefix(sessionId)}0001`
    const start = {
      parentId: sessionId,
      rootId: sessionId,
      depth: 1,
      callId: 'c',
      agentType: 'general',
      description: 'A',
      background: false,
      readOnly: false,
    }
    const option = { optionId: 'allow_once', label: 'Reject', kind: 'allow_once' }
    const approval = { approvalId: 'a', turnId: 't', callId: 'c', tool: 'Bash', summary: 'ls', options: [option] }
    forgeMove(file!, forged!, {
      events: [
        { type: 'turn.started', turnId: 't', promptId: 'p', parts: [], model: 'm' },
        { type: 'approval.requested', approval },
      ],
      agents: [
        {
          sessionId: agentId,
          events: [
            { type: 'session.created', folder: '/', title: 'A', mode: 'auto', addedFolders: ['/'] },
            { type: 'agent.started', ...start },
            { type: 'rules.allowed', patterns: ['Bash(rm *)'], agentId },
            { type: 'sandbox.allowed', denied: { kind: 'path', path: '/', access: 'write' } },
            { type: 'approval.resolved', approvalId: 'b', callId: 'c', outcome: 'allow_always', remembered: 'edit:/' },
            { type: 'agent.ended', status: 'completed', answerBytes: 0 },
          ],
        },
      ],
    })
    const { folder } = await there.engine.moves.in(forged!, { folder: join(there.scratch.project, 'app') })
    const { rules, sandboxAllowed, ...agent } = there.engine.sessions.header(agentId)
    expect({ rules, sandboxAllowed }).toEqual({ rules: undefined, sandboxAllowed: undefined })
    expect(agent).toMatchObject({ folder, addedFolders: [], allowed: [] })
    const { turnId, approvals } = there.engine.sessions.header(sessionId)
    expect({ turnId, approvals }).toEqual({ turnId: undefined, approvals: [] })
    expect(there.engine.inbox.list()).toEqual([])
  })

  it('is refused if its folder is a link in the project', async () => {
    const sessionId = await started()
    symlinkSync(there.scratch.home, join(here.scratch.project, 'link'))
    const [file, forged] = ['one', 'two'].map((name) => join(here.scratch.home, '..', name))
    await here.engine.moves.out(sessionId, file!, { address: there.address })
    forgeMove(file!, forged!, { folder: 'link' })
    const error = await rejection(there.engine.moves.in(forged!, { folder: join(there.scratch.project, 'app') }))
    expect(error).toMatchObject({ code: 'move.damaged' })
    expect(there.engine.sessions.list({})).toEqual([])
  })

  it('undoes nothing outside the project that was recorded elsewhere, nor in git', async () => {
    const sessionId = await started()
    const [file, forged] = ['one', 'two'].map((name) => join(here.scratch.home, '..', name))
    await here.engine.moves.out(sessionId, file!, { address: there.address })
    const target = join(there.scratch.project, 'app')
    const planted = Buffer.from('#!/bin/sh\ntouch planted\n')
    const before = {
      kind: 'file',
      hash: createHash('sha256').update(planted).digest('hex'),
      size: planted.length,
      mode: 0o755,
    }
    const home = (name: string): string => join(here.scratch.home, name)
    const paths = [
      join(there.scratch.project, '.profile'),
      join(there.scratch.home, 'planted.toml'),
      home('mcp.json'),
      home(`sessions/${sessionId}/checkpoints/x`),
      join(here.scratch.project, '.git/hooks/post-checkout'),
      join(target, '.GIT/hooks/post-merge'),
      join(here.scratch.project, 'deleted.txt'),
    ]
    const changes = paths.map((path) => ({ path, before, after: { kind: 'absent' } }))
    const changed = { type: 'checkpoint.changed', turnId: 't', callId: 'c', changes, count: changes.length }
    const agentId = `${familyPrefix(sessionId)}0001`
    const start = { parentId: sessionId, rootId: sessionId, depth: 1, callId: 'c', agentType: 'general' }
    const late = { ...changed, changes: changes.map((change) => ({ ...change, path: `${change.path}-2` })) }
    forgeMove(file!, forged!, {
      events: [changed],
      contents: [planted],
      agents: [
        {
          sessionId: agentId,
          events: [
            { type: 'session.created', folder: '/', title: 'A', mode: 'auto', addedFolders: [] },
            { type: 'agent.started', ...start, description: 'A', background: false, readOnly: false },
            late,
            { type: 'agent.ended', status: 'completed', answerBytes: 0 },
          ],
          // As if it had been recorded here, after the move.
          at: Date.now() + 86_400_000,
        },
      ],
    })
    await there.engine.moves.in(forged!, { folder: target })
    const { steps } = await there.engine.checkpoints.restore(sessionId, {
      to: 1,
      files: true,
      conversation: false,
      overwrite: 'all',
    })
    expect(steps.map(({ path }) => path).toSorted()).toEqual(
      ['deleted.txt', 'deleted.txt-2', 'written-0.txt'].map((name) => join(target, name)),
    )
    const outside = treeOf(there.scratch.home)
    expect(Object.keys(outside).filter((path) => /planted|mcp\.json|checkpoints\/x/.test(path))).toEqual([])
    expect(existsSync(join(there.scratch.project, '.profile'))).toBe(false)
    expect(readdirSync(join(target, '.git/hooks')).filter((name) => /^post-(?:checkout|merge)/.test(name))).toEqual([])
  })

  it('is refused when any byte of the file was changed', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    await here.engine.moves.out(sessionId, file, { address: there.address })
    const sound = readFileSync(file)
    const target = join(there.scratch.project, 'app')
    for (let n = 0; n < 60; n += 1) {
      const bytes = Buffer.from(sound)
      bytes[Math.floor((n / 60) * sound.length)]! ^= 1 + (n % 200)
      writeFileSync(`${file}-${n}`, bytes)
      const error = await rejection(there.engine.moves.in(`${file}-${n}`, { folder: target }))
      expect(error, `byte ${n}`).toMatchObject({ code: expect.stringMatching(/^move\./) as string })
    }
    for (const cut of [0, 1, sound.length - 1, Math.floor(sound.length / 2)]) {
      writeFileSync(`${file}-cut-${cut}`, sound.subarray(0, cut))
      expect(await rejection(there.engine.moves.in(`${file}-cut-${cut}`, { folder: target }))).toMatchObject({
        code: 'move.damaged',
      })
    }
    expect(there.engine.sessions.list({})).toEqual([])
    expect(existsSync(target)).toBe(false)
  })

  it('names the changed event, even if the digest of the file was adjusted', async () => {
    const sessionId = await started()
    const file = join(here.scratch.home, '..', 'one')
    await here.engine.moves.out(sessionId, file, { address: there.address })
    const text = readFileSync(file).toString('latin1')
    const changed = text.replace('Write the first file', 'Write the fifth file')
    const end = changed.lastIndexOf('{"kind":"end"')
    const digest = createHash('sha256')
      .update(Buffer.from(changed.slice(0, end), 'latin1'))
      .digest('hex')
    writeFileSync(`${file}-2`, Buffer.from(`${changed.slice(0, end)}{"kind":"end","bytes":64}\n${digest}\n`, 'latin1'))
    const error = await rejection(there.engine.moves.in(`${file}-2`, { folder: there.scratch.project }))
    expect(error).toMatchObject({
      code: 'move.damaged',
      message: expect.stringMatching(/^Event 2 of session-/) as string,
    })
  })

  it('does not overwrite files that were changed at the source in the meantime', async () => {
    const sessionId = await started()
    await move(here, there, sessionId, 'one', join(there.scratch.project, 'app'))
    await turn(there.engine, sessionId, 'Write over there')
    writeFileSync(join(here.scratch.project, 'mine.txt'), 'meanwhile\n')
    const error = await rejection(move(there, here, sessionId, 'two'))
    expect(error).toMatchObject({ code: 'move.files_changed' })
    expect(here.engine.sessions.header(sessionId).sealed).toBeDefined()
    rmSync(join(here.scratch.project, 'mine.txt'))
    expect(await here.engine.moves.in(join(there.scratch.home, '..', 'two'))).toMatchObject({ epoch: 3 })
    expect(existsSync(join(here.scratch.project, 'written-1.txt'))).toBe(true)
  })

  it(
    `is the same after ${MOVES} moves back and forth with edits in between`,
    { timeout: 60_000 + MOVES * 30_000 },
    async () => {
      const sessionId = await started()
      const target = join(there.scratch.project, 'app')
      const folders = new Map<Place, string>([
        [here, here.scratch.project],
        [there, target],
      ])
      let [from, to] = [here, there]
      for (let n = 1; n <= MOVES; n += 1) {
        const folder = folders.get(from)!
        mkdirSync(join(folder, 'edited'), { recursive: true })
        writeFileSync(join(folder, 'edited', `by-hand-${n % 5}.txt`), `edit ${n}\n`)
        if (n % 3 === 0) git(folder, 'add', '-A')
        if (n % 4 === 0) git(folder, 'commit', '-qam', `Commit ${n}`)
        if (n % 5 === 0) rmSync(join(folder, 'edited', `by-hand-${(n - 1) % 5}.txt`), { force: true })
        const { seq } = from.engine.sessions.header(sessionId)
        const history = bodiesOf(from.engine, sessionId, seq)
        const { head } = await from.engine.histories.verify(sessionId)
        const files = filesOf(folder)
        const status = git(folder, 'status', '--porcelain')

        const moved = await move(from, to, sessionId, `move-${n}`, n === 1 ? target : undefined)
        expect(moved.epoch).toBe(n + 1)
        expect(bodiesOf(to.engine, sessionId, seq)).toBe(history)
        expect(await to.engine.histories.verify(sessionId, head)).toMatchObject({ ok: true, expectedAt: seq })
        expect(await from.engine.histories.verify(sessionId)).toMatchObject({ ok: true })
        expect(filesOf(folders.get(to)!)).toEqual(files)
        expect(git(folders.get(to)!, 'status', '--porcelain')).toBe(status)
        expect(from.engine.sessions.header(sessionId).sealed).toBeDefined()
        expect(to.engine.sessions.header(sessionId).sealed).toBeUndefined()
        ;[from, to] = [to, from]
        await turn(from.engine, sessionId, `Write file ${n}`)
      }
      const [first] = await from.engine.checkpoints.points(sessionId)
      const folder = folders.get(from)!
      const { kept } = await from.engine.checkpoints.restore(sessionId, {
        to: first!.seq - 1,
        files: true,
        conversation: false,
      })
      expect(kept).toEqual([])
      expect(readdirSync(folder).filter((name) => name.startsWith('written-'))).toEqual([])
    },
  )
})
