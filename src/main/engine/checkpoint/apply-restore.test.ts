import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { FileChange, FileState, RestoreStep } from '../../../shared/model/session/checkpoint'
import { applyRestore } from './apply-restore'
import { captureFile, openBlobStore } from './capture/file-state'
import { pathHistories, planRestore } from './plan-restore'

const ABSENT: FileState = { kind: 'absent' }
const maxBytes = 1_000

async function setUp() {
  const [root, store] = [await tempFolder(), await tempFolder()]
  const blobs = openBlobStore(store)
  const at = (name: string): string => join(root, name)
  const state = (name: string): FileState => captureFile(at(name), { keepIn: blobs, maxBytes })
  return {
    root,
    at,
    state,
    blobFile(kept: FileState): string {
      const name = kept.kind === 'file' ? kept.hash : ''
      return join(store, name.slice(0, 2), name.slice(2))
    },
    written(name: string, text: string): FileState {
      writeFileSync(at(name), text)
      return state(name)
    },
    plan: (changes: FileChange[]) =>
      planRestore(pathHistories(changes).values(), { blobs, maxBytes, mayOverwrite: () => false }).steps,
    apply: (steps: readonly RestoreStep[]) => applyRestore(steps, { blobs, maxBytes, restoreId: 'r1' }),
  }
}

describe('a restore', () => {
  test('loses no content whose copy in the store was truncated', async () => {
    const { at, written, state, blobFile, plan, apply } = await setUp()
    const before = written('old-name', 'the only content')
    renameSync(at('old-name'), at('new-name'))
    const steps = plan([
      { path: at('old-name'), before, after: ABSENT },
      { path: at('new-name'), before: ABSENT, after: state('new-name') },
    ])
    writeFileSync(blobFile(before), '')
    expect((await apply(steps)).kept).toEqual([])
    expect(readFileSync(at('old-name'), 'utf8')).toBe('the only content')
    expect(existsSync(at('new-name'))).toBe(false)
    expect(readFileSync(blobFile(before), 'utf8')).toBe('the only content')
  })

  test.runIf(process.platform !== 'win32')('continues after its process died between any two steps', async () => {
    const { at, written, state, plan, apply } = await setUp()
    mkdirSync(at('folder'))
    chmodSync(at('folder'), 0o750)
    const folder = state('folder')
    const inside = written('folder/a', 'inside')
    rmSync(at('folder'), { recursive: true })
    const file = written('folder', 'a file of the agent')
    const steps = plan([
      { path: at('folder'), before: folder, after: file },
      { path: at('folder/a'), before: inside, after: ABSENT },
    ])
    // Where it may have stopped: after deleting the file, creating the folder, and writing a file in it.
    const reached = [
      () => rmSync(at('folder'), { recursive: true }),
      () => mkdirSync(at('folder'), { mode: 0o700 }),
      () => writeFileSync(at('folder/a'), 'inside'),
    ]
    for (let count = 0; count <= reached.length; count += 1) {
      rmSync(at('folder'), { recursive: true })
      writeFileSync(at('folder'), 'a file of the agent')
      for (const step of reached.slice(0, count)) step()
      expect((await apply(steps)).kept).toEqual([])
      expect([statSync(at('folder')).mode & 0o777, readFileSync(at('folder/a'), 'utf8')]).toEqual([0o750, 'inside'])
    }
  })

  test('can be repeated after it has completed', async () => {
    const { at, root, written, plan, apply } = await setUp()
    const before = written('a', 'old')
    const steps = plan([
      { path: at('a'), before, after: written('a', 'new') },
      { path: at('made'), before: ABSENT, after: written('made', 'made') },
    ])
    const first = await apply(steps)
    expect(await apply(steps)).toEqual(first)
    expect(readdirSync(root)).toEqual(['a'])
  })

  test('leaves files that another program has changed since it was planned', async () => {
    const { at, written, plan, apply } = await setUp()
    const before = written('a', 'old')
    const steps = plan([
      { path: at('a'), before, after: written('a', 'new') },
      { path: at('made'), before: ABSENT, after: written('made', 'made') },
    ])
    writeFileSync(at('a'), 'mine')
    writeFileSync(at('made'), 'mine')
    expect((await apply(steps)).kept.map(({ kind }) => kind)).toEqual(['changed', 'changed'])
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('made'), 'utf8')]).toEqual(['mine', 'mine'])
  })

  test('does not follow a link that replaced a folder', async () => {
    const { at, written, plan, apply } = await setUp()
    mkdirSync(at('folder'))
    const before = written('folder/a', 'old')
    const steps = plan([
      { path: at('folder/a'), before, after: written('folder/a', 'new') },
      { path: at('folder/b'), before: ABSENT, after: written('folder/b', 'made') },
    ])
    renameSync(at('folder'), at('elsewhere'))
    symlinkSync(at('elsewhere'), at('folder'))
    const { changes } = await apply(steps)
    expect(changes.map(({ path }) => path)).not.toContain(at('folder/a'))
    expect(readFileSync(at('elsewhere/a'), 'utf8')).toBe('new')
    expect(readFileSync(at('elsewhere/b'), 'utf8')).toBe('made')
  })
})
