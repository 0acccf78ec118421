import { hash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { statAt } from '../../src/main/engine/checkpoint/capture/file-state'
import { checkpointBench, type CheckpointBench } from '../support/checkpoint-bench'
import { changeTree, treeChange, treeOf, type TreeChange } from '../support/scratch-tree'

/** All 1,000 with TRESTLE_CHECKPOINT_RUNS=1000. */
const RUNS = Number(process.env['TRESTLE_CHECKPOINT_RUNS'] ?? 40)

type Move =
  | { by: 'edit'; change: TreeChange & { do: 'write' | 'append' } }
  | { by: 'command' | 'outside'; changes: TreeChange[] }
  | { by: 'turn' }
  | { by: 'restart' }
  /** Goes back to one of the existing points, and sometimes forward again. */
  | { by: 'restore'; point: number; redo: boolean }

const edit = treeChange.filter(
  (change): change is TreeChange & { do: 'write' | 'append' } => change.do === 'write' || change.do === 'append',
)
const changes = fc.array(treeChange, { minLength: 1, maxLength: 5 })
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ by: fc.constant('edit' as const), change: edit }) },
  { weight: 4, arbitrary: fc.record({ by: fc.constant('command' as const), changes }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('outside' as const), changes }) },
  { weight: 3, arbitrary: fc.constant({ by: 'turn' as const }) },
  { weight: 1, arbitrary: fc.constant({ by: 'restart' as const }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('restore' as const), point: fc.nat(20), redo: fc.boolean() }) },
)

/** Sequences that once failed. */
const FOUND: [Move[]][] = [
  [
    [
      {
        by: 'outside',
        changes: [
          { do: 'write', path: 'b.txt', content: '' },
          { do: 'delete', path: 'a' },
        ],
      },
      { by: 'turn' },
      {
        by: 'command',
        changes: [
          { do: 'delete', path: 'b.txt' },
          { do: 'append', path: 'a', content: '' },
        ],
      },
      { by: 'turn' },
      { by: 'restore', point: 0, redo: false },
      { by: 'restore', point: 1, redo: false },
    ],
  ],
  [
    [
      { by: 'turn' },
      { by: 'command', changes: [{ do: 'link', path: 'a/a', target: 'a' }] },
      { by: 'restore', point: 0, redo: false },
      { by: 'command', changes: [{ do: 'link', path: 'a', target: 'a' }] },
      { by: 'command', changes: [{ do: 'write', path: 'a/a', content: '' }] },
      { by: 'restore', point: 0, redo: false },
      { by: 'restore', point: 0, redo: false },
    ],
  ],
]

test(
  'restore brings back the earlier state, redo the later one, and no change made by another process is ever lost',
  { timeout: 180_000 + RUNS * 1000 },
  async () => {
    const bench = await checkpointBench()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 4, maxLength: 24 }), async (moves) => {
        rmSync(bench.root, { recursive: true, force: true })
        mkdirSync(bench.root)
        run += 1
        expect(await play(bench, moves, run)).toEqual([])
      }),
      { numRuns: RUNS, examples: FOUND },
    )
  },
)

/** The deviations from the expected state. */
async function play(bench: CheckpointBench, moves: readonly Move[], run: number): Promise<unknown[]> {
  const { root } = bench
  const points: { to: number; tree: Record<string, string>; alone: boolean }[] = []
  const wrong: unknown[] = []
  const same = (what: string, found: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(found, expected)) wrong.push({ what, found, expected })
  }
  let signs = 0
  const sign = (by: string): string => `<${by} ${run} ${(signs += 1)}>`
  /**
   * The content that a restore has written, by path. Continuing from there to a later point may remove it again, like a
   * redo.
   */
  const placed = new Set<string>()
  const strangers = (): { entry: string; content: string }[] =>
    Object.entries(treeOf(root)).flatMap(([path, one]) =>
      one.startsWith('file') && isTheirs(one) ? [{ entry: `${path} ${one}`, content: contentOf(one) }] : [],
    )
  for (const step of moves) {
    switch (step.by) {
      case 'turn':
        points.push({ to: bench.turn(), tree: treeOf(root), alone: true })
        break
      case 'restart':
        bench.restart()
        break
      case 'edit': {
        const path = join(root, step.change.path)
        if (isWritable(path, root)) await bench.edit(path, () => changeTree(root, step.change, sign('agent')))
        break
      }
      case 'command':
        await bench.command(() => {
          for (const change of step.changes) changeTree(root, change, sign('agent'))
        })
        break
      case 'outside':
        for (const change of step.changes) changeTree(root, change, sign('other'))
        for (const point of points) point.alone = false
        break
      case 'restore': {
        const point = points[step.point % Math.max(1, points.length)]
        if (!point) break
        const before = treeOf(root)
        const theirs = strangers()
        const result = await bench.restore({ to: point.to })
        const left = new Set(strangers().map(({ content }) => content))
        const gone = theirs.filter(({ content }) => !left.has(content))
        same(
          'what others wrote is there',
          gone.filter(({ entry }) => !placed.has(entry)),
          [],
        )
        same(
          'what can be brought back is kept',
          gone.filter(({ content }) => !bench.deps.blobs.has(hash('sha256', Buffer.from(content, 'latin1'), 'hex'))),
          [],
        )
        const present = new Set(theirs.map(({ entry }) => entry))
        for (const { entry } of strangers()) if (!present.has(entry)) placed.add(entry)
        if (point.alone) same('restored', { kept: result.kept, tree: treeOf(root) }, { kept: [], tree: point.tree })
        if (!step.redo || result.seq === undefined) break
        await bench.restore({ to: result.seq - 1 })
        same('redone', treeOf(root), before)
      }
    }
  }
  return wrong
}

function contentOf(entry: string): string {
  return Buffer.from(entry.slice(entry.lastIndexOf(' ') + 1), 'base64').toString('latin1')
}

/** The last content written by another process. */
function isTheirs(entry: string): boolean {
  return contentOf(entry).lastIndexOf('<other') > contentOf(entry).lastIndexOf('<agent')
}

/** The tools write to real paths of files. */
function isWritable(path: string, root: string): boolean {
  if (statAt(path)?.isFile() === false) return false
  for (let at = dirname(path); at !== root; at = dirname(at)) if (statAt(at)?.isDirectory() === false) return false
  return true
}
