import { execFileSync } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../../../shared/model/turn/message'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { listDirectoryTool } from './list-directory'

async function project() {
  const base = await tempFolder()
  const root = join(base, 'project')
  await mkdir(root)
  const list = listDirectoryTool({ workspace: createWorkspace({ root }) })
  const lines = async (path = '.') => (await callTool(list, { path })).text.split('\n')
  return { base, root, list, lines }
}

describe('ListDirectory', () => {
  it('lists folders first, then files by name, with type and size', async () => {
    const { root, list, lines } = await project()
    await mkdir(join(root, 'z-folder'))
    await writeFile(join(root, 'b.txt'), 'four')
    await writeFile(join(root, 'a.txt'), '')
    expect(await lines()).toEqual(['dir\t\tz-folder/', 'file\t0\ta.txt', 'file\t4\tb.txt'])
    expect((await callTool(list, { path: '.' })).details).toEqual({
      kind: 'entries',
      path: '.',
      entries: [
        { name: 'z-folder', type: 'dir' },
        { name: 'a.txt', type: 'file', size: 0 },
        { name: 'b.txt', type: 'file', size: 4 },
      ],
    })
  })

  it('names the kind of a path that is not a folder: a broken link, or a named pipe', async () => {
    const { root, lines } = await project()
    await symlink('gone', join(root, 'dangling'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await lines('dangling')).toEqual([
      'dangling is a symbolic link to "gone", which does not exist. Find the right path with Glob.',
    ])
    expect(await lines('pipe')).toEqual(['pipe is a pipe, socket or device, not a folder.'])
  })

  it('reports that a folder is empty only if it is', async () => {
    const { root, lines } = await project()
    expect(await lines()).toEqual(['The folder is empty.'])
    await writeFile(join(root, '.gitignore'), '*\n')
    expect(await lines()).toEqual(['Nothing is listed.', '[1 ignored entry left out (.gitignore, .trestleignore)]'])
  })

  it('honors its own ignore files, and those of folders below and above up to the project root', async () => {
    const { base, root, lines } = await project()
    await writeFile(join(base, '.gitignore'), 'd\n')
    await mkdir(join(root, 'sub/dist'), { recursive: true })
    await writeFile(join(root, '.gitignore'), 'dist/\n/sub/a\n')
    await writeFile(join(root, 'sub/.trestleignore'), 'b\n')
    for (const name of 'abcd') await writeFile(join(root, 'sub', name), '')
    expect(await lines('sub')).toEqual([
      'file\t2\t.trestleignore',
      'file\t0\tc',
      'file\t0\td',
      '[3 ignored entries left out (.gitignore, .trestleignore)]',
    ])
  })

  it('uses those above the project folder when that is in a repository', async () => {
    const { base, root, lines } = await project()
    execFileSync('git', ['init', '-q', base])
    await writeFile(join(base, '.gitignore'), '*.log\n')
    await writeFile(join(root, 'a.log'), '')
    expect(await lines()).toEqual(['Nothing is listed.', '[1 ignored entry left out (.gitignore, .trestleignore)]'])
  })

  it('names sensitive files but does not list them, and opens no .ssh folder', async () => {
    const { root, list, lines } = await project()
    await mkdir(join(root, '.ssh'))
    await writeFile(join(root, '.env'), 'x')
    await mkdir(join(root, 'venv/.env'), { recursive: true })
    expect(await lines()).toEqual(['dir\t\tvenv/', '[Sensitive, not listed: .env, .ssh]'])
    expect(await lines('venv')).toEqual(['dir\t\t.env/'])
    expect(await lines('venv/.env')).toEqual(['The folder is empty.'])
    expect(await callTool(list, { path: '.ssh' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('protected'),
    })
  })

  it('shows where links lead, and handles dangling links, pipes and odd names', async () => {
    const { root, lines } = await project()
    await mkdir(join(root, 'dir'))
    await symlink('dir', join(root, 'link'))
    await symlink('gone', join(root, 'dangling'))
    await symlink('loop', join(root, 'loop'))
    await writeFile(join(root, 'new\nline'), '')
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await lines()).toEqual([
      'dir\t\tdir/',
      'link\t\tdangling -> gone (nothing there)',
      'link\t\tlink -> dir/',
      'link\t\tloop -> loop (nothing there)',
      'file\t0\t"new\\nline"',
      'other\t\tpipe (pipe)',
    ])
  })

  it('does not hang on a pipe in place of an ignore file', async () => {
    const { root, lines } = await project()
    execFileSync('mkfifo', [join(root, '.gitignore')])
    expect(await lines()).toEqual(['other\t\t.gitignore (pipe)'])
  })

  it('shows 1000 entries and the total number', async () => {
    const { root, list } = await project()
    await Promise.all(Array.from({ length: 1_050 }, (_, index) => writeFile(join(root, `f${index}`), '')))
    const { text, details } = await callTool(list, { path: '.' })
    expect(text.split('\n')).toHaveLength(1_001)
    expect(text).toContain('[The first 1000 of 1050 entries.')
    expect(details?.kind === 'entries' && details.entries.length).toBe(200)
  })

  it('points to Read for a file and to Glob for a missing path', async () => {
    const { root, list } = await project()
    await writeFile(join(root, 'a'), '')
    expect(await callTool(list, { path: 'a' })).toMatchObject({
      isError: true,
      text: 'a is a file, not a folder. Use Read.',
    })
    expect(await callTool(list, { path: 'nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('does not exist'),
    })
  })

  it('declares the folder a link leads to', async () => {
    const { base, root, list } = await project()
    await symlink(base, join(root, 'up'))
    expect((await prepareCall(list, { path: 'up' })).accesses).toEqual([
      { kind: 'tree', path: base, written: join(root, 'up'), write: false },
    ])
  })

  it('lists nothing when the folder was replaced by a link after it was judged', async () => {
    const { base, root, list } = await project()
    await mkdir(join(root, 'sub'))
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret.txt'), '')
    const call = await prepareCall(list, { path: 'sub' })
    await rename(join(root, 'sub'), join(root, 'moved'))
    await symlink(join(base, 'outside'), join(root, 'sub'))
    const { content, isError } = await call.run(callContext())
    expect(isError).toBe(true)
    expect(textOf(content)).not.toContain('secret')
  })
})
