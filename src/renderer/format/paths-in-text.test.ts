import { describe, expect, it } from 'vitest'
import { parsePath, findPaths } from './paths-in-text'

const found = (text: string) =>
  findPaths(text).map(({ path, line, column }) => [path, line, column].filter((part) => part !== undefined).join(':'))

describe('paths in a text', () => {
  it('are found with their position in prose, compiler messages and stack traces', () => {
    expect(found('See src/app.ts:3 and (lib/a-b.tsx:10:5), then README.md.')).toEqual([
      'src/app.ts:3',
      'lib/a-b.tsx:10:5',
      'README.md',
    ])
    expect(found('    at run (/home/me/project/src/run.js:12:34)')).toEqual(['/home/me/project/src/run.js:12:34'])
    expect(found('src/x.ts(4,7): error TS2304')).toEqual(['src/x.ts:4:7'])
    expect(found('  File "lib/main.py", line 42, in f')).toEqual(['lib/main.py:42'])
    expect(found('docs/guide.md#L8, ./a/b.c and ../up.h')).toEqual(['docs/guide.md:8', './a/b.c', '../up.h'])
    expect(found('app/[id]/page.tsx')).toEqual(['app/[id]/page.tsx'])
  })

  it.each([
    'https://example.org/src/app.ts:3',
    'version 1.2.3',
    '3/4 of 10.5',
    'no dots here',
    'http://127.0.0.1:80/a.js',
  ])('are not found in %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('count as the whole code span or link only if it contains nothing else', () => {
    expect(parsePath(' src/app.ts:3 ')).toMatchObject({ path: 'src/app.ts', line: 3 })
    expect(parsePath('Makefile')).toMatchObject({ path: 'Makefile' })
    for (const other of ['npm run build', 'https://a.b/c.ts', 'cat a.ts b.ts', 'x = y/z', ''])
      expect(parsePath(other)).toBeUndefined()
  })

  it('can contain route folders, letters with diacritics, and in a code span spaces', () => {
    expect(found('See (app)/[...all]/page.tsx:2, app/routes/$id.tsx and e\u0301-a.ts (in src/b.ts).')).toEqual([
      '(app)/[...all]/page.tsx:2',
      'app/routes/$id.tsx',
      'e\u0301-a.ts',
      'src/b.ts',
    ])
    expect(parsePath('docs/Annual report.pdf')).toMatchObject({ path: 'docs/Annual report.pdf' })
    expect(parsePath('a b#c?d%.md:2')).toMatchObject({ path: 'a b#c?d%.md', line: 2 })
    for (const other of ['node a.js && b.ts', 'node --test a.ts', 'a = b.ts', 'rm "x y.ts"'])
      expect(parsePath(other)).toBeUndefined()
  })

  it('are found quickly in any text', () => {
    for (const piece of ['a/', 'a.', './', '((', '(a)', '(a)/', '[a', '[', '$', 'a:1'])
      expect(findPaths(piece.repeat(20_000)).length).toBeLessThanOrEqual(60)
  })
})

it('accepts line ranges, and file URLs in stack traces', () => {
  const places = (text: string) =>
    findPaths(text).map(({ start, end, path, line }) => [text.slice(start, end), path, line])
  expect(places('see src/a.ts:3-7 and src/b.ts#L10-L12.')).toEqual([
    ['src/a.ts:3-7', 'src/a.ts', 3],
    ['src/b.ts#L10-L12', 'src/b.ts', 10],
  ])
  expect(places('    at run (file:///p/src/a.ts:3:5)')).toEqual([['file:///p/src/a.ts:3:5', '/p/src/a.ts', 3]])
})
