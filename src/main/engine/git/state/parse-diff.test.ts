import { applyPatch, createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDiff, patchOf } from './parse-diff'

/** Lines that look like other parts of a diff are the most likely to fail. */
const line = fc.constantFrom(
  '',
  'plain',
  '-- a/x',
  '++ b/x',
  '- a',
  '+ b',
  '@@ -1 +1 @@',
  'diff --git a/x b/x',
  '\\ No newline at end of file',
  'Binary files a/x and b/x differ',
  'Grüße 世界',
  'ends with a return\r',
)
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, isWhole]) => lines.join('\n') + (isWhole && lines.length > 0 ? '\n' : ''))

function gitDiff(before: string, after: string): Buffer {
  const patch = createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context: 1 })
  const hunks = patch.slice(patch.indexOf('--- a/x'))
  return Buffer.from(`diff --git a/x b/x\nindex 1..2 100644\n${hunks}`)
}

test('preserves every hunk, whatever its lines look like', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after)
      const diff = Buffer.concat([gitDiff(before, after), gitDiff('one\n', 'two\n')])
      const files = parseDiff(diff)
      expect(files).toHaveLength(2)
      const [first] = files
      expect({ old: first!.oldName, new: first!.newName, binary: first!.binary }).toEqual({
        old: 'a/x',
        new: 'b/x',
        binary: false,
      })
      expect(applyPatch(before, patchOf(first!, first!.hunks).toString('utf8'))).toBe(after)
      expect(files[1]).toMatchObject({ added: 1, removed: 1 })
    }),
    { numRuns: 150, seed: 14 },
  )
})

test('counts added and removed lines', () => {
  const [file] = parseDiff(gitDiff('a\nb\nc\n', 'a\nB\nc\nd\n'))
  expect(file).toMatchObject({ added: 2, removed: 1 })
})

test('a hunk keeps its id while its content is the same, and gets another if a byte differs', () => {
  const idOf = (after: string): string => parseDiff(gitDiff('a\n', after))[0]!.hunks[0]!.id
  expect(idOf('b\n')).toBe(idOf('b\n'))
  expect(idOf('b\n')).not.toBe(idOf('b\r\n'))
})

test('a patch of some hunks leaves out the others', () => {
  const before = Array.from({ length: 20 }, (_, at) => `${at}\n`).join('')
  const after = before.replace('2\n', 'two\n').replace('17\n', 'seventeen\n')
  const [file] = parseDiff(gitDiff(before, after))
  expect(file!.hunks).toHaveLength(2)
  const patched = applyPatch(before, patchOf(file!, [file!.hunks[1]!]).toString('utf8'))
  expect(patched).toBe(before.replace('17\n', 'seventeen\n'))
})

test('a patch of a renamed file has its new name, even with a space in it', () => {
  const [file] = parseDiff(
    Buffer.from(
      'diff --git a/old b/new name\nsimilarity index 90%\nrename from old\nrename to new name\n' +
        '--- a/old\t\n+++ b/new name\t\n@@ -1 +1 @@\n-a\n+b\n',
    ),
  )
  expect(patchOf(file!, file!.hunks).toString()).toBe(
    'diff --git a/new name b/new name\n--- a/new name\t\n+++ b/new name\t\n@@ -1 +1 @@\n-a\n+b\n',
  )
})

test('recognizes binary, new and deleted files', () => {
  const files = parseDiff(
    Buffer.from(
      [
        'diff --git a/x.png b/x.png',
        'index 1..2 100644',
        'Binary files a/x.png and b/x.png differ',
        'diff --git a/new b/new',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new',
        '@@ -0,0 +1 @@',
        '+x',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        '--- a/gone',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        '',
      ].join('\n'),
    ),
  )
  expect(files.map(({ binary, oldName, newName }) => ({ binary, oldName, newName }))).toEqual([
    { binary: true, oldName: undefined, newName: undefined },
    { binary: false, oldName: undefined, newName: 'b/new' },
    { binary: false, oldName: 'a/gone', newName: undefined },
  ])
})
