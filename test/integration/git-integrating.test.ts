import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createGitLab, type GitLab } from '../support/git-lab'

let lab: GitLab
beforeEach(() => void (lab = createGitLab()))
afterEach(() => lab.remove())

const read = (repo: string, name: string): string => readFileSync(join(repo, name), 'utf8')
const subject = (repo: string): string => lab.git(repo, 'log', '-1', '--format=%s').trim()
const hash = (repo: string, name: string): string => lab.git(repo, 'rev-parse', name).trim()

/** A repository with a branch `work`, each side with a commit of its own in these files. */
function diverged(name: string, theirs: Record<string, string>, ours: Record<string, string>): string {
  const repo = lab.repository(name, { 'a.txt': 'one\n' })
  lab.git(repo, 'switch', '--quiet', '--create', 'work')
  lab.write(repo, theirs)
  lab.git(repo, 'add', '.')
  lab.git(repo, 'commit', '--quiet', '--message', 'theirs')
  lab.git(repo, 'switch', '--quiet', '-')
  lab.write(repo, ours)
  lab.git(repo, 'add', '.')
  lab.git(repo, 'commit', '--quiet', '--message', 'ours')
  return repo
}

it('merges a branch with its short name in the message, and reports when it is already merged', async () => {
  const repo = diverged('merge', { 'b.txt': 'theirs\n' }, { 'c.txt': 'ours\n' })
  expect(await lab.actions.merge(repo, 'refs/heads/work')).toEqual({ outcome: 'done', conflicts: 0 })
  expect(subject(repo)).toBe("Merge branch 'work'")
  expect([read(repo, 'b.txt'), read(repo, 'c.txt')]).toEqual(['theirs\n', 'ours\n'])
  expect(await lab.actions.merge(repo, 'refs/heads/work')).toEqual({ outcome: 'unchanged', conflicts: 0 })
})

it('a merge with conflicts waits, is resolved and continued, or aborted without a trace', async () => {
  const repo = diverged('conflict', { 'a.txt': 'theirs\n' }, { 'a.txt': 'ours\n' })
  const before = hash(repo, 'HEAD')
  expect(await lab.actions.merge(repo, 'refs/heads/work')).toEqual({ outcome: 'conflicts', conflicts: 1 })
  expect(await lab.actions.status(repo)).toMatchObject({ operation: { kind: 'merge' }, conflicts: [{ path: 'a.txt' }] })
  await expect(lab.actions.merge(repo, 'refs/heads/work')).rejects.toMatchObject({ code: 'git.busy' })
  await lab.actions.abortOperation(repo)
  expect([read(repo, 'a.txt'), hash(repo, 'HEAD')]).toEqual(['ours\n', before])
  await lab.actions.merge(repo, 'refs/heads/work')
  await lab.actions.takeSide(repo, { path: 'a.txt', choice: 'theirs' })
  await lab.actions.continueOperation(repo)
  expect(read(repo, 'a.txt')).toBe('theirs\n')
  expect(lab.git(repo, 'rev-list', '--parents', '--max-count=1', 'HEAD').trim().split(' ')).toHaveLength(3)
})

it('a merge overwrites neither changes nor ignored files', async () => {
  const repo = diverged('in-the-way', { 'secret.env': 'theirs\n', 'a.txt': 'theirs\n' }, { '.gitignore': '*.env\n' })
  writeFileSync(join(repo, 'secret.env'), 'mine')
  await expect(lab.actions.merge(repo, 'refs/heads/work')).rejects.toMatchObject({ code: 'git.would_overwrite' })
  expect(read(repo, 'secret.env')).toBe('mine')
  const picked = hash(repo, 'work')
  await expect(lab.actions.cherryPick(repo, picked)).rejects.toMatchObject({ code: 'git.would_overwrite' })
  lab.write(repo, { 'secret.env': 'mine', 'a.txt': 'edited\n' })
  await expect(lab.actions.cherryPick(repo, picked)).rejects.toMatchObject({ code: 'git.would_overwrite' })
  expect([read(repo, 'secret.env'), read(repo, 'a.txt')]).toEqual(['mine', 'edited\n'])
  expect((await lab.actions.status(repo)).operation).toBeUndefined()
})

it('picks one commit, recognizes changes that already exist, and stops at conflicts', async () => {
  const repo = diverged('pick', { 'b.txt': 'theirs\n' }, { 'c.txt': 'ours\n' })
  const picked = hash(repo, 'work')
  expect(await lab.actions.cherryPick(repo, picked)).toEqual({ outcome: 'done', conflicts: 0 })
  expect([subject(repo), read(repo, 'b.txt')]).toEqual(['theirs', 'theirs\n'])
  const head = hash(repo, 'HEAD')
  expect(await lab.actions.cherryPick(repo, picked)).toEqual({ outcome: 'unchanged', conflicts: 0 })
  expect([hash(repo, 'HEAD'), (await lab.actions.status(repo)).operation]).toEqual([head, undefined])

  const other = diverged('pick-conflict', { 'a.txt': 'theirs\n' }, { 'a.txt': 'ours\n' })
  expect(await lab.actions.cherryPick(other, hash(other, 'work'))).toEqual({ outcome: 'conflicts', conflicts: 1 })
  await lab.actions.takeSide(other, { path: 'a.txt', choice: 'theirs' })
  await lab.actions.continueOperation(other)
  expect([read(other, 'a.txt'), subject(other)]).toEqual(['theirs\n', 'theirs'])
  await lab.actions.merge(other, 'refs/heads/work')
  await expect(lab.actions.cherryPick(other, hash(other, 'HEAD'))).rejects.toMatchObject({ code: 'request.invalid' })
})

it('creates, lists, deletes and restores tags, and never overwrites one', async () => {
  const repo = diverged('tags', { 'b.txt': 'theirs\n' }, { 'c.txt': 'ours\n' })
  await lab.actions.createTag(repo, { name: 'v1' })
  await lab.actions.createTag(repo, { name: 'v2', at: 'refs/heads/work', message: 'The second\n\nIt has more.' })
  const tags = await lab.actions.tags(repo)
  expect(
    tags
      .map(({ name, message, subject: of }) => [name, message, of])
      .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
  ).toEqual([
    ['v1', undefined, 'ours'],
    ['v2', 'The second', 'theirs'],
  ])
  expect(tags.find(({ name }) => name === 'v2')?.commit).toBe(hash(repo, 'work'))
  await expect(lab.actions.createTag(repo, { name: 'v1' })).rejects.toMatchObject({ code: 'git.exists' })
  await expect(lab.actions.createTag(repo, { name: '-d' })).rejects.toMatchObject({ code: 'git.bad_name' })
  await expect(lab.actions.createTag(repo, { name: 'a..b' })).rejects.toMatchObject({ code: 'git.bad_name' })
  const removed = await lab.actions.deleteTag(repo, 'v2')
  expect((await lab.actions.tags(repo)).map(({ name }) => name)).toEqual(['v1'])
  await lab.actions.restoreTag(repo, removed)
  expect(lab.git(repo, 'tag', '--list', '--format=%(contents:subject)', 'v2').trim()).toBe('The second')
  await expect(lab.actions.restoreTag(repo, removed)).rejects.toMatchObject({ code: 'git.exists' })
  expect(await lab.actions.merge(repo, 'refs/tags/v2')).toEqual({ outcome: 'done', conflicts: 0 })
  expect(subject(repo)).toBe("Merge tag 'v2'")
})

it('pushes one tag to the remote', async () => {
  const repo = diverged('push-tag', { 'b.txt': 'theirs\n' }, { 'c.txt': 'ours\n' })
  const remote = join(repo, '..', 'push-tag-remote.git')
  lab.git(repo, 'init', '--quiet', '--bare', remote)
  lab.git(repo, 'remote', 'add', 'origin', remote)
  // Its hooks would run, because it is a folder on this machine.
  await lab.trust(repo)
  await lab.actions.createTag(repo, { name: 'v1' })
  await lab.actions.createTag(repo, { name: 'v2' })
  await lab.actions.pushTag(repo, 'v1')
  expect(existsSync(remote)).toBe(true)
  expect(lab.git(repo, 'ls-remote', '--tags', 'origin')).toMatch(/refs\/tags\/v1\n$/)
})
