import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { editTool } from './edit'
import { readTool } from './read'
import { writeTool } from './write'

const input = (oldString: string, newString: string, all = false) => ({
  path: 'a.ts',
  old_string: oldString,
  new_string: newString,
  replace_all: all,
})

/** A file that was read, and an Edit of it. */
async function fileWith(content: string | Uint8Array) {
  const root = await tempFolder()
  const workspace = createWorkspace({ root })
  const path = join(root, 'a.ts')
  await writeFile(path, content)
  await callTool(readTool({ workspace }), { path: 'a.ts' })
  const tool = editTool({ workspace })
  return {
    path,
    tool,
    edit: (oldString: string, newString: string, all = false) => callTool(tool, input(oldString, newString, all)),
    content: () => readFile(path, 'utf8'),
  }
}

describe('Edit', () => {
  it('replaces one exact occurrence and shows the diff', async () => {
    const { path, edit, content } = await fileWith('a\nb\nc\n')
    const result = await edit('b', 'B')
    expect(result).toMatchObject({
      text: 'Replaced 1 occurrence in a.ts (line 2).',
      details: { kind: 'diff', path, added: 1, removed: 1, hash: expect.any(String) },
    })
    expect(await content()).toBe('a\nB\nc\n')
  })

  it('treats $ patterns in the new text literally', async () => {
    const { edit, content } = await fileWith('price\nprice2\n')
    await edit('price\n', "$& $1 $$ $` $'\n")
    await edit('price2', '$&', true)
    expect(await content()).toBe("$& $1 $$ $` $'\n$&\n")
  })

  it('does not guess when the text is ambiguous, and names the lines', async () => {
    const { edit, content } = await fileWith('x = 1\ny\nx = 1\nx = 1\n')
    expect(await edit('x = 1', 'x = 2')).toMatchObject({
      isError: true,
      text: expect.stringContaining('3 times (lines 1, 3, 4)'),
    })
    expect(await content()).toBe('x = 1\ny\nx = 1\nx = 1\n')
    expect((await edit('x = 1', 'x = 2', true)).text).toBe('Replaced 3 occurrences in a.ts.')
    expect(await content()).toBe('x = 2\ny\nx = 2\nx = 2\n')
  })

  it('does not loop when the new text contains the old one', async () => {
    const { edit, content } = await fileWith('a a\n')
    await edit('a', 'aa', true)
    expect(await content()).toBe('aa aa\n')
  })

  it('explains why nothing was found', async () => {
    const { edit, content } = await fileWith('if (a) {\n\tb()\n}\n')
    expect((await edit('nowhere', 'x')).text).toContain(
      'was not found in a.ts. Nothing in the file resembles it; read the file again',
    )
    expect((await edit('    b( )', 'x')).text).toMatch(/Line 2 is the closest[^]*\n- 2 {2}→b\(\)\n\+ {4}····b\(·\)$/)
    expect((await edit('2\t\tb()', 'x')).text).toContain('line numbers')
    expect(await content()).toBe('if (a) {\n\tb()\n}\n')
  })

  it('refuses equal strings before the user is asked', async () => {
    const { tool } = await fileWith('a')
    expect(await tool.prepare(input('a', 'a'))).toMatchObject({ refused: { isError: true } })
  })

  it('matches CRLF files as LF, no matter what the model sends, and writes CRLF back', async () => {
    const { edit, content } = await fileWith('a\r\nb\r\nc\r\n')
    expect((await edit('a\nb', 'A\nB\nnew')).text).toContain('CRLF line endings kept')
    expect(await content()).toBe('A\r\nB\r\nnew\r\nc\r\n')
    await edit('new\r\nc', 'n\r\nc2')
    expect(await content()).toBe('A\r\nB\r\nn\r\nc2\r\n')
    expect(await edit('A\r\nB', 'A\nB')).toMatchObject({
      isError: true,
      text: expect.stringContaining('only in line endings'),
    })
  })

  it('edits files with mixed endings as they are and reports it', async () => {
    const { edit, content } = await fileWith('a\r\nb\nc\n')
    expect((await edit('a\nb', 'x')).text).toContain('Line 1 differs only in line endings')
    expect((await edit('a\r\nb', 'a\r\nB')).text).toContain('mixed line endings')
    expect(await content()).toBe('a\r\nB\nc\n')
  })

  it('reports when an edit gives a file mixed endings', async () => {
    const { edit } = await fileWith('a\nb\n')
    expect((await edit('a', 'a\r\nx')).text).toContain('Line endings change from LF to mixed.')
  })

  it('keeps byte order mark, encoding and mode', async () => {
    const utf16 = await fileWith(Buffer.from('\ufeffgr\u00fc\u00df\r\nx\r\n', 'utf16le').swap16())
    await utf16.edit('gr\u00fc\u00df\nx', '\u{1f600}')
    expect(await readFile(utf16.path)).toEqual(Buffer.from('\ufeff\u{1f600}\r\n', 'utf16le').swap16())
    const bom = await fileWith('\ufeffa')
    await chmod(bom.path, 0o640)
    await bom.edit('a', 'b')
    expect(await bom.content()).toBe('\ufeffb')
    expect((await stat(bom.path)).mode & 0o777).toBe(0o640)
  })

  it('is refused when the file changed since it was read', async () => {
    const { path, edit, content } = await fileWith('a\n')
    await writeFile(path, 'a\nchanged\n')
    expect(await edit('a', 'b')).toMatchObject({ isError: true, text: expect.stringContaining('changed on disk') })
    expect(await content()).toBe('a\nchanged\n')
    const workspace = createWorkspace({ root: await tempFolder() })
    await writeFile(join(workspace.root, 'x'), 'a')
    const missing = await callTool(editTool({ workspace }), { path: 'y', old_string: 'a', new_string: 'b' })
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('does not exist') })
  })

  it('needs no Read when an exact quote proves that the text is known, and does not count as one', async () => {
    const workspace = createWorkspace({ root: await tempFolder() })
    const path = join(workspace.root, 'x.ts')
    await writeFile(path, 'one\ntwo\ntwo\n')
    const tool = editTool({ workspace })
    expect(await callTool(tool, { ...input('two', '2'), path: 'x.ts', replace_all: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining('has not been read in this session, and old_string occurs 2 times'),
    })
    const result = await callTool(tool, { ...input('one', '1'), path: 'x.ts' })
    expect(result.text).toBe('Replaced 1 occurrence in x.ts (line 1).')
    expect(result.details).not.toHaveProperty('hash')
    expect(await callTool(writeTool({ workspace }), { path: 'x.ts', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Read it first'),
    })
    expect(await readFile(path, 'utf8')).toBe('1\ntwo\ntwo\n')
  })

  it('neither shows content of a file that the agent cannot read without asking, nor changes it unread', async () => {
    const [root, outside] = [await tempFolder(), await tempFolder()]
    await writeFile(join(root, 'secret.txt'), 'the word is mellon\n')
    await writeFile(join(outside, 'a.txt'), 'the word is mellon\n')
    const tool = editTool({
      workspace: createWorkspace({ root }),
      hidden: async () => (path) => path.endsWith('secret.txt'),
    })
    for (const path of ['secret.txt', join(outside, 'a.txt')]) {
      for (const quote of ['the word is', 'the word was']) {
        const result = await callTool(tool, { path, old_string: quote, new_string: 'x' })
        expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Read it first') })
        expect(result.text).not.toContain('mellon')
      }
    }
  })

  it("keeps the file's indentation when only that was wrong, and reports it", async () => {
    const { edit, content } = await fileWith('class A {\n\tf() {\n\t\tb( 1 )\n\t}\n}\n')
    const result = await edit(
      '    f() {\n        b( 1 )\n    }',
      '    f() {\n        if (x) {\n            b( 1 )\n        }\n    }',
    )
    expect(result.text).toContain(
      'matched except for white space around its lines; the indentation of the file was kept',
    )
    expect(await content()).toBe('class A {\n\tf() {\n\t\tif (x) {\n\t\t\tb( 1 )\n\t\t}\n\t}\n}\n')
  })

  it('does not choose between places that match only loosely', async () => {
    const { edit, content } = await fileWith('\tb()\n\t\tb()\n')
    expect(await edit('    b()', 'x')).toMatchObject({ isError: true })
    expect(await content()).toBe('\tb()\n\t\tb()\n')
  })

  it('accepts another edit after its own result', async () => {
    const { edit, content } = await fileWith('a')
    await edit('a', 'b')
    await edit('b', 'c')
    expect(await content()).toBe('c')
  })

  it('lets only one of two edits of the same version through', async () => {
    const { edit, content } = await fileWith('a\nb\n')
    const results = await Promise.all([edit('a', 'A'), edit('b', 'B')])
    const failures = results.filter(({ isError }) => isError === true).length
    // The second edit either sees the result of the first, which counts as read, or is refused; nothing is lost
    // silently.
    expect(await content()).toBe(failures === 0 ? 'A\nB\n' : results[0]?.isError === true ? 'a\nB\n' : 'A\nb\n')
  })

  it('previews the change, and a failure', async () => {
    const { tool } = await fileWith('a\n')
    expect(await (await prepareCall(tool, input('a', 'b'))).preview?.()).toMatchObject({
      kind: 'diff',
      diff: '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n',
    })
    expect(await (await prepareCall(tool, input('zzz', 'b'))).preview?.()).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('would fail'),
    })
    expect(await (await prepareCall(tool, input('zzz', 'b'))).check?.()).toMatchObject({ isError: true })
    expect(await (await prepareCall(tool, input('a', 'b'))).check?.()).toBeUndefined()
  })
})
