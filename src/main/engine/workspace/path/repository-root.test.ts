import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import { repositoryRoot } from './repository-root'

let scratch: Scratch
afterEach(() => scratch.remove())

it('finds the nearest repository above, and worktrees, whose .git is a file', () => {
  scratch = createScratch({
    '.git/HEAD': 'ref: refs/heads/main\n',
    'src/deep/a.ts': '',
    'tree/.git': 'gitdir: elsewhere\n',
    'tree/b.ts': '',
  })
  expect(repositoryRoot(join(scratch.project, 'src', 'deep'))).toBe(scratch.project)
  expect(repositoryRoot(join(scratch.project, 'tree'))).toBe(join(scratch.project, 'tree'))
})

it('does not treat an empty .git, as created by sandboxes, as a repository', () => {
  scratch = createScratch({ 'src/a.ts': '', '.git/HEAD': 'ref: refs/heads/main\n' })
  mkdirSync(join(scratch.project, 'src', '.git'))
  expect(repositoryRoot(join(scratch.project, 'src'))).toBe(scratch.project)
  mkdirSync(join(scratch.home, '.git'))
  expect(repositoryRoot(scratch.home)).toBeUndefined()
})
