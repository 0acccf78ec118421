import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { applyPatchTool } from './apply-patch'
import { editTool } from './edit'
import { readTool } from './read'
import { writeTool } from './write'

async function project() {
  const root = await tempFolder()
  const workspace = createWorkspace({ root })
  return {
    root,
    workspace,
    read: readTool({ workspace }),
    write: writeTool({ workspace }),
    put: (name: string, content: string | Uint8Array) => writeFile(join(root, name), content),
    get: (name: string) => readFile(join(root, name), 'utf8'),
  }
}

describe('Write: new files', () => {
  it('writes the content as it is and shows it as a diff', async () => {
    const { root, write, get } = await project()
    const result = await callTool(write, { path: 'a.txt', content: 'x\r\ny' })
    expect(result).toMatchObject({
      text: 'Wrote a.txt: 4 bytes.',
      details: {
        kind: 'diff',
        path: join(root, 'a.txt'),
        added: 2,
        removed: 0,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    expect(await get('a.txt')).toBe('x\r\ny')
    expect(await readdir(root)).toEqual(['a.txt'])
  })

  it('creates missing folders and reports it in preview and result', async () => {
    const { root, write, get } = await project()
    const input = { path: 'new/deep/a.txt', content: 'x' }
    const call = await prepareCall(write, input)
    expect(await call.preview?.()).toMatchObject({ kind: 'diff', note: 'Makes the folders new, new/deep.' })
    expect(await readdir(root)).toEqual([])
    expect((await callTool(write, input)).text).toContain('Made the folders new, new/deep.')
    expect(await get('new/deep/a.txt')).toBe('x')
  })

  it('explains an impossible path, and leaves no folders behind', async () => {
    const { root, write, put } = await project()
    await put('file', 'x')
    await mkdir(join(root, 'folder'))
    expect(await callTool(write, { path: 'file/below/a', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is a file'),
    })
    expect(await callTool(write, { path: 'folder', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is a folder'),
    })
    expect(await callTool(write, { path: 'new/', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is a folder'),
    })
    expect(await callTool(write, { path: `made/${'n'.repeat(300)}`, content: '' })).toMatchObject({ isError: true })
    expect((await readdir(root)).toSorted()).toEqual(['file', 'folder'])
  })

  it('refuses a lone surrogate instead of writing a replacement character', async () => {
    const { root, write } = await project()
    expect(await callTool(write, { path: 'a', content: 'x\ud800' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('surrogate'),
    })
    expect(await readdir(root)).toEqual([])
  })

  it('writes nothing once the turn is stopped', async () => {
    const { root, write } = await project()
    expect(await callTool(write, { path: 'new/a', content: 'x' }, AbortSignal.abort())).toMatchObject({ isError: true })
    expect(await readdir(root)).toEqual([])
  })
})

describe('Write: how much of a file must have been read', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')
  const refusal = {
    isError: true,
    text: expect.stringMatching(/^Only a part of a\.txt has been read.*line_offset.*Edit.*Nothing was written/),
  }

  it('does not replace a file of which one line of 5,000 was read, not even with a patch that adds it', async () => {
    const { workspace, read, write, put, get } = await project()
    await put('a.txt', lines(5_000))
    await callTool(read, { path: 'a.txt', line_offset: 17, n_lines: 1 })
    const call = await prepareCall(write, { path: 'a.txt', content: 'new' })
    expect(await call.check?.()).toMatchObject({ isError: true })
    expect(await callTool(write, { path: 'a.txt', content: 'new' })).toMatchObject(refusal)
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch'
    expect(await callTool(applyPatchTool({ workspace }), { input: patch })).toMatchObject(refusal)
    expect(await get('a.txt')).toBe(lines(5_000))
  })

  it('replaces it after all of its parts were read, in any order', async () => {
    const { read, write, put } = await project()
    await put('a.txt', lines(2_500))
    await callTool(read, { path: 'a.txt', line_offset: -600 })
    await callTool(read, { path: 'a.txt' })
    expect(await callTool(write, { path: 'a.txt', content: 'new' })).toMatchObject(refusal)
    await callTool(read, { path: 'a.txt', line_offset: 1_001 })
    expect((await callTool(write, { path: 'a.txt', content: 'new' })).isError).toBeUndefined()
  })

  it('counts a cut line as read after its end was shown, too', async () => {
    const { read, write, put } = await project()
    await put('a.txt', `${'x'.repeat(30_000)}\nlast\n`)
    await callTool(read, { path: 'a.txt' })
    expect(await callTool(write, { path: 'a.txt', content: 'new' })).toMatchObject(refusal)
    await callTool(read, { path: 'a.txt', char_offset: 15_000 })
    expect(await callTool(write, { path: 'a.txt', content: 'new' })).toMatchObject(refusal)
    await callTool(read, { path: 'a.txt', char_offset: 2_001 })
    await callTool(read, { path: 'a.txt', char_offset: 22_001 })
    expect((await callTool(write, { path: 'a.txt', content: 'new' })).isError).toBeUndefined()
  })

  it('replaces what the agent wrote itself without a Read, but not what it only edited in part', async () => {
    const { workspace, read, write, put } = await project()
    await callTool(write, { path: 'own.txt', content: lines(3_000) })
    expect((await callTool(write, { path: 'own.txt', content: 'new' })).isError).toBeUndefined()
    await put('a.txt', lines(3_000))
    await callTool(read, { path: 'a.txt', n_lines: 10 })
    const edit = await callTool(editTool({ workspace }), {
      path: 'a.txt',
      old_string: 'line 3\n',
      new_string: 'three\n',
    })
    expect(edit.details).toMatchObject({ hash: expect.any(String), part: true })
    expect(await callTool(write, { path: 'a.txt', content: 'new' })).toMatchObject(refusal)
    expect((await callTool(write, { path: 'a.txt', content: 'end\n', mode: 'append' })).isError).toBeUndefined()
  })
})

describe('Write: hard links', () => {
  it('keeps them one file, and reports on the card and in the result that the other name changes', async () => {
    const { root, workspace, read, write, put, get } = await project()
    await put('a.txt', 'old\n')
    await link(join(root, 'a.txt'), join(root, 'b.txt'))
    await callTool(read, { path: 'a.txt' })
    const call = await prepareCall(write, { path: 'a.txt', content: 'new\n' })
    const said = 'a.txt has 1 other name on this disk (hard links): the change shows there, too.'
    expect(await call.preview?.()).toMatchObject({ note: said })
    expect((await callTool(write, { path: 'a.txt', content: 'new\n' })).text).toContain(said)
    expect(await get('b.txt')).toBe('new\n')
    const patch = '*** Begin Patch\n*** Update File: b.txt\n-new\n+newer\n*** End Patch'
    expect((await callTool(applyPatchTool({ workspace }), { input: patch })).text).toContain('b.txt has 1 other name')
    expect(await get('a.txt')).toBe('newer\n')
  })
})

describe('Write: existing files', () => {
  it('does not overwrite what the agent has never seen', async () => {
    const { write, put, get } = await project()
    await put('a', 'precious')
    expect(await callTool(write, { path: 'a', content: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Read it first'),
    })
    expect(await callTool(write, { path: 'a', content: 'x', mode: 'append' })).toMatchObject({ isError: true })
    expect(await get('a')).toBe('precious')
  })

  it('does not overwrite what changed on disk since it was read', async () => {
    const { read, write, put, get } = await project()
    await put('a', 'one')
    await callTool(read, { path: 'a' })
    await put('a', 'two')
    expect(await callTool(write, { path: 'a', content: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('changed on disk'),
    })
    expect(await get('a')).toBe('two')
    await put('a', 'one')
    expect(await callTool(write, { path: 'a', content: 'x' })).toMatchObject({
      text: 'Replaced a: 1 byte, before 3 bytes.',
    })
  })

  it('counts its own write as read, so a second one needs no Read', async () => {
    const { write, get } = await project()
    await callTool(write, { path: 'a', content: '1' })
    expect((await callTool(write, { path: 'a', content: '2' })).isError).toBeUndefined()
    expect((await callTool(write, { path: 'a', content: '3', mode: 'append' })).isError).toBeUndefined()
    expect(await get('a')).toBe('23')
  })

  it('does not mistake a file created after the approval for its own', async () => {
    const { write, put, get } = await project()
    const call = await prepareCall(write, { path: 'a', content: 'x' })
    await put('a', 'from elsewhere')
    expect(await call.run(callContext())).toMatchObject({
      isError: true,
    })
    expect(await get('a')).toBe('from elsewhere')
  })

  it('keeps mode and symlink, and reports when line endings change', async () => {
    const { root, read, write, put, get } = await project()
    await put('run.sh', 'a\r\nb\r\n')
    await chmod(join(root, 'run.sh'), 0o755)
    await symlink('run.sh', join(root, 'link'))
    await callTool(read, { path: 'link' })
    const result = await callTool(write, { path: 'link', content: 'a\nb\n' })
    expect(result.text).toContain('Line endings change from CRLF to LF.')
    expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(await get('run.sh')).toBe('a\nb\n')
  })

  it('appends without adding a newline', async () => {
    const { read, write, put, get } = await project()
    await put('a', 'one')
    await callTool(read, { path: 'a' })
    const call = await prepareCall(write, { path: 'a', content: 'two', mode: 'append' })
    expect(call.summary).toBe('a (append)')
    expect((await callTool(write, { path: 'a', content: 'two', mode: 'append' })).text).toBe(
      'Appended 3 bytes to a: now 6 bytes.',
    )
    expect(await get('a')).toBe('onetwo')
    await callTool(write, { path: 'new', content: 'x', mode: 'append' })
    expect(await get('new')).toBe('x')
  })

  it('keeps encoding and byte order mark', async () => {
    const { root, read, write, put } = await project()
    await put('a', Buffer.from('\ufeffold', 'utf16le'))
    await callTool(read, { path: 'a' })
    expect((await callTool(write, { path: 'a', content: 'new' })).text).toContain('It keeps its encoding, UTF-16 LE.')
    await callTool(write, { path: 'a', content: '!', mode: 'append' })
    expect(await readFile(join(root, 'a'))).toEqual(Buffer.from('\ufeffnew!', 'utf16le'))
  })

  it('reports when there is nothing to change and touches nothing', async () => {
    const { root, read, write, put } = await project()
    await put('a', 'same')
    await callTool(read, { path: 'a' })
    const before = await stat(join(root, 'a'))
    expect((await callTool(write, { path: 'a', content: 'same' })).text).toContain('already has exactly this content')
    expect((await stat(join(root, 'a'))).ino).toBe(before.ino)
  })

  it('does not replace binary files', async () => {
    const { write, put } = await project()
    await put('a.png', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'))
    expect(await callTool(write, { path: 'a.png', content: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('PNG image'),
    })
  })

  it('neither replaces nor appends to a large file of which only a part was read', async () => {
    const { root, read, write, put, get } = await project()
    await put('log', 'x\n'.repeat(33 * 1024 * 1024))
    await callTool(read, { path: 'log', n_lines: 1 })
    expect(await callTool(write, { path: 'log', content: 'x', mode: 'append' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('too large'),
    })
    expect(await callTool(write, { path: 'log', content: 'small' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Only a part of log has been read'),
    })
    await rm(join(root, 'log'))
    await callTool(write, { path: 'log', content: 'small' })
    expect(await get('log')).toBe('small')
    await truncate(join(root, 'log'), 70 * 1024 * 1024)
    expect(await callTool(write, { path: 'log', content: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('changed on disk'),
    })
  })
})

describe('Write: before it is allowed', () => {
  it('refuses sensitive files, even missing ones or those behind a dangling link', async () => {
    const { root, write } = await project()
    await symlink('.env', join(root, 'notes.txt'))
    for (const path of ['.env', 'notes.txt', 'id_rsa', '~/.aws/credentials', '~/.ssh/authorized_keys']) {
      const { text, isError } = await callTool(write, { path, content: 'x' })
      expect({ path, isError, text }).toEqual({ path, isError: true, text: expect.stringContaining('is protected') })
    }
    expect(await readdir(root)).toEqual(['notes.txt'])
    expect((await callTool(write, { path: '.env.example', content: 'KEY=' })).isError).toBeUndefined()
  })

  it('fails before the user is asked, but not because of a Read that is still pending', async () => {
    const { root, write, put } = await project()
    await put('a', 'old\n')
    await mkdir(join(root, 'folder'))
    const unread = await prepareCall(write, { path: 'a', content: 'new\n' })
    expect(await unread.check?.()).toMatchObject({ isError: true })
    expect(await unread.preview?.()).toMatchObject({
      kind: 'diff',
      diff: expect.stringContaining('-old\n+new'),
      added: 1,
      removed: 1,
    })
    expect(await (await prepareCall(write, { path: 'folder', content: '' })).preview?.()).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('is a folder'),
    })
    expect(await (await prepareCall(write, { path: 'b', content: '' })).check?.()).toBeUndefined()
  })

  it('declares the real file and offers its folder, which folders above cover', async () => {
    const { root, write } = await project()
    await mkdir(join(root, 'src'))
    await symlink('src', join(root, 'alias'))
    expect(await prepareCall(write, { path: 'alias/new/a.ts', content: '' })).toMatchObject({
      summary: 'alias/new/a.ts -> src/new/a.ts',
      accesses: [{ kind: 'file', path: join(root, 'src/new/a.ts'), write: true }],
      rememberAs: {
        key: `edit:${join(root, 'src/new')}`,
        label: 'Allow edits in src/new for this session',
        coveredBy: expect.arrayContaining([`edit:${join(root, 'src')}`, `edit:${root}`, 'edit:/']),
      },
    })
    expect((await prepareCall(write, { path: 'a.ts', content: '' })).rememberAs?.label).toBe(
      'Allow edits in the whole project for this session',
    )
  })

  it('does not follow a folder that became a link after the approval', async () => {
    const { root, write } = await project()
    const outside = await tempFolder()
    const call = await prepareCall(write, { path: 'src/a.ts', content: 'x' })
    await symlink(outside, join(root, 'src'))
    expect(await call.run(callContext())).toMatchObject({
      isError: true,
    })
    expect(await readdir(outside)).toEqual([])
  })
})
