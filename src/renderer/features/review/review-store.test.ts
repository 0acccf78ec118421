import { describe, expect, it } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import type { ReviewDiff, ReviewFile, ReviewMarks } from '../../../shared/model/session/review'
import { ReviewStore } from './review-store'

const file = (path: string, key = 'k1'): ReviewFile => ({ path, name: path, status: 'changed', key })
const diff = (path: string, key = 'k1'): ReviewDiff => ({
  path,
  key,
  added: 1,
  removed: 0,
  oldLines: 30,
  newLines: 31,
  notes: [],
  hunks: [hunk()],
})
const hunk = () => ({ old: 10, new: 10, lines: [' a', '+b', ' c'], changes: [{ id: 'c1', at: 1, count: 1 }] })
const NO_MARKS: ReviewMarks = { viewed: {}, kept: {}, comments: [] }

/** A promise to be settled by the test. */
function held<T>() {
  return Promise.withResolvers<T>()
}

/** An engine with one review, whose answers the test can replace or delay. */
function engine(files: ReviewFile[]) {
  const asked: { paths: string[]; secrets: boolean }[] = []
  const api = {
    files,
    marks: NO_MARKS,
    asked,
    list: async () => ({ files: api.files }),
    diffs: async ({ paths }: { paths: string[] }) =>
      api.files.filter(({ path }) => paths.includes(path)).map(({ path, key }) => diff(path, key)),
    readMarks: async () => api.marks,
    setViewed: async () => undefined as void,
    lines: async ({ from, to }: { from: number; to: number }) =>
      Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`),
  }
  const client = {
    review: {
      list: () => api.list(),
      diffs: (input: { paths: string[]; secrets?: boolean }) => {
        asked.push({ paths: input.paths, secrets: input.secrets ?? false })
        return api.diffs(input)
      },
      marks: () => api.readMarks(),
      setViewed: () => api.setViewed(),
      setKept: async () => undefined,
      lines: (input: { from: number; to: number }) => api.lines(input),
    },
  } as unknown as TrestleClient
  const review = new ReviewStore(client, 's1', { kind: 'session' })
  const loaded = () => [...review.store.getState().diffs].map(([path, { key }]) => `${path} ${key}`)
  return { api, review, loaded }
}

describe('loading differences', () => {
  it('starts with the files that fill the screen, then loads all others once', async () => {
    const { api, review, loaded } = engine(Array.from({ length: 50 }, (_, n) => file(`f${n}`)))
    await review.reload()
    await expect.poll(() => loaded().length).toBe(50)
    expect(api.asked.map(({ paths }) => paths.length)).toEqual([6, 20, 20, 4])
    expect(new Set(api.asked.flatMap(({ paths }) => paths)).size).toBe(50)
  })

  it('loads files on screen before others', async () => {
    const { api, review, loaded } = engine(Array.from({ length: 40 }, (_, n) => file(`f${n}`)))
    review.look(['f38', 'f39'], 'f38')
    await review.reload()
    await expect.poll(() => loaded().length).toBe(40)
    expect(api.asked[0]?.paths.slice(0, 3)).toEqual(['f38', 'f39', 'f0'])
  })

  it('loads only changed files again after a reload, and forgets removed ones', async () => {
    const { api, review, loaded } = engine([file('a'), file('b'), file('c')])
    await review.reload()
    await expect.poll(() => loaded().length).toBe(3)
    api.asked.length = 0
    api.files = [file('a'), file('b', 'k2')]
    await review.reload()
    await expect.poll(loaded).toEqual(['a k1', 'b k2'])
    expect(api.asked.map(({ paths }) => paths)).toEqual([['b']])
  })

  it('shows the newest lines of a file that changed while it was loading', async () => {
    const { api, review, loaded } = engine([file('a')])
    const slow = held<ReviewDiff[]>()
    const usual = api.diffs
    api.diffs = () => slow.promise
    await review.reload()
    api.diffs = usual
    api.files = [file('a', 'k2')]
    await review.reload()
    slow.resolve([diff('a', 'k1')])
    await expect.poll(loaded).toEqual(['a k2'])
    expect(review.store.getState().list?.files).toEqual([file('a', 'k2')])
  })

  it('uses the loaded version when a file changed after the list was read', async () => {
    const { api, review, loaded } = engine([file('a')])
    api.diffs = async () => [diff('a', 'k2')]
    await review.reload()
    await expect.poll(loaded).toEqual(['a k2'])
    expect(review.store.getState().list?.files[0]?.key).toBe('k2')
    expect(api.asked).toHaveLength(1)
  })

  it('asks only once for a file without a difference', async () => {
    const { api, review } = engine([file('a'), file('gone')])
    api.diffs = async () => [diff('a')]
    await review.reload()
    await expect.poll(() => review.store.getState().diffs.size).toBe(1)
    expect(api.asked.map(({ paths }) => paths)).toEqual([['a', 'gone']])
  })

  it('drops the answer to an earlier reload', async () => {
    const { api, review } = engine([file('new')])
    const slow = held<{ files: ReviewFile[] }>()
    const usual = api.list
    api.list = () => slow.promise
    const first = review.reload()
    api.list = usual
    await review.reload()
    slow.resolve({ files: [file('old')] })
    await first
    expect(review.store.getState().list?.files.map(({ path }) => path)).toEqual(['new'])
  })

  it('reports why it failed, and recovers with the next reload', async () => {
    const { api, review } = engine([file('a')])
    const usual = api.list
    api.list = () => Promise.reject(new Error('git is missing'))
    await review.reload()
    expect(review.store.getState().failure?.message).toBe('git is missing')
    api.list = usual
    await review.reload()
    expect(review.store.getState().failure).toBeUndefined()
  })

  it('changes nothing after it was closed', async () => {
    const { review } = engine([file('a')])
    const loading = review.reload()
    review.close()
    await loading
    expect(review.store.getState().list).toBeUndefined()
  })
})

describe('secrets', () => {
  it('are requested only for a revealed file, also after a reload', async () => {
    const { api, review, loaded } = engine([file('.env'), file('a')])
    await review.reload()
    await expect.poll(() => loaded().length).toBe(2)
    await review.reveal('.env')
    api.asked.length = 0
    api.files = [file('.env', 'k2'), file('a', 'k2')]
    await review.reload()
    await expect.poll(loaded).toEqual(['.env k2', 'a k2'])
    expect(api.asked).toEqual([
      { paths: ['a'], secrets: false },
      { paths: ['.env'], secrets: true },
    ])
  })
})

describe('more lines', () => {
  it('are shown in steps of 20 from either side, or all at once', async () => {
    for (const [where, first, count] of [
      ['up', 1, 9],
      ['all', 1, 9],
    ] as const) {
      const { review, loaded } = engine([file('a')])
      await review.reload()
      await expect.poll(() => loaded().length).toBe(1)
      await review.expand('a', 0, where)
      const [shown] = review.store.getState().diffs.get('a')!.hunks
      expect([shown?.new, shown?.lines.length]).toEqual([first, count + 3])
      expect(shown?.lines[0]).toBe(' line 1')
      // Nothing is left to show, so nothing is requested.
      await review.expand('a', 0, where)
      expect(review.store.getState().diffs.get('a')!.hunks[0]).toBe(shown)
    }
    const { review, loaded } = engine([file('a')])
    await review.reload()
    await expect.poll(() => loaded().length).toBe(1)
    await review.expand('a', 1, 'down')
    expect(review.store.getState().diffs.get('a')!.hunks.at(-1)?.lines.at(-1)).toBe(' line 31')
  })

  it('are dropped when the file was reloaded in the meantime', async () => {
    const { api, review, loaded } = engine([file('a')])
    await review.reload()
    await expect.poll(() => loaded().length).toBe(1)
    const slow = held<string[]>()
    api.lines = () => slow.promise
    const expanding = review.expand('a', 0, 'all')
    api.files = [file('a', 'k2')]
    await review.reload()
    await expect.poll(loaded).toEqual(['a k2'])
    const before = review.store.getState().diffs.get('a')
    slow.resolve(Array.from({ length: 9 }, () => 'stale'))
    await expanding
    expect(review.store.getState().diffs.get('a')).toBe(before)
  })
})

describe('marks', () => {
  it('are shown immediately, and an earlier answer does not revert them', async () => {
    const { api, review } = engine([file('a')])
    await review.reload()
    const slow = held<ReviewMarks>()
    api.readMarks = () => slow.promise
    const reading = review.reloadMarks()
    await Promise.resolve()
    const storing = review.setViewed(file('a'), true)
    expect(review.store.getState().marks.viewed).toEqual({ a: ['k1'] })
    api.readMarks = async () => ({ ...NO_MARKS, viewed: { a: ['k1'] } })
    slow.resolve(NO_MARKS)
    await Promise.all([reading, storing])
    expect(review.store.getState().marks.viewed).toEqual({ a: ['k1'] })
  })

  it('are reverted when they cannot be stored', async () => {
    const { api, review } = engine([file('a')])
    await review.reload()
    api.setViewed = () => Promise.reject(new Error('read-only'))
    await expect(review.setViewed(file('a'), true)).rejects.toThrow('read-only')
    expect(review.store.getState().marks.viewed).toEqual({})
  })

  it('of kept changes are added and removed without touching the others', async () => {
    const { review } = engine([file('a')])
    await review.setKept('a', ['1', '2'], true)
    await review.setKept('a', ['2', '3'], true)
    expect(review.store.getState().marks.kept).toEqual({ a: ['1', '2', '3'] })
    await review.setKept('a', ['1', '3'], false)
    expect(review.store.getState().marks.kept).toEqual({ a: ['2'] })
  })
})
