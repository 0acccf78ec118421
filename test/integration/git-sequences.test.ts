import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { createGitLab, type GitLab } from '../support/git-lab'
import { RUNS_ALL } from '../support/sampled'

/** All 1,000 with TRESTLE_TESTS=all. */
const RUNS = Number(process.env['TRESTLE_GIT_RUNS'] ?? (RUNS_ALL ? 1_000 : 8))
const PATHS = ['a.txt', 'b.txt', 'dir/c.txt', 'dir', 'x.log', 'dir/y.log'] as const
const BRANCHES = ['main', 'one', 'two'] as const

const path = fc.constantFrom(...PATHS)
const branch = fc.constantFrom(...BRANCHES)
const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((all) => all.join('\n'))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, text: lines }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('link' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('stage', 'unstage', 'discard', 'stageHunk', 'discardHunk', 'takeOurs', 'takeTheirs'),
      path,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('create', 'switch', 'remove', 'merge'), branch }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'stageAll',
        'forceAdd',
        'commit',
        'amend',
        'stash',
        'apply',
        'pop',
        'drop',
        'restoreStash',
        'restoreKept',
        'abort',
        'continue',
      ),
    }),
  },
)
type Step = { do: string; path?: string; branch?: string; text?: string }

/** Content that once was in the working tree must still be there, or be reachable by a name. */
test(
  `no operation loses content of the working tree, in ${RUNS} random sequences`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
        const lab = createGitLab()
        try {
          const repo = lab.repository('r', { 'a.txt': 'a\nb\n', 'dir/c.txt': 'c\n', '.gitignore': '*.log\n' })
          const named: string[] = []
          for (const each of steps as Step[]) {
            if (changeByHand(repo, each)) continue
            const before = blobsOf(repo)
            try {
              await perform(lab, repo, each, named)
            } catch (error) {
              // Refusing is always allowed.
              if (!(error instanceof CodedError)) throw error
            }
            const after = blobsOf(repo)
            const gone = [...before].filter(([id]) => !after.has(id))
            if (gone.length === 0) continue
            const found = recoverable(lab, repo, named)
            expect({ step: each, lost: gone.filter(([id]) => !found.has(id)) }).toEqual({ step: each, lost: [] })
          }
        } finally {
          lab.remove()
        }
      }),
      { numRuns: RUNS, seed: 20261126, endOnFailure: false },
    )
  },
  600_000 + RUNS * 10_000,
)

/** File operations by the user, who is responsible for losses through them. */
function changeByHand(repo: string, { do: what, path: name = '', text = '' }: Step): boolean {
  if (what !== 'write' && what !== 'delete' && what !== 'link') return false
  const file = join(repo, name)
  try {
    if (what === 'delete' || lstatSync(file, { throwIfNoEntry: false })?.isDirectory() || what === 'link')
      rmSync(file, { recursive: true, force: true })
    if (what === 'delete') return true
    mkdirSync(dirname(file), { recursive: true })
    if (what === 'link') symlinkSync('a.txt', file)
    else {
      if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(file)
      writeFileSync(file, text)
    }
  } catch (error) {
    // A file or a broken link is in the place of a folder.
    if (!/^(?:ENOTDIR|EEXIST|ENOENT|ELOOP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  return true
}

async function perform(
  { actions, git }: GitLab,
  repo: string,
  { do: what, path: file = '', branch: name = '' }: Step,
  named: string[],
): Promise<void> {
  const [stash] = await actions.stashes(repo)
  switch (what) {
    case 'stage':
      return actions.stage(repo, [file])
    case 'unstage':
      return actions.unstage(repo, [file])
    case 'discard':
      return void (await actions.discard(repo, [file]))
    case 'stageHunk':
    case 'discardHunk': {
      const { hunks } = await actions.diff(repo, { path: file, side: 'unstaged' })
      if (!hunks[0]) return undefined
      return void (await actions[what === 'stageHunk' ? 'stageHunks' : 'discardHunks'](repo, {
        path: file,
        hunkIds: [hunks[0].id],
      }))
    }
    case 'takeOurs':
    case 'takeTheirs':
      return void (await actions.takeSide(repo, { path: file, choice: what === 'takeOurs' ? 'ours' : 'theirs' }))
    case 'create':
      return actions.createBranch(repo, { name, checkout: true })
    case 'switch':
      return void (await actions.switch(repo, `refs/heads/${name}`))
    case 'remove': {
      const { commit } = await actions.deleteBranch(repo, name, true)
      return void named.push(commit)
    }
    case 'merge':
      try {
        // Run directly, to create conflicts. Git's own options keep it from replacing ignored files.
        git(repo, 'merge', '-q', '--no-edit', '--no-overwrite-ignore', name)
      } catch {
        // There are conflicts, or nothing to merge.
      }
      return undefined
    case 'stageAll':
      return actions.stage(repo, 'all')
    case 'forceAdd':
      try {
        git(repo, 'add', '-f', '.')
      } catch {
        // There may be conflicts between names.
      }
      return undefined
    case 'commit':
    case 'amend':
      return void (await actions.commit(repo, { message: what, amend: what === 'amend' }))
    case 'stash':
      return void (await actions.saveStash(repo, { message: 'random', untracked: true }))
    case 'apply':
    case 'pop':
      if (stash && what === 'pop') named.push(stash.hash)
      return stash && actions.applyStash(repo, stash.hash, what === 'pop')
    case 'drop':
      if (!stash) return undefined
      named.push((await actions.dropStash(repo, stash.hash)).hash)
      return undefined
    case 'restoreStash': {
      const hash = named.find((each) => git(repo, 'log', '-1', '--format=%P', each).trim().includes(' '))
      return hash === undefined ? undefined : actions.restoreStash(repo, { hash, message: 'again' })
    }
    case 'restoreKept': {
      const [kept] = await actions.kept(repo)
      return kept && void (await actions.restoreKept(repo, kept.id))
    }
    case 'abort':
      return void (await actions.abortOperation(repo))
    default:
      return actions.continueOperation(repo)
  }
}

/** The blobs of all files and links in a working tree, each with one of its names. */
function blobsOf(repo: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(repo, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isDirectory() || file.startsWith(join(repo, '.git/'))) continue
    found.set(
      blobOf(entry.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file)),
      file.slice(repo.length + 1),
    )
  }
  return found
}

function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** All objects reachable from refs, reflogs, stashes, the index, the results of operations, and kept copies. */
function recoverable({ git, home }: GitLab, repo: string, named: readonly string[]): Set<string> {
  const objects = git(repo, 'rev-list', '--objects', '--all', '--reflog', '--indexed-objects', ...named)
  const ids = objects.split('\n').map((line) => line.split(' ')[0] ?? '')
  const kept = join(home, 'git', 'kept')
  const copies = lstatSync(kept, { throwIfNoEntry: false })
    ? readdirSync(kept, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .flatMap((entry) => {
          const bytes = readFileSync(join(entry.parentPath, entry.name))
          if (entry.name !== 'meta.json') return [blobOf(bytes)]
          const { files } = JSON.parse(bytes.toString('utf8')) as { files: { link?: string }[] }
          return files.flatMap(({ link }) => (link === undefined ? [] : [blobOf(Buffer.from(link, 'latin1'))]))
        })
    : []
  return new Set([...ids, ...copies])
}
