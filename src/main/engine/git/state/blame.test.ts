import { expect, test } from 'vitest'
import { parseBlame } from './blame'

const [A, B, NONE] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)]

function about(author: string, at: number, summary: string): string[] {
  return [`author ${author}`, 'author-mail <x@example.com>', `author-time ${at}`, `summary ${summary}`, 'filename x']
}

const blameOf = (...lines: string[]) => parseBlame(Buffer.from(`${lines.join('\n')}\n`))

test('consecutive lines of one commit are one run', () => {
  expect(
    blameOf(
      `${A} 1 1 2`,
      ...about('Ada', 1_700_000_000, 'first'),
      '\tone',
      `${A} 2 2`,
      '\ttwo',
      `${B} 1 3 1`,
      ...about('Bob', 1_700_000_100, 'second'),
      '\tthree',
      // The details of a commit are printed once.
      `${A} 3 4 1`,
      '\tfour',
    ),
  ).toEqual([
    { line: 1, count: 2, commit: A, author: 'Ada', at: 1_700_000_000_000, subject: 'first' },
    { line: 3, count: 1, commit: B, author: 'Bob', at: 1_700_000_100_000, subject: 'second' },
    { line: 4, count: 1, commit: A, author: 'Ada', at: 1_700_000_000_000, subject: 'first' },
  ])
})

test('uncommitted lines are marked', () => {
  expect(blameOf(`${NONE} 1 1 1`, ...about('Not Committed Yet', 1, 'Version of x'), '\tone')).toMatchObject([
    { line: 1, uncommitted: true },
  ])
})

test('a line or a subject is never mistaken for a header', () => {
  const runs = blameOf(
    `${A} 1 1 2`,
    ...about('Ada', 1, 'author Mallory'),
    '\tauthor Mallory',
    `${A} 2 2`,
    `\t${B} 1 1 1`,
  )
  expect(runs).toMatchObject([{ line: 1, count: 2, commit: A, author: 'Ada', subject: 'author Mallory' }])
})

test('an empty file has no lines', () => expect(parseBlame(Buffer.alloc(0))).toEqual([]))
