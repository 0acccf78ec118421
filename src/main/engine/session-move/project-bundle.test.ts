import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGitLab, labEnvironment, type GitLab } from '../../../../test/support/git-lab'
import { required } from '../../../../test/support/required'
import { CodedError } from '../../../shared/errors'
import type { MovedProject } from '../../../shared/model/place/move'
import { createWorktreePlace } from '../worktree/worktree-place'
import { bundleProject, unpackProject, type BundleDeps } from './project-bundle'

let lab: GitLab
let deps: BundleDeps
beforeEach(() => {
  lab = createGitLab()
  const home = realpathSync(lab.home)
  const place = createWorktreePlace({ home, now: () => 0, env: async () => labEnvironment(lab.root), log: () => {} })
  deps = { home, place }
})
afterEach(() => lab.remove())

const bundleFile = (): string => join(lab.root, 'project.bundle')

async function bundled(folder: string): Promise<MovedProject> {
  return required(await bundleProject(deps, folder, 'move-1', bundleFile()), 'a project')
}

function unpacked(top: string, project: MovedProject, before?: MovedProject) {
  return unpackProject(deps, { moveId: 'move-1', top, project, before, bundle: bundleFile() })
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof CodedError ? error.code : String(error)),
  )
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')

/** A project with a change of every kind. */
function changedProject(): string {
  const top = lab.repository('sent', { 'a.txt': 'one\r\n', 'gone.txt': 'gone', 'run.sh': '#!/bin/sh\n' })
  lab.git(top, 'update-index', '--chmod=+x', 'run.sh')
  lab.git(top, 'commit', '--quiet', '-m', 'run')
  lab.git(top, 'checkout', '--quiet', '--', 'run.sh')
  lab.write(top, { 'staged.txt': 'staged' })
  lab.git(top, 'add', 'staged.txt')
  lab.git(top, 'rm', '--quiet', 'gone.txt')
  lab.write(top, { 'staged.txt': 'staged, and changed since', 'a.txt': 'two\r\n', 'new/file.txt': 'new' })
  symlinkSync('nowhere/at all', join(top, 'link'))
  return top
}

describe('a project that moves', () => {
  test('arrives unchanged in an empty folder: commit, branch, staged and changed files, links, modes', async () => {
    const sent = changedProject()
    const project = await bundled(sent)
    const top = join(lab.root, 'received')
    expect(await unpacked(top, project)).toMatchObject({ state: 'written' })
    for (const args of [
      ['status', '--porcelain=v1', '--branch'],
      ['rev-parse', 'HEAD'],
      ['diff', '--cached'],
    ])
      expect(lab.git(top, ...args)).toBe(lab.git(sent, ...args))
    expect([read(top, 'a.txt'), read(top, 'staged.txt')]).toEqual(['two\r\n', 'staged, and changed since'])
    expect(readlinkSync(join(top, 'link'))).toBe('nowhere/at all')
    expect(lstatSync(join(top, 'run.sh')).mode & 0o100).toBe(0o100)
    expect(lab.git(sent, 'for-each-ref', 'refs/trestle')).toBe('')
  })

  test('is left alone if it is already the same', async () => {
    const project = await bundled(changedProject())
    const top = join(lab.root, 'received')
    await unpacked(top, project)
    expect(await unpacked(top, project)).toEqual({ state: 'present', notes: [] })
  })

  test('does not replace files of a repository without commits', async () => {
    const project = await bundled(changedProject())
    const top = join(lab.root, 'mine')
    mkdirSync(top)
    lab.git(top, 'init', '--quiet')
    lab.write(top, { 'a.txt': 'my only copy' })
    expect(await codeOf(unpacked(top, project))).toBe('move.files_changed')
    expect(read(top, 'a.txt')).toBe('my only copy')
    lab.git(top, 'add', 'a.txt')
    expect(await codeOf(unpacked(top, project))).toBe('move.files_changed')
    expect(read(top, 'a.txt')).toBe('my only copy')
  })

  test('is put into a repository that has neither commits nor files', async () => {
    const project = await bundled(changedProject())
    const top = join(lab.root, 'mine')
    mkdirSync(top)
    lab.git(top, 'init', '--quiet')
    expect(await unpacked(top, project)).toMatchObject({ state: 'written' })
    expect(read(top, 'a.txt')).toBe('two\r\n')
  })

  test('does not replace ignored files or folders', async () => {
    const sent = lab.repository('sent', { '.gitignore': '.env\nbuild/\n', 'a.txt': 'one' })
    const before = await bundled(sent)
    const top = join(lab.root, 'received')
    await unpacked(top, before)
    lab.write(top, { '.env': 'SECRET=only here', 'build/result': 'took hours' })
    lab.write(sent, { '.gitignore': '', '.env': 'SECRET=theirs' })
    const withEnv = await bundled(sent)
    expect(await codeOf(unpacked(top, withEnv, before))).toBe('git.would_overwrite')
    lab.write(sent, { '.gitignore': '.env\n', build: 'now a file' })
    const withFile = await bundled(sent)
    expect(await codeOf(unpacked(top, withFile, before))).toBe('git.would_overwrite')
    expect([read(top, '.env'), read(top, 'build/result')]).toEqual(['SECRET=only here', 'took hours'])
    expect(lab.git(top, 'rev-parse', 'HEAD').trim()).toBe(before.commit)
  })

  test('does not replace changes that are not part of it', async () => {
    const sent = changedProject()
    const before = await bundled(sent)
    const top = join(lab.root, 'received')
    await unpacked(top, before)
    lab.write(top, { 'a.txt': 'changed by hand' })
    lab.write(sent, { 'a.txt': 'three' })
    expect(await codeOf(unpacked(top, await bundled(sent), before))).toBe('move.files_changed')
    expect(read(top, 'a.txt')).toBe('changed by hand')
  })

  test('keeps its branch if a tag has the same name', async () => {
    const sent = lab.repository('sent', { 'a.txt': 'one' })
    lab.git(sent, 'tag', 'main')
    const project = await bundled(sent)
    expect(project.branch).toBe('main')
    const top = join(lab.root, 'received')
    await unpacked(top, project)
    expect(lab.git(top, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main')
  })

  test('leaves nothing behind, and an empty folder unchanged, if its bundle is damaged', async () => {
    const project = await bundled(changedProject())
    lab.write(lab.root, { 'project.bundle': readFileSync(bundleFile()).subarray(0, -40) })
    const top = join(lab.root, 'received')
    expect(await codeOf(unpacked(top, project))).toBe('git.failed')
    expect(existsSync(top)).toBe(false)
    mkdirSync(top)
    expect(await codeOf(unpacked(top, project))).toBe('git.failed')
    expect(existsSync(join(top, '.git'))).toBe(false)
    expect(existsSync(top)).toBe(true)
  })
})
