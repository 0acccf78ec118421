import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { textOf } from '../../../../shared/model/turn/message'
import { createWorkspace } from '../../workspace/workspace'
import { FileProblem } from '../../workspace/path/file-problem'
import type { PlannedWrite } from '../edit/write-changes'
import { applyPatchTool } from './apply-patch'
import { readTool } from './read'
import { writeTool } from './write'

const patchOf = (...lines: string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

async function project(files: Record<string, string | Uint8Array> = {}) {
  const root = await tempFolder()
  const workspace = createWorkspace({ root })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const tool = applyPatchTool({ workspace })
  const content = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
  const tree = async (): Promise<Record<string, string>> => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return Object.fromEntries(
      await Promise.all(
        found.map(async (path) => [path.slice(root.length + 1), await readFile(path, 'utf8')] as const),
      ),
    )
  }
  return { root, workspace, tool, content, tree, patch: (...lines: string[]) => callTool(tool, patchOf(...lines)) }
}

const ALL = [
  '*** Update File: src/a.ts',
  '@@',
  ' one',
  '-two',
  '+zwei',
  '*** Add File: new/deep/b.ts',
  '+b',
  '*** Delete File: old.txt',
  '*** Update File: from.ts',
  '*** Move to: to/here.ts',
  '-x',
  '+y',
]
const FILES = { 'src/a.ts': 'one\ntwo\n', 'old.txt': 'gone\n', 'from.ts': 'x\nrest\n' }

describe('apply_patch', () => {
  it('updates, adds, deletes and moves files in one call', async () => {
    const { root, patch, tree } = await project(FILES)
    const result = await patch(...ALL)
    expect(result.text.split('\n')).toEqual([
      'Success. Updated the following files:',
      'M src/a.ts',
      'A new/deep/b.ts',
      'D old.txt',
      'M from.ts -> to/here.ts',
      'Made the folders new, new/deep.',
      'Made the folder to.',
    ])
    expect(await tree()).toEqual({ 'src/a.ts': 'one\nzwei\n', 'new/deep/b.ts': 'b\n', 'to/here.ts': 'y\nrest\n' })
    expect(result.details).toMatchObject({
      kind: 'diffs',
      files: [
        { path: join(root, 'src/a.ts'), added: 1, removed: 1 },
        { path: join(root, 'new/deep/b.ts'), added: 1, removed: 0, hash: expect.any(String) },
        {
          path: join(root, 'old.txt'),
          added: 0,
          removed: 1,
          deleted: true,
          diff: '--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n',
        },
        { path: join(root, 'to/here.ts'), from: join(root, 'from.ts'), added: 1, removed: 1 },
      ],
    })
  })

  it('reports before it runs which files it writes, and shows the diff of each', async () => {
    const { root, tool, tree } = await project(FILES)
    const call = await prepareCall(tool, patchOf(...ALL))
    expect(call.summary).toBe('src/a.ts, new/deep/b.ts, old.txt (delete) and 1 more')
    expect(call.accesses).toEqual(
      ['src/a.ts', 'new/deep/b.ts', 'old.txt', 'from.ts', 'to/here.ts'].map((path) => ({
        kind: 'file',
        path: join(root, path),
        written: join(root, path),
        write: true,
      })),
    )
    expect(call.rememberAs).toBeUndefined()
    expect(await call.preview?.()).toMatchObject({
      kind: 'diffs',
      files: [
        {},
        { note: 'Makes the folders new, new/deep.' },
        { note: 'Deletes the file.' },
        { note: expect.stringContaining('Moves from.ts here.') },
      ],
    })
    expect(await call.check?.()).toBeUndefined()
    expect(await tree()).toEqual(FILES)
  })

  it('is shown like an Edit when it changes one file', async () => {
    const { root, tool } = await project(FILES)
    const call = await prepareCall(tool, patchOf('*** Update File: src/a.ts', '-two', '+2'))
    expect(call.rememberAs?.key).toBe(`edit:${join(root, 'src')}`)
    expect(await call.preview?.()).toMatchObject({ kind: 'diff', path: join(root, 'src/a.ts'), added: 1, removed: 1 })
  })

  it.each([
    [
      'a hunk that is not found',
      ['*** Update File: from.ts', '-nowhere to be found', '+y'],
      /The hunk for from\.ts was not found/,
    ],
    ['a file that is missing', ['*** Update File: nothing.ts', '-x', '+y'], /nothing\.ts does not exist/],
    ['a file to add that is there', ['*** Add File: from.ts', '+y'], /from\.ts exists but has not been read/],
    [
      'a move onto another file',
      ['*** Update File: from.ts', '*** Move to: old.txt'],
      /cannot be moved to old\.txt, which exists/,
    ],
    ['a file that is deleted twice', ['*** Delete File: old.txt', '*** Delete File: old.txt'], /no longer exists when/],
    ['a folder', ['*** Delete File: src'], /src is a folder/],
  ])('changes nothing at all with %s', async (_, lines, problem) => {
    const { patch, tree, tool } = await project(FILES)
    const all = ['*** Update File: src/a.ts', '-two', '+zwei', ...lines]
    expect(await (await prepareCall(tool, patchOf(...all))).check?.()).toMatchObject({ isError: true })
    expect(await patch(...all)).toMatchObject({ isError: true, text: expect.stringMatching(problem) })
    expect(await tree()).toEqual(FILES)
  })

  it('reverts what it has written when a later file changes at the same moment', async () => {
    const { root, workspace, tree } = await project({ ...FILES, 'last.txt': 'last\n' })
    const writes = [
      '*** Update File: src/a.ts',
      '-two',
      '+zwei',
      '*** Add File: new/b.ts',
      '+b',
      '*** Delete File: old.txt',
    ]
    const hooks = {
      // By now all files have been checked, but none has been written yet.
      async before({ path, text }: PlannedWrite): Promise<string> {
        if (path.endsWith('last.txt')) await writeFile(path, 'by another program\n')
        return text
      },
      written: () => undefined,
    }
    const tool = applyPatchTool({ workspace, hooks: () => hooks })
    const result = await callTool(tool, patchOf(...writes, '*** Update File: last.txt', '-last', '+mine'))
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^last\.txt was changed by something else at this very moment/),
    })
    expect(result.text).not.toContain('could not be undone')
    expect(await tree()).toEqual({ ...FILES, 'last.txt': 'by another program\n' })
    expect(await readdir(root)).not.toContain('new')
  })

  it('is stopped by a hook that cancels one of the writes, before any of them', async () => {
    const { workspace, tree } = await project(FILES)
    const asked: string[] = []
    const hooks = {
      async before({ path, text }: PlannedWrite): Promise<string> {
        asked.push(path.slice(workspace.root.length + 1))
        if (path.endsWith('b.ts')) throw new FileProblem('A hook cancelled the write.')
        return text
      },
      written: () => undefined,
    }
    const result = await callTool(applyPatchTool({ workspace, hooks: () => hooks }), patchOf(...ALL))
    expect(result).toMatchObject({ isError: true, text: 'A hook cancelled the write.' })
    expect(asked).toEqual(['src/a.ts', 'new/deep/b.ts'])
    expect(await tree()).toEqual(FILES)
  })

  it('applies operations in order, even on the same file', async () => {
    const { patch, tree } = await project({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' })
    const result = await patch(
      '*** Update File: a.txt',
      '-one',
      '+1',
      '*** Update File: ./a.txt',
      '-1',
      '+eins',
      '*** Delete File: b.txt',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      '*** Add File: a.txt',
      '+fresh',
    )
    expect(result.isError).toBeUndefined()
    expect(await tree()).toEqual({ 'a.txt': 'fresh\n', 'b.txt': 'eins\ntwo\n' })
  })

  it('keeps CRLF, byte order mark, a missing last line feed and permissions', async () => {
    const { root, patch } = await project({ 'crlf.txt': '\ufeffa\r\nb\r\n', 'open.txt': 'a\nb', 'run.sh': 'echo a\n' })
    await chmod(join(root, 'run.sh'), 0o755)
    await patch(
      '*** Update File: crlf.txt',
      ' a',
      '-b',
      '+B',
      '+c',
      '*** Update File: open.txt',
      '-b',
      '+ü \u{1f600}',
      '*** Update File: run.sh',
      '*** Move to: bin/run.sh',
    )
    expect(await readFile(join(root, 'crlf.txt'), 'utf8')).toBe('\ufeffa\r\nB\r\nc\r\n')
    expect(await readFile(join(root, 'open.txt'), 'utf8')).toBe('a\nü \u{1f600}')
    expect((await stat(join(root, 'bin/run.sh'))).mode & 0o777).toBe(0o755)
  })

  it('deletes files that are not text, and refuses to edit them', async () => {
    const { patch, tree } = await project({ 'a.bin': new Uint8Array([0, 1, 2, 255]) })
    expect(await patch('*** Update File: a.bin', '-x', '+y')).toMatchObject({
      isError: true,
      text: expect.stringContaining('not text'),
    })
    expect(await patch('*** Delete File: a.bin')).toMatchObject({ details: { kind: 'diff', deleted: true } })
    expect(await tree()).toEqual({})
  })

  it('refuses a file that changed since it was read, and needs no Read of others', async () => {
    const { root, workspace, patch, content } = await project({ 'a.txt': 'a\n' })
    await callTool(readTool({ workspace }), { path: 'a.txt' })
    await writeFile(join(root, 'a.txt'), 'a\nb\n')
    for (const lines of [
      ['*** Update File: a.txt', '-a', '+c'],
      ['*** Delete File: a.txt'],
      ['*** Add File: a.txt', '+x'],
    ])
      expect(await patch(...lines)).toMatchObject({
        isError: true,
        text: expect.stringContaining('changed on disk since it was last read'),
      })
    await callTool(readTool({ workspace }), { path: 'a.txt' })
    await patch('*** Update File: a.txt', '-a', '+c')
    await patch('*** Update File: a.txt', '-c', '+d')
    expect(await content('a.txt')).toBe('d\nb\n')
  })

  it('does not count a file as read when it has only been patched', async () => {
    const { workspace, patch } = await project({ 'a.txt': 'a\nb\n' })
    const result = await patch('*** Update File: a.txt', '-a', '+c')
    expect(result.details).not.toHaveProperty('hash')
    expect(await callTool(writeTool({ workspace }), { path: 'a.txt', content: '' })).toMatchObject({ isError: true })
  })

  it('shows no content of a file that the agent cannot read without asking', async () => {
    const { root, workspace } = await project({ 'secret.txt': 'the word is mellon\n' })
    const outside = await tempFolder()
    await writeFile(join(outside, 'a.txt'), 'the word is mellon\n')
    const tool = applyPatchTool({ workspace, hidden: async () => (path) => path === join(root, 'secret.txt') })
    for (const path of ['secret.txt', join(outside, 'a.txt')]) {
      const result = await callTool(tool, patchOf(`*** Update File: ${path}`, '-the word was', '+x'))
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Read it first') })
      expect(result.text).not.toContain('mellon')
    }
  })

  it('refuses sensitive files anywhere in the patch', async () => {
    const { tool, tree } = await project({ '.env': 'KEY=1\n', 'a.txt': 'a\n' })
    for (const lines of [
      ['*** Update File: a.txt', '-a', '+b', '*** Delete File: .env'],
      ['*** Update File: a.txt', '*** Move to: .env.local'],
      ['*** Add File: .ssh/id_rsa', '+x'],
    ])
      expect(await tool.prepare(patchOf(...lines))).toMatchObject({
        refused: { isError: true, content: [{ text: expect.stringContaining('protected') }] },
      })
    expect(await tree()).toEqual({ '.env': 'KEY=1\n', 'a.txt': 'a\n' })
  })

  it('judges a path by the target of a link, and neither deletes nor moves through one', async () => {
    const { root, tool, patch } = await project({ 'a.txt': 'a\n' })
    const outside = await tempFolder()
    await writeFile(join(outside, 'b.txt'), 'b\n')
    await symlink(join(outside, 'b.txt'), join(root, 'link.txt'))
    await symlink('a.txt', join(root, 'inside.txt'))
    const call = await prepareCall(tool, patchOf('*** Update File: link.txt', '-b', '+c'))
    expect(call.accesses).toEqual([
      { kind: 'file', path: join(outside, 'b.txt'), written: join(root, 'link.txt'), write: true },
    ])
    expect(await patch('*** Delete File: inside.txt')).toMatchObject({
      isError: true,
      text: expect.stringContaining('symbolic link'),
    })
    expect(await patch('*** Update File: inside.txt', '*** Move to: c.txt')).toMatchObject({ isError: true })
    expect((await patch('*** Update File: inside.txt', '-a', '+A')).isError).toBeUndefined()
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('A\n')
  })

  it('notices a link that replaces a file after it was judged', async () => {
    const { root, tool } = await project()
    const outside = await tempFolder()
    await writeFile(join(outside, 'b.txt'), 'b\n')
    const call = await prepareCall(tool, patchOf('*** Add File: b.txt', '+mine'))
    await symlink(join(outside, 'b.txt'), join(root, 'b.txt'))
    const result = await call.run(callContext())
    expect(textOf(result.content)).toContain('now leads to')
    expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('b\n')
  })

  it('reports when it changes nothing', async () => {
    const { patch } = await project({ 'a.txt': 'a\n' })
    expect((await patch('*** Update File: a.txt', '-a', '+a')).text).toContain('nothing was written')
  })
})
