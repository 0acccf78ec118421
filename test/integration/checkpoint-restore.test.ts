import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyRestore } from '../../src/main/engine/checkpoint/apply-restore'
import { createCallCheckpoints } from '../../src/main/engine/checkpoint/capture/call-checkpoints'
import { collectGarbage } from '../../src/main/engine/checkpoint/collect-garbage'
import {
  listingDifference,
  listWorkspace,
  type Listing,
} from '../../src/main/engine/checkpoint/capture/workspace-listing'
import { writeJournal, finishRestore, previewRestore } from '../../src/main/engine/checkpoint/restore-session'
import { fileHunks, sessionFiles, undoHunk } from '../../src/main/engine/checkpoint/session-files'
import { checkpointBench, type CheckpointBench } from '../support/checkpoint-bench'
import { treeOf } from '../support/scratch-tree'
import { until } from '../support/until'

const at = (bench: CheckpointBench, path: string): string => join(bench.root, path)
const write = (bench: CheckpointBench, path: string, text: string): void => writeFileSync(at(bench, path), text)
const read = (bench: CheckpointBench, path: string): string => readFileSync(at(bench, path), 'utf8')
const session = (bench: CheckpointBench) => ({ id: bench.sessionId, record: bench.record })

async function manyFiles(
  count: number,
): Promise<{ bench: CheckpointBench; to: number; before: Record<string, string> }> {
  const bench = await checkpointBench()
  for (let n = 0; n < count; n += 1) {
    if (n % 50 === 0) mkdirSync(at(bench, `folder ${n / 50}`))
    write(bench, `folder ${Math.floor(n / 50)}/${n}.txt`, `before ${n}\n`.repeat(20))
  }
  const to = bench.turn()
  const before = treeOf(bench.root)
  await bench.command(() => {
    for (let n = 0; n < count; n += 1) {
      const path = `folder ${Math.floor(n / 50)}/${n}.txt`
      if (n % 3 === 0) rmSync(at(bench, path))
      else write(bench, path, `after ${n}`)
    }
  })
  return { bench, to, before }
}

describe('a restore', () => {
  it('keeps hard links as one file, and separates files that a command has linked', async () => {
    const bench = await checkpointBench()
    for (const name of ['a', 'other', 'apart']) write(bench, name, `${name} before`)
    linkSync(at(bench, 'a'), at(bench, 'b'))
    const to = bench.turn()
    await bench.command(() => {
      write(bench, 'a', 'after')
      rmSync(at(bench, 'apart'))
      linkSync(at(bench, 'other'), at(bench, 'apart'))
      write(bench, 'other', 'after')
    })
    const { kept } = await bench.restore({ to })
    expect(kept).toEqual([])
    expect(['a', 'b', 'other', 'apart'].map((name) => read(bench, name))).toEqual([
      'a before',
      'a before',
      'other before',
      'apart before',
    ])
    expect(statSync(at(bench, 'a')).ino).toBe(statSync(at(bench, 'b')).ino)
    expect(statSync(at(bench, 'other')).ino).not.toBe(statSync(at(bench, 'apart')).ino)
  })

  it('restores 1,000 files in less than 2 s', { timeout: 180_000 }, async () => {
    const { bench, to, before } = await manyFiles(1000)
    // Processor time, which does not depend on other programs.
    const start = process.cpuUsage()
    const { steps, kept } = await bench.restore({ to })
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(2000)
    expect({ steps: steps.length, kept, tree: treeOf(bench.root) }).toEqual({ steps: 1000, kept: [], tree: before })
  })

  it('that was interrupted anywhere is completed by the next process, once, and leaves no partial file', async () => {
    for (const done of [0, 1, 7, 20]) {
      const { bench, to, before } = await manyFiles(20)
      const { deps } = bench
      const { steps } = previewRestore(deps, bench.sessionId, { to, files: true, conversation: false })
      writeJournal(deps.place.restore(bench.sessionId), { restoreId: 'cut', to, steps, kept: [] })
      await applyRestore(steps.slice(0, done), { blobs: deps.blobs, maxBytes: 1e6, restoreId: 'cut' })
      write(bench, 'folder 0/.trestle-cut-9.tmp', 'half')
      await finishRestore(deps, session(bench))
      await finishRestore(deps, session(bench))
      const restored = deps.store.ofTypes(bench.sessionId, ['checkpoint.restored'])
      expect({ tree: treeOf(bench.root), events: restored.length, count: restored[0]?.count }).toEqual({
        tree: before,
        events: 1,
        count: 20,
      })
    }
  })

  it('that was recorded before its process died is not repeated', async () => {
    const { bench, to } = await manyFiles(3)
    const { deps } = bench
    const result = await bench.restore({ to })
    const [event] = deps.store.ofTypes(bench.sessionId, ['checkpoint.restored'])
    writeJournal(deps.place.restore(bench.sessionId), {
      restoreId: event!.restoreId,
      to,
      steps: result.steps,
      kept: [],
    })
    await bench.restore({ to: result.seq! - 1 })
    const now = treeOf(bench.root)
    writeJournal(deps.place.restore(bench.sessionId), {
      restoreId: event!.restoreId,
      to,
      steps: result.steps,
      kept: [],
    })
    await finishRestore(deps, session(bench))
    expect(treeOf(bench.root)).toEqual(now)
  })

  it('of the conversation also restores the to-dos and the compaction of that point, however often it was restored before', async () => {
    const bench = await checkpointBench()
    const { store } = bench.deps
    const todo = (title: string) => bench.record({ type: 'todos.changed', todos: [{ title, status: 'pending' }] })
    const now = () => {
      const { todos, compacted } = store.header(bench.sessionId)!
      return [todos.map(({ title }) => title), compacted?.compactionId]
    }
    const first = bench.turn()
    todo('one')
    const second = bench.turn()
    todo('two')
    const back = async (to: number): Promise<number> =>
      (await bench.restore({ to, files: false, conversation: true })).seq!
    const seq = await back(second)
    expect(now()).toEqual([['one'], undefined])
    await back(first)
    expect(now()).toEqual([[], undefined])
    await back(seq - 1)
    expect(now()).toEqual([['two'], undefined])
    const said = [...store.historyBackwards(bench.sessionId)].map((event) => event.seq)
    expect(said).toEqual([second + 1, first + 1])
  })

  it('never writes content that is damaged or missing in the store', async () => {
    const bench = await checkpointBench()
    write(bench, 'a', 'good')
    write(bench, 'b', 'other')
    const to = bench.turn()
    await bench.edit(at(bench, 'a'), () => write(bench, 'a', 'new'))
    await bench.edit(at(bench, 'b'), () => write(bench, 'b', 'new'))
    const { blobs } = bench.deps.place
    for (const folder of readdirSync(blobs)) {
      for (const name of readdirSync(join(blobs, folder))) {
        const path = join(blobs, folder, name)
        if (readFileSync(path, 'utf8') === 'good') writeFileSync(path, 'evil')
        else if (readFileSync(path, 'utf8') === 'other') rmSync(path)
      }
    }
    const { kept } = await bench.restore({ to })
    expect(kept.map(({ path, kind }) => `${path} ${kind}`).toSorted()).toEqual([
      `${at(bench, 'a')} impossible`,
      `${at(bench, 'b')} impossible`,
    ])
    expect([read(bench, 'a'), read(bench, 'b')]).toEqual(['new', 'new'])
  })

  it('does not write through a folder that has become a symbolic link', async () => {
    const bench = await checkpointBench()
    mkdirSync(at(bench, 'dir'))
    write(bench, 'dir/a', 'old')
    const outside = join(bench.home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'a'), 'new')
    const to = bench.turn()
    await bench.edit(at(bench, 'dir/a'), () => write(bench, 'dir/a', 'new'))
    rmSync(at(bench, 'dir'), { recursive: true })
    symlinkSync(outside, at(bench, 'dir'))
    const { kept } = await bench.restore({ to, overwrite: 'all' })
    expect([kept.length, readFileSync(join(outside, 'a'), 'utf8')]).toEqual([1, 'new'])
  })
})

describe('a checkpoint', () => {
  it('before an edit costs less than 5 ms', async () => {
    const bench = await checkpointBench()
    const path = at(bench, 'file.ts')
    write(bench, 'file.ts', 'const a = 1\n'.repeat(2000))
    const calls = createCallCheckpoints({
      home: bench.home,
      place: bench.deps.place,
      blobs: bench.deps.blobs,
      maxBytes: () => 1e7,
    })
    const workspace = { root: bench.root, addedFolders: [] } as never
    const took: number[] = []
    for (let n = 0; n < 50; n += 1) {
      const start = performance.now()
      await calls.before({
        sessionId: bench.sessionId,
        turnId: 't',
        callId: `c${n}`,
        workspace,
        tool: { annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false } },
        call: { accesses: [{ kind: 'file', path, write: true }] },
      })
      took.push(performance.now() - start)
      write(bench, 'file.ts', `${n}\n${'const a = 1\n'.repeat(2000)}`)
    }
    // The fastest tenth, so that other work on the machine does not count.
    expect(took.toSorted((a, b) => a - b)[5]).toBeLessThan(5)
  })

  it('of a command interrupted by a crash still knows what the command changed', async () => {
    const bench = await checkpointBench()
    write(bench, 'a', 'old')
    const to = bench.turn()
    await expect(
      bench.command(() => {
        write(bench, 'a', 'new')
        write(bench, 'b', 'made')
        throw new Error('the process dies')
      }),
    ).rejects.toThrow('dies')
    const { deps, home, sessionId } = bench
    const next = createCallCheckpoints({ home, place: deps.place, blobs: deps.blobs, maxBytes: () => 1e6 })
    const [made] = deps.store.ofTypes(sessionId, ['checkpoint.made'])
    const changed = await next.cutOff(sessionId, made!)
    bench.record(changed!)
    await bench.restore({ to })
    expect(treeOf(bench.root)).toEqual({ a: expect.stringContaining(Buffer.from('old').toString('base64')) })
  })

  it('skips ignored, sensitive and large files, and reports what it does not cover', async () => {
    const bench = await checkpointBench(100)
    write(bench, '.gitignore', 'ignored/\n')
    mkdirSync(at(bench, 'ignored'))
    write(bench, 'ignored/x', 'one')
    write(bench, '.env', 'KEY=1')
    write(bench, 'large', 'x'.repeat(101))
    const to = bench.turn()
    await until(
      () => Date.now() - statSync(at(bench, 'ignored/x')).birthtimeMs > 50,
      'the file to be older than the command',
    )
    await bench.command(() => {
      write(bench, 'ignored/x', 'two')
      write(bench, '.env', 'KEY=2')
      write(bench, 'large', 'y'.repeat(101))
      renameSync(at(bench, 'ignored/x'), at(bench, 'moved'))
    })
    const result = await bench.restore({ to })
    expect([read(bench, '.env'), read(bench, 'moved'), read(bench, 'large').at(0)]).toEqual(['KEY=2', 'two', 'y'])
    expect(result.kept).toMatchObject([{ path: at(bench, 'large'), kind: 'impossible' }])
    expect(result.notCovered.join(' ')).toMatch(/1 path came into view.*large.*too large/s)
    expect(JSON.stringify(readdirSync(bench.deps.place.folder, { recursive: true }).map(String))).not.toContain('.env')
  })

  it('of a workspace too large to list keeps what it can, deletes no unknown file, and says so', async () => {
    const bench = await checkpointBench()
    for (let n = 0; n < 30; n += 1) write(bench, `${n}.txt`, `${n}`)
    const { blobs } = bench.deps
    const list = (known?: Listing, more: object = {}) =>
      listWorkspace({
        roots: [bench.root],
        except: bench.home,
        blobs,
        maxBytes: 100,
        maxEntries: 10,
        ...(known && { known: known.files }),
        ...more,
      })
    const before = await list()
    expect([before.files.size, before.complete]).toEqual([10, false])
    const startedMs = Date.now()
    for (let n = 0; n < 30; n += 1) write(bench, `${n}.txt`, `new ${n}`)
    write(bench, 'made', 'x')
    const { changes } = listingDifference(before, await list(before), { startedMs, maxBytes: 100 })
    expect(changes.map(({ path }) => path).toSorted()).toEqual([...before.files.keys()].toSorted())
    await expect(list(undefined, { maxMs: -1 })).resolves.toMatchObject({ complete: false })
  })

  it('detects a file rewritten at the same moment with the same size', async () => {
    const bench = await checkpointBench()
    const to = bench.turn()
    for (let n = 0; n < 10; n += 1) {
      write(bench, 'same', 'aaaa')
      await bench.command(() => write(bench, 'same', 'bbbb'))
    }
    expect(bench.deps.store.ofTypes(bench.sessionId, ['checkpoint.changed'], to)).toHaveLength(10)
  })

  it('is readable by its owner only', async () => {
    const bench = await checkpointBench()
    write(bench, 'a', 'old')
    await bench.edit(at(bench, 'a'), () => write(bench, 'a', 'new'))
    expect(readdirSync(join(bench.home, 'checkpoints')).length).toBeGreaterThan(0)
    const modes = treeOf(join(bench.home, 'checkpoints'))
    for (const entry of Object.values(modes)) expect(entry).toMatch(/^(?:file 600|folder 700)/)
  })
})

describe('a partial undo', () => {
  it('reverts one change of a file and keeps the others, line endings and permissions', async () => {
    const bench = await checkpointBench()
    const path = at(bench, 'a.txt')
    write(bench, 'a.txt', 'one\r\ntwo\r\nthree\r\nfour')
    chmodSync(path, 0o755)
    bench.turn()
    await bench.edit(path, () => write(bench, 'a.txt', 'ONE\r\ntwo\r\nthree\r\nFOUR\r\nfive'))
    const { hunks } = await fileHunks(bench.deps, bench.sessionId, path)
    expect(hunks?.map(({ line, lines }) => [line, lines])).toEqual([
      [1, ['-one', '+ONE']],
      [4, ['-four', '+FOUR', '+five']],
    ])
    const { seq } = await undoHunk(bench.deps, session(bench), path, hunks![0]!.id)
    expect(read(bench, 'a.txt')).toBe('one\r\ntwo\r\nthree\r\nFOUR\r\nfive')
    await expect(undoHunk(bench.deps, session(bench), path, hunks![0]!.id)).rejects.toMatchObject({
      code: 'checkpoint.changed',
    })
    await bench.restore({ to: seq - 1 })
    expect(read(bench, 'a.txt')).toBe('ONE\r\ntwo\r\nthree\r\nFOUR\r\nfive')
    await bench.restore({ to: 0, paths: [path] })
    expect(Object.values(treeOf(bench.root))).toEqual([
      `file 755 ${Buffer.from('one\r\ntwo\r\nthree\r\nfour').toString('base64')}`,
    ])
    expect(sessionFiles(bench.deps, bench.sessionId)).toEqual([])
  })
})

describe('garbage collection', () => {
  it('removes content that is old or over the limit, but never what a running session needs', async () => {
    const bench = await checkpointBench()
    write(bench, 'a', 'old')
    const to = bench.turn()
    await bench.edit(at(bench, 'a'), () => write(bench, 'a', 'new'))
    const { place } = bench.deps
    const long = Date.now() + 40 * 86_400_000
    const collect = (running: boolean, more: object = {}) =>
      collectGarbage({
        place,
        exists: () => true,
        isRunning: () => running,
        keepDays: 30,
        maxBytes: 1e9,
        now: long,
        ...more,
      })
    await collect(true)
    await collect(true, { maxBytes: 1 })
    await bench.restore({ to })
    expect(read(bench, 'a')).toBe('old')
    await collect(false)
    expect(existsSync(place.refs(bench.sessionId))).toBe(false)
    expect(readdirSync(place.blobs).flatMap((folder) => readdirSync(join(place.blobs, folder)))).toEqual([])
  })

  it('keeps content that another session still needs, and content used just now', async () => {
    const bench = await checkpointBench()
    write(bench, 'a', 'shared')
    await bench.edit(at(bench, 'a'), () => write(bench, 'a', 'new'))
    const { place, blobs } = bench.deps
    const unused = blobs.put(Buffer.from('unused'))
    const hour = Date.now() / 1000 - 3 * 86_400
    utimesSync(join(place.blobs, unused.slice(0, 2), unused.slice(2)), hour, hour)
    const fresh = blobs.put(Buffer.from('fresh'))
    await collectGarbage({ place, exists: () => true, isRunning: () => false, keepDays: 30, maxBytes: 1e9 })
    expect([blobs.has(unused), blobs.has(fresh)]).toEqual([false, true])
    const [made] = bench.deps.store.ofTypes(bench.sessionId, ['checkpoint.made'])
    const { before } = made!.files[0]!
    expect(before.kind === 'file' && blobs.has(before.hash)).toBe(true)
  })
})

it('a plan is restored with its session, but appears neither among the changes nor in the list of a restore', async () => {
  const bench = await checkpointBench()
  write(bench, 'a.txt', 'before')
  const plan = join(bench.home, 'plan-1.md')
  const to = bench.turn()
  await bench.edit(plan, () => writeFileSync(plan, '# Plan'))
  await bench.edit(at(bench, 'a.txt'), () => write(bench, 'a.txt', 'after'))
  const listed = [at(bench, 'a.txt')]
  expect(sessionFiles(bench.deps, bench.sessionId).map(({ path }) => path)).toEqual(listed)
  expect(
    previewRestore(bench.deps, bench.sessionId, { to, files: true, conversation: false }).steps.map(({ path }) => path),
  ).toEqual(listed)
  expect((await bench.restore({ to })).steps.map(({ path }) => path)).toEqual(listed)
  expect([existsSync(plan), read(bench, 'a.txt')]).toEqual([false, 'before'])
})
