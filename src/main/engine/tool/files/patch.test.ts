import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { patchTool } from './patch'
import { readTool } from './read'

async function fileWith(content: string) {
  const root = await tempFolder()
  const workspace = createWorkspace({ root })
  const path = join(root, 'a.ts')
  await writeFile(path, content)
  await callTool(readTool({ workspace }), { path: 'a.ts' })
  return {
    patch: (...patches: [find: string, replace: string][]) =>
      callTool(patchTool({ workspace }), {
        path: 'a.ts',
        patches: patches.map(([find, replace]) => ({ find, replace })),
      }),
    content: () => readFile(path, 'utf8'),
  }
}

describe('Patch', () => {
  it('replaces in order, each in the result of the previous ones, as one diff', async () => {
    const { patch, content } = await fileWith('a\nb\nc\n')
    const result = await patch(['a', 'x'], ['x\nb', 'y'], ['c', '$&'])
    expect(result).toMatchObject({
      text: 'Made 3 replacements in a.ts.',
      details: { kind: 'diff', added: 2, removed: 3 },
    })
    expect(await content()).toBe('y\n$&\n')
  })

  it('writes nothing when a later one fails, and reports which and why', async () => {
    const { patch, content } = await fileWith('a\nb\nb\n')
    expect(await patch(['a', 'x'], ['a', 'y'])).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /patch 2 of 2 looks for was not found in a\.ts as the patches before it leave the file.*Nothing was written/,
      ),
    })
    expect(await patch(['a', 'x'], ['b', 'y'])).toMatchObject({
      isError: true,
      text: expect.stringContaining('occurs 2 times (lines 2, 3)'),
    })
    expect((await patch(['a', 'a'])).text).toContain('patch 1 are equal')
    expect(await content()).toBe('a\nb\nb\n')
  })

  it('counts a text that an earlier patch duplicated', async () => {
    const { patch } = await fileWith('a\nb\n')
    expect((await patch(['a', 'b'], ['b', 'c'])).text).toContain('occurs 2 times')
  })

  it('keeps CRLF', async () => {
    const { patch, content } = await fileWith('a\r\nb\r\n')
    await patch(['a\nb', 'x\ny'], ['y', 'z'])
    expect(await content()).toBe('x\r\nz\r\n')
  })

  it('reports when the patches cancel each other out', async () => {
    const { patch } = await fileWith('a\n')
    expect((await patch(['a', 'b'], ['b', 'a'])).text).toContain('nothing was written')
  })

  it('needs no Read when each text to find occurs once', async () => {
    const workspace = createWorkspace({ root: await tempFolder() })
    await writeFile(join(workspace.root, 'x'), 'a')
    const result = await callTool(patchTool({ workspace }), { path: 'x', patches: [{ find: 'a', replace: 'b' }] })
    expect(result.text).toBe('Made 1 replacement in x.')
    expect(await readFile(join(workspace.root, 'x'), 'utf8')).toBe('b')
  })
})
