import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { Store } from '../../src/main/engine/store/store'

let home: string
let store: Store
const texts = [
  'Please fix the failing test in src/session_store.ts',
  'Die Größe der Datei ist naïve gewählt: CAFÉ',
  '请修复登录页面的错误，谢谢',
  'ログインのバグを直してください',
  'ship it 🚀 now 👩‍💻',
  'SELECT "a" FROM b WHERE c = 1 -- OR NEAR AND NOT',
  `${'filler '.repeat(3000)} the hidden needle is here ${'filler '.repeat(3000)}`,
]

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-search-'))
  store = openStore({ home }).store
  store.create({ sessionId: 's', folder: '/project', title: 'Title', mode: 'ask', addedFolders: [] })
  for (const [n, text] of texts.entries()) {
    if (n % 2 === 0)
      store.append('s', [{ type: 'turn.started', turnId: `t${n}`, parts: [{ type: 'text', text }], model: 'a/b' }])
    else
      store.append('s', [
        {
          type: 'step.finished',
          turnId: 't',
          stepId: 's',
          parts: [
            { type: 'thinking', text: 'secretthought' },
            { type: 'text', text },
          ],
          finish: 'stop',
          durationMs: 1,
        },
      ])
  }
  store.append('s', [{ type: 'turn.steered', turnId: 't', parts: [{ type: 'text', text: 'guardwords' }], by: 'guard' }])
})
afterAll(() => {
  store.close()
  rmSync(home, { recursive: true, force: true })
})

test('a search in one session finds only its messages', () => {
  store.create({ sessionId: 'other', folder: '/project', title: 'Other', mode: 'ask', addedFolders: [] })
  store.append('other', [
    { type: 'turn.started', turnId: 'o', parts: [{ type: 'text', text: 'pelican roosts' }], model: 'a/b' },
  ])
  store.append('s', [
    { type: 'turn.started', turnId: 'p', parts: [{ type: 'text', text: 'pelican sleeps' }], model: 'a/b' },
  ])
  const sessions = (sessionId?: string) => store.search('pelican', 30, sessionId).map((hit) => hit.sessionId)
  expect(sessions()).toEqual(['s', 'other'])
  expect(sessions('other')).toEqual(['other'])
  expect(sessions('unknown')).toEqual([])
})

const found = (query: string): number[] => store.search(query).map((hit) => hit.seq - 2)

test.each([
  ['fail tes', [0]],
  ['session_store', [0]],
  ['SESSION', [0]],
  ['grosse', []],
  ['große cafe', [1]],
  ['naive', [1]],
  ['登录', [2]],
  ['错误', [2]],
  ['录登', []],
  ['バグ', [3]],
  ['🚀', [4]],
  ['"fix the failing"', [0]],
  ['"the fix"', []],
  ['"fix the fail"', []],
  ['NEAR OR not', [5]],
  ['needle', [6]],
  ['secretthought', []],
  ['guardwords', []],
  ['fix nowhere', []],
])('finds the expected messages for %j', (query, seqs) => {
  expect(found(query)).toEqual(seqs)
})

test('the snippet shows the marked match, short and on one line', () => {
  const [hit] = store.search('hidden "needle is"')
  expect(hit?.snippet).toContain('\u0001hidden\u0002 \u0001needle is\u0002 here')
  expect(hit?.snippet.length).toBeLessThan(220)
  expect(hit).toMatchObject({ sessionId: 's', title: 'Title', folder: '/project', seq: 8 })
  expect(store.search('错误')[0]?.snippet).toContain('\u0001错误\u0002')
})

test('results are newest first, up to the requested number', () => {
  expect(store.search('filler', 1)).toHaveLength(1)
  expect(found('the')).toEqual([6, 0])
})

test.each([
  '',
  'ͺ',
  ' ',
  '"',
  '""',
  '*',
  '^',
  'a*',
  '(',
  ')',
  'AND',
  'NOT',
  'a NEAR/2 b',
  'text:x',
  '-',
  '--',
  "'; DROP TABLE event; --",
  '\u0000',
  '\ud800',
  '{}',
  'a"b"c',
  '👩‍👩‍👧‍👦',
  '١٢٣',
  '½',
  'ﷺ',
  '\u0301',
  'x'.repeat(5000),
])('never throws: query %#', (query) => {
  expect(Array.isArray(store.search(query))).toBe(true)
})

test('an empty query does not throw, and every word of a message finds it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (query) => {
      store.search(query)
    }),
    { numRuns: 500 },
  )
  let n = 0
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), (text) => {
      const sessionId = `p${(n += 1)}`
      store.create({ sessionId, folder: '/p', title: '', mode: 'ask', addedFolders: [] })
      store.append(sessionId, [{ type: 'turn.started', turnId: 't', parts: [{ type: 'text', text }], model: 'a/b' }])
      for (const word of text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
        // A letter that is only an accent (U+037A) is not a word.
        if (!/[\p{L}\p{N}]/u.test(word.normalize('NFKD'))) continue
        const hits = store.search(`"${word}"`, 10_000)
        expect(hits.map((hit) => hit.sessionId)).toContain(sessionId)
        expect(hits.find((hit) => hit.sessionId === sessionId)?.snippet).toContain('\u0001')
      }
    }),
    { numRuns: 200 },
  )
})

test('messages undone by a restore are not found, and are found again once it is undone', () => {
  store.create({ sessionId: 'b', folder: '/project', title: 'Title', mode: 'ask', addedFolders: [] })
  const say = (text: string): number =>
    store.append('b', [
      { type: 'turn.started', turnId: text, parts: [{ type: 'text', text: `xylophone ${text}` }], model: 'a/b' },
    ])[0]!.seq
  const goTo = (to: number): number =>
    store.append('b', [
      {
        type: 'checkpoint.restored',
        restoreId: `r${to}`,
        to,
        kept: [],
        changes: [],
        count: 0,
        conversation: { to, todos: [] },
      },
    ])[0]!.seq
  const seqs = (limit = 30): number[] => store.search('xylophone', limit).map(({ seq }) => seq)
  const first = say('first')
  const later = Array.from({ length: 9 }, (_, n) => say(`later ${n}`))
  const restored = goTo(first)
  expect(seqs()).toEqual([first])
  // The search reads enough rows, however many are omitted.
  expect(seqs(1)).toEqual([first])
  goTo(restored - 1)
  expect(seqs()).toEqual([...later.toReversed(), first])
})
