import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { required } from '../../../../test/support/required'
import { tempFolder } from '../../../../test/support/temp-folder'
import { openBlobStore } from '../checkpoint/capture/file-state'
import { checkpointPaths } from '../checkpoint/capture/checkpoint-files'
import { restoreSession, type RestoreDeps } from '../checkpoint/restore-session'
import { keepUserChange } from '../checkpoint/user-change'
import { openStore } from '../store/open/open-store'
import { createFileAccess } from '../workspace/file-access'
import { FileProblem } from '../workspace/path/file-problem'
import { removeFileOf, renameFile, saveFile, type ChangeDeps } from './change-files'

const sessionId = 'session-1'

/** A session folder in which changes are recorded and undone as in the app. */
async function lab() {
  const [home, folder] = [await tempFolder(), await tempFolder()]
  const { store } = openStore({ home })
  onTestFinished(() => store.close())
  store.create({ sessionId, folder, title: '', mode: 'ask', addedFolders: [] })
  const place = checkpointPaths(home)
  const blobs = openBlobStore(place.blobs)
  const restoring: RestoreDeps = { home, store, place, blobs, maxBytes: () => 1_000, newId: () => 'restore-1' }
  const session = {
    id: sessionId,
    get header() {
      return required(store.header(sessionId), 'a header')
    },
    record: (...events: Parameters<typeof store.append>[1][number][]) => store.append(sessionId, events),
  }
  const deps: ChangeDeps = {
    access: createFileAccess({ home, header: () => ({ folder, addedFolders: [] }) }),
    keepUserChange: (_session, paths, work) => keepUserChange(restoring, session, paths, work),
  }
  return {
    deps,
    restoring,
    restores: () => store.ofTypes(sessionId, ['checkpoint.restored']),
    at: (...names: string[]) => join(folder, ...names),
    undo: (seq: number) => restoreSession(restoring, session, { to: seq - 1, files: true, conversation: false }),
  }
}

test('undoing the rename of a folder restores its files, links and empty folders', async () => {
  const { deps, at, undo } = await lab()
  mkdirSync(at('old', 'empty'), { recursive: true, mode: 0o750 })
  writeFileSync(at('old', 'a.txt'), 'a')
  symlinkSync('a.txt', at('old', 'link'))
  const { seq } = await renameFile(deps, { sessionId, path: 'old', name: 'new' })
  expect(readFileSync(at('new', 'link'), 'utf8')).toBe('a')
  expect((await undo(seq)).kept).toEqual([])
  expect(existsSync(at('new'))).toBe(false)
  expect([readFileSync(at('old', 'a.txt'), 'utf8'), readlinkSync(at('old', 'link'))]).toEqual(['a', 'a.txt'])
  expect(statSync(at('old', 'empty')).isDirectory()).toBe(true)
})

test('undoing the rename of an empty folder restores it', async () => {
  const { deps, at, undo } = await lab()
  mkdirSync(at('old'))
  const { seq } = await renameFile(deps, { sessionId, path: 'old', name: 'new' })
  await undo(seq)
  expect([existsSync(at('old')), existsSync(at('new'))]).toEqual([true, false])
})

test.each(['', '..', 'a/b', 'a\\b', ' ', 'nul\0l', 'there'])('nothing is renamed to %j', async (name) => {
  const { deps, at } = await lab()
  writeFileSync(at('a.txt'), 'a')
  writeFileSync(at('there'), 'mine')
  await expect(renameFile(deps, { sessionId, path: 'a.txt', name })).rejects.toThrow(/name/)
  expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('there'), 'utf8')]).toEqual(['a', 'mine'])
})

test('a file that is too large to be kept is not deleted, overwritten or renamed', async () => {
  const { deps, at } = await lab()
  const large = 'x'.repeat(1_001)
  writeFileSync(at('large.txt'), large)
  const work = [
    () => removeFileOf(deps, { sessionId, path: 'large.txt' }),
    () => saveFile(deps, { sessionId, path: 'large.txt', text: '', mark: 'any' }),
    () => renameFile(deps, { sessionId, path: 'large.txt', name: 'other.txt' }),
  ]
  for (const one of work) await expect(one()).rejects.toThrow('its content cannot be kept')
  expect(readFileSync(at('large.txt'), 'utf8')).toBe(large)
})

test('undoing a deletion restores the file', async () => {
  const { deps, at, undo } = await lab()
  writeFileSync(at('a.txt'), 'a\r\n', { mode: 0o640 })
  const { seq } = await removeFileOf(deps, { sessionId, path: 'a.txt' })
  expect(existsSync(at('a.txt'))).toBe(false)
  await undo(seq)
  expect([readFileSync(at('a.txt'), 'utf8'), statSync(at('a.txt')).mode & 0o777]).toEqual(['a\r\n', 0o640])
})

test('a change that fails halfway is recorded up to that point, and can be undone', async () => {
  const { deps, at, undo, restores } = await lab()
  writeFileSync(at('a.txt'), 'before')
  const work = deps.keepUserChange(sessionId, [at('a.txt'), at('b.txt')], async () => {
    writeFileSync(at('a.txt'), 'half')
    throw new Error('the disk is full')
  })
  await expect(work).rejects.toThrow('the disk is full')
  const [event] = restores()
  expect(event).toMatchObject({ part: 'edit', count: 1 })
  await undo(event!.seq)
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('before')
})

test('a change that fails before anything changed, or because something else changed the file, is not recorded', async () => {
  const { deps, at, restores } = await lab()
  writeFileSync(at('a.txt'), 'before')
  const fails = (error: Error, text: string): Promise<unknown> =>
    deps.keepUserChange(sessionId, [at('a.txt')], async () => {
      writeFileSync(at('a.txt'), text)
      throw error
    })
  await expect(fails(new Error('permission denied'), 'before')).rejects.toThrow('permission denied')
  await expect(fails(new FileProblem('a.txt was changed.', 'changed'), 'theirs')).rejects.toThrow('was changed')
  expect(restores()).toEqual([])
})

test('many changed files are recorded even if their list cannot be saved in a separate file', async () => {
  const { deps, at, undo, restoring } = await lab()
  mkdirSync(at('old'))
  for (let n = 0; n < 150; n += 1) writeFileSync(at('old', `${n}.txt`), 'same')
  const put = restoring.blobs.put
  restoring.blobs.put = (bytes) => {
    if (bytes.length > 1_000) throw new Error('the disk is full')
    return put(bytes)
  }
  const { seq } = await renameFile(deps, { sessionId, path: 'old', name: 'new' })
  restoring.blobs.put = put
  expect((await undo(seq)).kept).toEqual([])
  expect(readFileSync(at('old', '149.txt'), 'utf8')).toBe('same')
})
