import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileState } from '../../../shared/model/session/checkpoint'
import { tempFolder } from '../../../../test/support/temp-folder'
import { captureFile, openBlobStore } from './capture/file-state'
import { pathHistories, planRestore } from './plan-restore'

const ABSENT: FileState = { kind: 'absent' }

async function setUp() {
  const [root, home] = [realpathSync(await tempFolder()), await tempFolder()]
  const blobs = openBlobStore(home)
  const at = (name: string): string => join(root, name)
  const state = (name: string): FileState => captureFile(at(name), { keepIn: blobs, maxBytes: 1_000 })
  const written = (name: string, text: string): FileState => {
    writeFileSync(at(name), text)
    return state(name)
  }
  const plan = (changes: { path: string; before: FileState; after: FileState }[], overwrite: string[] = []) =>
    planRestore(pathHistories(changes).values(), {
      blobs,
      maxBytes: 1_000,
      mayOverwrite: (path) => overwrite.includes(path),
    })
  return { at, state, written, plan, blobs }
}

describe('the sum of changes to a path', () => {
  const file = (hash: string): FileState => ({ kind: 'file', hash, size: 1, mode: 0o644 })
  const change = (before: FileState, after: FileState) => ({ path: '/a', before, after })

  test('goes from the state before the first to the state after the last', () => {
    const all = pathHistories([change(ABSENT, file('1')), change(file('1'), file('2')), change(file('2'), ABSENT)])
    expect([...all.values()]).toEqual([{ path: '/a', before: ABSENT, after: ABSENT }])
  })

  test('lists the contents written outside the session in between', () => {
    const all = pathHistories([
      change(file('1'), file('2')),
      change(file('x'), file('3')),
      change(ABSENT, file('4')),
      change(file('y'), file('5')),
    ])
    expect(all.get('/a')).toEqual({ path: '/a', before: file('1'), after: file('5'), foreign: ['x', 'y'] })
  })
})

describe('the plan of a restore', () => {
  test('creates, changes and deletes, and leaves unchanged files alone', async () => {
    const { at, state, written, plan } = await setUp()
    const [old, kept] = [written('changed', 'old'), written('same', 'same')]
    const gone = written('deleted', 'gone')
    rmSync(at('deleted'))
    const now = written('changed', 'new')
    const made = written('made', 'made')
    const { steps, kept: left } = plan([
      { path: at('changed'), before: old, after: now },
      { path: at('same'), before: kept, after: kept },
      { path: at('deleted'), before: gone, after: ABSENT },
      { path: at('made'), before: ABSENT, after: made },
    ])
    expect(left).toEqual([])
    expect(steps.map(({ path, action }) => [path, action])).toEqual([
      [at('changed'), 'change'],
      [at('deleted'), 'create'],
      [at('made'), 'delete'],
    ])
    expect(steps[0]).toMatchObject({ from: state('changed'), to: old })
  })

  test('leaves a file that was changed outside the session, unless it may be overwritten', async () => {
    const { at, written, plan } = await setUp()
    const [before, after] = [written('a', 'before'), written('a', 'agent')]
    written('a', 'mine')
    const change = { path: at('a'), before, after }
    expect(plan([change])).toEqual({
      steps: [],
      kept: [{ path: at('a'), kind: 'changed', why: 'It was changed outside this session.' }],
    })
    expect(plan([change], [at('a')])).toMatchObject({ steps: [{ action: 'change', to: before }], kept: [] })
  })

  test('leaves a file that was deleted outside the session', async () => {
    const { at, written, plan } = await setUp()
    const [before, after] = [written('a', 'before'), written('a', 'agent')]
    rmSync(at('a'))
    expect(plan([{ path: at('a'), before, after }]).kept).toMatchObject([
      { why: 'It was deleted or moved outside this session.' },
    ])
  })

  test('never loses content written outside the session and moved by the agent', async () => {
    const { at, state, written, plan } = await setUp()
    const [before, after] = [written('a', 'before'), written('a', 'agent')]
    const mine = written('a', 'mine')
    renameSync(at('a'), at('b'))
    const changes = [
      { path: at('a'), before, after },
      { path: at('a'), before: mine, after: ABSENT },
      { path: at('b'), before: ABSENT, after: state('b') },
    ]
    const { steps, kept } = plan(changes)
    expect(steps).toEqual([])
    expect(kept.map(({ path }) => path).toSorted()).toEqual([at('a'), at('b')])
  })

  test('reports what cannot be restored, and why', async () => {
    const { at, written, plan } = await setUp()
    const after = written('a', 'after')
    const lost: FileState = { kind: 'file', hash: '0'.repeat(64), size: 1, mode: 0o644 }
    const unkept: FileState = { kind: 'unkept', why: 'it was too large', mark: 'x' }
    expect(plan([{ path: at('a'), before: lost, after }]).kept).toEqual([
      { path: at('a'), kind: 'impossible', why: 'Its earlier content is no longer kept.' },
    ])
    expect(plan([{ path: at('a'), before: unkept, after }]).kept).toEqual([
      { path: at('a'), kind: 'impossible', why: 'Its earlier content was not kept: it was too large.' },
    ])
  })

  test('deletes no folder that contains anything else, nor its parents', async () => {
    const { at, state, written, plan } = await setUp()
    mkdirSync(at('out/in'), { recursive: true })
    const made = written('out/in/made', 'made')
    const folders = ['out', 'out/in'].map((name) => ({ path: at(name), before: ABSENT, after: state(name) }))
    const changes = [...folders, { path: at('out/in/made'), before: ABSENT, after: made }]
    expect(plan(changes).steps).toHaveLength(3)
    written('out/in/mine', 'mine')
    const { steps, kept } = plan(changes)
    expect(steps.map(({ path }) => path)).toEqual([at('out/in/made')])
    expect(kept.map(({ path }) => path).toSorted()).toEqual([at('out'), at('out/in')])
    expect(kept.find(({ path }) => path === at('out/in'))!.why).toContain('"mine"')
  })

  test('writes nothing below a folder that is now a link', async () => {
    const { at, written, plan } = await setUp()
    mkdirSync(at('sub'))
    const [before, after] = [written('sub/a', 'before'), written('sub/a', 'after')]
    renameSync(at('sub'), at('elsewhere'))
    symlinkSync(at('elsewhere'), at('sub'))
    expect(plan([{ path: at('sub/a'), before, after }])).toMatchObject({
      steps: [],
      kept: [{ kind: 'impossible', why: 'One of its parent folders is now a symbolic link.' }],
    })
  })
})
