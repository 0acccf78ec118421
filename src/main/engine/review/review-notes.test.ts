import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { checkpointPaths } from '../checkpoint/capture/checkpoint-files'
import { openBlobStore } from '../checkpoint/capture/file-state'
import { addComment, changeComment, placedComments, removeComment } from './review-comments'
import { createNoteStore } from './review-notes'

async function setUp() {
  const home = await tempFolder()
  const notes = createNoteStore(home)
  const place = checkpointPaths(home)
  let ids = 0
  const deps = { notes, place, blobs: openBlobStore(place.blobs), newId: (prefix: string) => `${prefix}-${(ids += 1)}` }
  const comment = (line: number, endLine: number, text: string) =>
    addComment(deps, 's', { path: '/p/a', side: 'new', line, endLine, text: ' Why? ' }, { text, bytes: text.length })
  return { home, notes, deps, comment }
}

describe('the notes of a review', () => {
  test('remember which version of a file was seen, a few versions back', async () => {
    const { home, notes } = await setUp()
    for (let n = 1; n <= 10; n += 1) notes.setViewed('s', { path: '/p/a', key: `${n}` }, true)
    notes.setViewed('s', { path: '/p/b', key: 'x' }, true)
    expect(createNoteStore(home).read('s').viewed['/p/a']).toEqual(['3', '4', '5', '6', '7', '8', '9', '10'])
    notes.setViewed('s', { path: '/p/b', key: 'x' }, false)
    expect(notes.read('s').viewed).not.toHaveProperty('/p/b')
    expect(notes.read('other').viewed).toEqual({})
  })

  test('keep each accepted change once', async () => {
    const { notes } = await setUp()
    notes.setKept('s', '/p/a', ['1', '2'], true)
    notes.setKept('s', '/p/a', ['2', '3'], true)
    notes.setKept('s', '/p/a', ['1'], false)
    expect(notes.read('s').kept).toEqual({ '/p/a': ['2', '3'] })
  })

  test('of a session are in a separate file, whatever its id, and are removed with it', async () => {
    const { home, notes } = await setUp()
    notes.setViewed('../../evil', { path: '/p/a', key: '1' }, true)
    expect(readdirSync(join(home, 'review'))).toEqual(['______evil.json'])
    notes.remove('../../evil')
    expect(readdirSync(join(home, 'review'))).toEqual([])
    notes.remove('../../evil')
  })

  test.each(['', '{', '[]', '7', 'null', '{"comments":7,"viewed":null}'])(
    'that are damaged count as empty: %s',
    async (text) => {
      const { home, notes } = await setUp()
      mkdirSync(join(home, 'review'))
      writeFileSync(join(home, 'review/s.json'), text)
      expect(notes.read('s')).toEqual({ viewed: {}, kept: {}, comments: [], deleted: [] })
    },
  )
})

describe('a comment', () => {
  const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\r\n`).join('')

  test('quotes its lines without their ends, and not too many of them', async () => {
    const { comment } = await setUp()
    expect(comment(2, 3, LINES)).toMatchObject({ text: 'Why?', quote: 'line 2\nline 3' })
    expect(comment(1, 20, LINES).quote).toMatch(/line 20$/)
    expect(comment(1, 21, LINES).quote).toMatch(/line 20\n… 1 more line$/)
    expect(comment(1, 30, LINES).quote).toMatch(/line 20\n… 10 more lines$/)
  })

  test('is refused on lines that do not exist', async () => {
    const { comment } = await setUp()
    expect(() => comment(31, 31, LINES)).toThrow('/p/a has 30 lines.')
    expect(() => comment(2, 2, 'one')).toThrow('/p/a has 1 line.')
    expect(() => comment(2, 1, LINES)).toThrow('/p/a has 30 lines.')
    expect(() => comment(1, 1, '')).toThrow('/p/a has 0 lines.')
  })

  test('can be changed, deleted and restored, and an unknown one is refused', async () => {
    const { notes, comment } = await setUp()
    const { id } = comment(1, 1, LINES)
    changeComment(notes, 's', id, ' Because. ')
    removeComment(notes, 's', id, false)
    expect(notes.read('s')).toMatchObject({ comments: [], deleted: [{ id, text: 'Because.' }] })
    removeComment(notes, 's', id, true)
    removeComment(notes, 's', id, true)
    expect(notes.read('s')).toMatchObject({ comments: [{ id }], deleted: [] })
    expect(() => changeComment(notes, 's', 'other', 'x')).toThrow('there is no comment other')
  })

  test('follows its lines through several changes, even when line ends change', async () => {
    const { notes, deps, comment } = await setUp()
    comment(2, 2, 'one\ntwo\nthree\n')
    const placed = (text: string) =>
      placedComments(deps, 's', { textFor: () => ({ text, bytes: text.length }), nameOf: () => 'a', follows: true })
    expect(await placed('new\none\ntwo\nthree\n')).toMatchObject([{ line: 3, endLine: 3 }])
    expect(notes.read('s').comments).toMatchObject([{ line: 3 }])
    expect(await placed('new\r\nnew\r\none\r\ntwo\r\nthree\r\n')).toMatchObject([{ line: 4 }])
    expect(await placed('one\nthree\n')).toMatchObject([{ gone: true }])
    expect(await placed('two\n')).toMatchObject([{ line: 1 }])
  })
})
