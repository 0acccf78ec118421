import { expect, test } from 'vitest'
import { commitGraph, graphWidth } from './commit-graph'

const commits = (...lines: string[]) =>
  lines.map((line) => {
    const [hash = '', ...parents] = line.split(' ')
    return { hash, parents }
  })

test('a straight history stays in one lane', () => {
  const rows = commitGraph(commits('c b', 'b a', 'a'))
  expect(rows.map(({ lane }) => lane)).toEqual([0, 0, 0])
  expect(graphWidth(rows)).toBe(1)
})

test('a merged branch has its own lane, which ends where it started', () => {
  const rows = commitGraph(commits('m b t', 'b a', 't a', 'a'))
  expect(rows).toEqual([
    { lane: 0, through: [], into: [], out: [0, 1] },
    { lane: 0, through: [1], into: [0], out: [0] },
    { lane: 1, through: [0], into: [1], out: [0] },
    { lane: 0, through: [], into: [0], out: [] },
  ])
})

test('unrelated histories and the rest of a page start lanes', () => {
  const rows = commitGraph(commits('b a', 'y x', 'a', 'x'))
  expect(rows.map(({ lane }) => lane)).toEqual([0, 1, 0, 1])
})

test('a parent listed above its child has no connection', () => {
  expect(commitGraph(commits('a', 'b a'))).toEqual([
    { lane: 0, through: [], into: [], out: [] },
    { lane: 0, through: [], into: [], out: [] },
  ])
})

test('100,000 commits are placed in seconds, even on a busy machine', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => ({
    hash: `h${n}`,
    parents: n % 7 === 0 ? [`h${n + 1}`, `h${n + 5}`] : [`h${n + 1}`],
  }))
  const start = performance.now()
  expect(commitGraph(many)).toHaveLength(100_000)
  expect(performance.now() - start).toBeLessThan(30_000)
})
