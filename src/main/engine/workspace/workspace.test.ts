import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createReadState, createWorkspace } from './workspace'

async function project() {
  const base = await tempFolder()
  const root = join(base, 'project')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(join(base, 'elsewhere'))
  await writeFile(join(root, 'src', 'a.ts'), 'a')
  await writeFile(join(base, 'elsewhere', 'secret.txt'), 's')
  return { base, root, workspace: createWorkspace({ root, home: join(base, 'home') }) }
}

describe('resolve', () => {
  it('resolves relative paths from the project folder, not from the process', async () => {
    const { root, workspace } = await project()
    expect(await workspace.resolve('src/../src/a.ts')).toEqual({
      path: join(root, 'src/a.ts'),
      realPath: join(root, 'src/a.ts'),
      inside: true,
      sensitive: undefined,
    })
  })

  it('does not count a path that climbs out, or only starts like the project, as inside', async () => {
    const { base, root, workspace } = await project()
    expect(await workspace.resolve('../elsewhere/secret.txt')).toMatchObject({
      realPath: join(base, 'elsewhere/secret.txt'),
      inside: false,
    })
    expect(await workspace.resolve(`${root}-two/x`)).toMatchObject({ inside: false })
    expect(await workspace.resolve('..hidden/x')).toMatchObject({ inside: true })
    expect(await workspace.resolve('.')).toMatchObject({ realPath: root, inside: true })
  })

  it('judges a link by its target, whichever part of the path it is', async () => {
    const { base, root, workspace } = await project()
    await symlink(join(base, 'elsewhere'), join(root, 'out'))
    await symlink('../elsewhere/secret.txt', join(root, 'file-link'))
    expect(await workspace.resolve('out/secret.txt')).toMatchObject({
      realPath: join(base, 'elsewhere/secret.txt'),
      inside: false,
    })
    expect(await workspace.resolve('file-link')).toMatchObject({
      realPath: join(base, 'elsewhere/secret.txt'),
      inside: false,
    })
    expect(await workspace.resolve('out/new/deep.txt')).toMatchObject({
      realPath: join(base, 'elsewhere/new/deep.txt'),
      inside: false,
    })
  })

  it('follows a dangling link, so that writing through it does not count as inside', async () => {
    const { base, root, workspace } = await project()
    await symlink('../elsewhere/not-yet.txt', join(root, 'dangling'))
    await symlink(join(root, 'dangling'), join(root, 'twice'))
    expect(await workspace.resolve('dangling')).toMatchObject({
      realPath: join(base, 'elsewhere/not-yet.txt'),
      inside: false,
    })
    expect(await workspace.resolve('twice')).toMatchObject({
      realPath: join(base, 'elsewhere/not-yet.txt'),
      inside: false,
    })
  })

  it('resolves `..` in a link target as the system does, after the links before it', async () => {
    const { base, root, workspace } = await project()
    await mkdir(join(base, 'elsewhere', 'deep'))
    await symlink(join(base, 'elsewhere', 'deep'), join(root, 'jump'))
    await symlink('jump/../missing.txt', join(root, 'tricky'))
    expect(await workspace.resolve('tricky')).toMatchObject({
      realPath: join(base, 'elsewhere/missing.txt'),
      inside: false,
    })
  })

  it('follows a link before it goes up with `..`, also in written paths', async () => {
    const { base, root, workspace } = await project()
    await mkdir(join(base, 'elsewhere', 'deep'))
    await symlink(join(base, 'elsewhere', 'deep'), join(root, 'jump'))
    for (const path of [
      'jump/../secret.txt',
      `${root}/jump/../secret.txt`,
      'src/../jump/.././secret.txt',
      'jump/x/../../secret.txt',
    ])
      expect(await workspace.resolve(path)).toMatchObject({
        realPath: join(base, 'elsewhere/secret.txt'),
        inside: false,
      })
    expect(await workspace.resolve('jump/../not-yet')).toMatchObject({
      realPath: join(base, 'elsewhere/not-yet'),
      inside: false,
    })
  })

  it('keeps the names of missing parts below the nearest existing folder', async () => {
    const { root, workspace } = await project()
    expect(await workspace.resolve('src/new/b.ts')).toMatchObject({
      realPath: join(root, 'src/new/b.ts'),
      inside: true,
    })
  })

  it('expands ~ to the home folder, and only there', async () => {
    const { base, root, workspace } = await project()
    expect(await workspace.resolve('~/x')).toMatchObject({ path: join(base, 'home/x'), inside: false })
    expect(await workspace.resolve('~')).toMatchObject({ path: join(base, 'home') })
    expect(await workspace.resolve('~other/x')).toMatchObject({ path: join(root, '~other/x') })
    expect(await workspace.resolve('./~')).toMatchObject({ path: join(root, '~') })
  })

  it('does not throw for impossible paths, and never counts them as inside', async () => {
    const { root, workspace } = await project()
    await symlink('loop-b', join(root, 'loop-a'))
    await symlink('loop-a', join(root, 'loop-b'))
    expect(await workspace.resolve('a\0b')).toMatchObject({ inside: false, problem: expect.stringContaining('NUL') })
    expect(await workspace.resolve('loop-a/x')).toMatchObject({
      inside: false,
      problem: expect.stringContaining('loop'),
    })
    expect(await workspace.resolve('x'.repeat(5_000))).toMatchObject({
      inside: false,
      problem: expect.stringContaining('long'),
    })
    expect(await workspace.resolve('src/a.ts/below/a-file')).toMatchObject({ inside: true })
  })

  it('finds secrets behind harmless names and links with secret names', async () => {
    const { base, root, workspace } = await project()
    await writeFile(join(base, 'elsewhere', '.env'), 'KEY=1')
    await symlink(join(base, 'elsewhere', '.env'), join(root, 'config.txt'))
    await symlink(join(root, 'src', 'a.ts'), join(root, '.env.local'))
    expect((await workspace.resolve('config.txt')).sensitive).toBe('.env files')
    expect((await workspace.resolve('.env.local')).sensitive).toBe('.env files')
    expect((await workspace.resolve('src/a.ts')).sensitive).toBeUndefined()
  })

  it('distinguishes names that differ only in Unicode normalization', async () => {
    const { root, workspace } = await project()
    await writeFile(join(root, 'e\u0301.txt'), 'nfd')
    expect((await workspace.resolve('\u00e9.txt')).realPath).toBe(join(root, '\u00e9.txt'))
    expect((await workspace.resolve('e\u0301.txt')).realPath).toBe(join(root, 'e\u0301.txt'))
  })
})

describe('folders', () => {
  it('counts added folders as inside, even if they were added through a link', async () => {
    const { base, root } = await project()
    await symlink(join(base, 'elsewhere'), join(base, 'shortcut'))
    const workspace = createWorkspace({ root, addedFolders: [join(base, 'shortcut')] })
    expect(workspace.addedFolders).toEqual([join(base, 'elsewhere')])
    expect(await workspace.resolve(join(base, 'elsewhere/secret.txt'))).toMatchObject({ inside: true })
  })

  it('uses the real path of a root that was opened through a link', async () => {
    const { base, root } = await project()
    await symlink(root, join(base, 'alias'))
    const workspace = createWorkspace({ root: join(base, 'alias') })
    expect(workspace.root).toBe(root)
    expect(await workspace.resolve(join(base, 'alias/src/a.ts'))).toMatchObject({
      realPath: join(root, 'src/a.ts'),
      inside: true,
    })
  })

  it('shows paths relative inside the root and absolute outside', async () => {
    const { base, root, workspace } = await project()
    expect(workspace.display(join(root, 'src/a.ts'))).toBe('src/a.ts')
    expect(workspace.display(root)).toBe('.')
    expect(workspace.display(join(base, 'elsewhere/x'))).toBe(join(base, 'elsewhere/x'))
    expect(workspace.display(`${root}-two`)).toBe(`${root}-two`)
  })
})

describe('read state', () => {
  it('is initialized from earlier events; the last one counts', () => {
    const reads = createReadState([
      ['/a', '1'],
      ['/a', '2'],
    ])
    expect([reads.lastRead('/a'), reads.lastRead('/b')]).toEqual(['2', undefined])
    reads.markRead('/b', '3')
    expect(reads.lastRead('/b')).toBe('3')
  })

  it('adds up the parts of one version that were read, and forgets those of another', () => {
    const reads = createReadState()
    const part = (first: number, last: number, more: object = {}) =>
      reads.markRead('/a', '1', { first, last, total: 10, ...more })
    part(7, 10)
    part(1, 3)
    expect(reads.hasSeenAll('/a')).toBe(false)
    part(3, 6, { cut: [{ line: 5, from: 1, to: 2000 }] })
    expect(reads.hasSeenAll('/a')).toBe(false)
    part(5, 5, { cut: [{ line: 5, from: 3000, to: 4000, end: true }] })
    expect(reads.hasSeenAll('/a')).toBe(false)
    part(5, 5, { cut: [{ line: 5, from: 2001, to: 4000, end: true }] })
    expect(reads.hasSeenAll('/a')).toBe(true)
    reads.markRead('/a', '2', 'part')
    expect(reads.hasSeenAll('/a')).toBe(false)
    reads.markRead('/a', '2', { first: 1, last: 0, total: 0 })
    expect(reads.hasSeenAll('/a')).toBe(true)
    reads.markRead('/a', '3', { first: 1, last: 10, total: undefined })
    expect(reads.hasSeenAll('/a')).toBe(false)
  })
})
