import fc from 'fast-check'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { RUNS_ALL } from '../support/sampled'
import { createWorktreeLab, type WorktreeLab } from '../support/worktree-lab'

/**
 * The operations, done in random order. Only the test and Git, through Trestle, write files, so the test knows every
 * byte that was ever written: everything that it did not delete or replace itself must be found again.
 */
type Step =
  | { do: 'session'; changes: boolean }
  | { do: 'edit'; where: number; file: number; text: string; stage: boolean }
  | { do: 'commit'; where: number; amend: boolean }
  | { do: 'remove' | 'restore' | 'update'; which: number }
  | { do: 'merge'; which: number; way: 'merge' | 'squash' | 'rebase' }

/** `.env` is copied into worktrees. */
const FILES = ['a.txt', 'sub/b.txt', 'c "d"\n.bin', 'ignored/e.txt', 'ignored/.env']
const text = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }).map((word) => `${word}\r\n\0${word}`)
const index = fc.nat({ max: 7 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('session' as const), changes: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      where: index,
      file: fc.nat({ max: FILES.length - 1 }),
      text,
      stage: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const), where: index, amend: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'restore' as const), which: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const), which: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('merge' as const),
      which: index,
      way: fc.constantFrom('merge' as const, 'squash' as const, 'rebase' as const),
    }),
  },
)

const RUNS = Number(process.env['WORKTREE_RUNS'] ?? (RUNS_ALL ? 1_000 : 3))
const SEED = 20_260_301

test(
  `no byte is lost or overwritten in ${RUNS} random sequences of session, edit, restore, merge and remove`,
  async () => {
    const steps = fc.array(step, { minLength: 6, maxLength: 14 })
    const found = await fc.check(fc.asyncProperty(steps, play), { seed: SEED, numRuns: RUNS, endOnFailure: true })
    const why = String(found.errorInstance)
    expect(found.failed ? `${fc.defaultReportMessage(found)}\n${why}` : 'passed').toBe('passed')
  },
  3 * 3_600_000,
)

async function play(steps: readonly Step[]): Promise<void> {
  const lab = createWorktreeLab()
  try {
    const project = lab.repository('shop', { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', '.gitignore': 'ignored/\n' })
    for (const each of steps) await playOne(lab, project, each)
  } finally {
    await lab.worktrees.close()
    lab.remove()
  }
}

async function playOne(lab: WorktreeLab, project: string, each: Step): Promise<void> {
  const all = (await lab.worktrees.list()).toReversed()
  const places = [project, ...all.filter(({ state }) => state === 'ready').map(({ folder }) => folder)]
  const before = world(lab, project, all)
  const one = 'which' in each ? all[each.which % Math.max(all.length, 1)] : undefined
  if ('which' in each && !one) return
  try {
    if (each.do === 'session') await lab.worktrees.create(project, { changes: each.changes })
    else if (each.do === 'edit') {
      edit(lab, places[each.where % places.length]!, FILES[each.file]!, each.text, each.stage)
      return
    } else if (each.do === 'commit') {
      commit(lab, places[each.where % places.length]!, each.amend)
      return
    } else if (each.do === 'merge') await lab.worktrees.merge(one!.worktreeId, { way: each.way, commit: 'Work' })
    else if (each.do === 'update') await lab.worktrees.update(one!.worktreeId, { way: 'merge', commit: 'Work' })
    else await lab.worktrees[each.do](one!.worktreeId)
  } catch (error) {
    // Refusing is fine; only performed operations count.
    if (!(error instanceof CodedError)) throw error
  }
  await requireKept(lab, project, before, each)
}

interface World {
  /** Files of every working tree by place, with their content. */
  files: Map<string, string>
  /** Commits that a ref or reflog refers to. */
  commits: Set<string>
  /** Staged blobs. */
  staged: Set<string>
  /** Working trees with the project first. */
  places: string[]
}

function world(lab: WorktreeLab, project: string, all: readonly { state: string; folder: string }[]): World {
  const places = [project, ...all.filter(({ state }) => state === 'ready').map(({ folder }) => folder)]
  const files = new Map<string, string>()
  const commits = new Set<string>()
  const staged = new Set<string>()
  for (const place of places) {
    for (const [name, content] of filesIn(place)) files.set(`${place}\0${name}`, content)
    for (const hash of lab.git(place, 'reflog', '--all', '--format=%H').split('\n')) if (hash) commits.add(hash)
    for (const line of lab.git(place, 'ls-files', '-s', '-z').split('\0')) if (line) staged.add(line.split(' ')[1]!)
  }
  for (const hash of lab.git(project, 'for-each-ref', '--format=%(objectname)').split('\n')) if (hash) commits.add(hash)
  return { files, commits, staged, places }
}

/** Checks that everything is where it was before, or that Git still has it, safe from Git's garbage collection. */
async function requireKept(lab: WorktreeLab, project: string, before: World, each: Step): Promise<void> {
  const now = world(lab, project, await lab.worktrees.list())
  const reachable = new Set(
    lab
      .git(project, 'rev-list', '--objects', '--all', '--reflog', '--indexed-objects')
      .split('\n')
      .map((line) => line.split(' ', 1)[0]!),
  )
  const blobs = new Map<string, string>()
  // A copied file is not saved while the project has the same one.
  const isInProject = (key: string, content: string): boolean =>
    key.endsWith('.env') && now.files.get(`${project}\0${key.split('\0')[1]}`) === content
  const lost: string[] = []
  for (const [key, content] of before.files) {
    if (now.files.get(key) === content || isInProject(key, content)) continue
    if (!blobs.has(content)) blobs.set(content, blobOf(lab, project, content))
    if (!reachable.has(blobs.get(content)!)) lost.push(`file ${JSON.stringify(key)}`)
  }
  const trees = now.places.flatMap((place) =>
    lab.git(place, 'rev-list', '--objects', '--all', '--reflog', '--indexed-objects').split('\n'),
  )
  for (const line of trees) reachable.add(line.split(' ', 1)[0]!)
  for (const hash of [...before.commits, ...before.staged]) if (!reachable.has(hash)) lost.push(`object ${hash}`)
  expect(lost, `after ${JSON.stringify(each)}`).toEqual([])
  // The user's checkout changes only by a merge into its current branch.
  if (each.do === 'merge') return
  const own = (of: World): [string, string][] => [...of.files].filter(([key]) => key.startsWith(`${project}\0`))
  expect(own(now)).toEqual(own(before))
}

function blobOf(lab: WorktreeLab, project: string, content: string): string {
  const file = join(lab.root, 'content')
  writeFileSync(file, Buffer.from(content, 'latin1'))
  return lab.git(project, 'hash-object', '--no-filters', file).trim()
}

function filesIn(folder: string): [string, string][] {
  const found: [string, string][] = []
  const walk = (at: string, name: string): void => {
    for (const entry of readdirSync(at).toSorted()) {
      if (entry === '.git') continue
      const path = join(at, entry)
      const shown = name === '' ? entry : `${name}/${entry}`
      const stat = lstatSync(path)
      if (stat.isDirectory()) walk(path, shown)
      else found.push([shown, stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'latin1')])
    }
  }
  walk(folder, '')
  return found
}

function edit(lab: WorktreeLab, place: string, file: string, content: string, stage: boolean): void {
  const path = join(place, file)
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  writeFileSync(path, content)
  if (stage && !file.startsWith('ignored/')) lab.git(place, 'add', '--', file)
}

function commit(lab: WorktreeLab, place: string, amend: boolean): void {
  lab.git(place, 'add', '-A')
  lab.git(place, 'commit', '-q', '--allow-empty', '-m', 'work', ...(amend ? ['--amend'] : []))
}
