import { describe, expect, it } from 'vitest'
import { pathIn, rowStartingWith, shownPath, treeRows, type TreeState } from './tree-rows'

const state: TreeState = {
  folders: new Map([
    [
      '/p',
      {
        path: '/p',
        entries: [
          { name: 'dist', isFolder: true, isIgnored: true as const },
          { name: 'src', isFolder: true },
          { name: 'a.ts', isFolder: false },
        ],
        more: 3,
      },
    ],
    ['/p/dist', { path: '/p/dist', entries: [{ name: 'out.js', isFolder: false }] }],
  ]),
  problems: new Map(),
  open: new Set(['/p/dist', '/p/src']),
}

describe('the rows of the tree', () => {
  it('are those of open folders, and everything in an ignored folder is ignored', () => {
    expect(treeRows('/p', state).map(({ name, level, isIgnored, note }) => [name, level, isIgnored, note])).toEqual([
      ['dist', 1, true, undefined],
      ['out.js', 2, true, undefined],
      ['src', 1, false, undefined],
      ['Loading…', 2, false, 'Loading…'],
      ['a.ts', 1, false, undefined],
      ['3 more not shown', 1, false, '3 more not shown'],
    ])
  })

  it('are found by typed letters', () => {
    const rows = treeRows('/p', state)
    expect(rowStartingWith(rows, 0, 's')).toBe(2)
    expect(rowStartingWith(rows, 2, 'sr')).toBe(2)
    expect(rowStartingWith(rows, 4, 'd')).toBe(0)
    expect(rowStartingWith(rows, 0, 'l')).toBeUndefined()
  })
})

it('paths use the separators of their system, and are shown relative to the project folder', () => {
  expect(pathIn('/p', 'a.ts')).toBe('/p/a.ts')
  expect(pathIn('C:\\p', 'a.ts')).toBe('C:\\p\\a.ts')
  expect(shownPath('/p/src/a.ts', ['/p'])).toBe('src/a.ts')
  expect(shownPath('/other/a.ts', ['/p'])).toBe('/other/a.ts')
})
