import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createReadState, createWorkspace, type Workspace } from '../workspace/workspace'
import { missingPath, printablePath, rememberFolder } from './file-paths'

async function workspaceWith(...names: string[]): Promise<Workspace> {
  const root = await tempFolder()
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), '')
  }
  return createWorkspace({ root, addedFolders: [], reads: createReadState() })
}
const adviceFor = async (workspace: Workspace, path: string): Promise<string> =>
  missingPath(workspace, await workspace.resolve(path), 'Look around.')

describe('a path that does not exist', () => {
  test("is reported with the tool's advice", async () => {
    expect(await adviceFor(await workspaceWith('a.txt'), 'b.txt')).toBe('b.txt does not exist. Look around.')
  })

  test('is compared with names that look the same', async () => {
    const workspace = await workspaceWith('Readme.md', 'Bild\u202f1.png', 'cafe\u0301.txt', 'zero\u200bwidth.txt')
    expect(await adviceFor(workspace, 'README.md')).toBe(
      'README.md does not exist. There is "Readme.md": upper and lower case differ.',
    )
    expect(await adviceFor(workspace, 'Bild 1.png')).toContain(
      String.raw`it has U+202F where the name you gave has an ordinary space or nothing. Call again with this path, with its \u escapes as they are in JSON: "Bild\u202f1.png"`,
    )
    expect(await adviceFor(workspace, 'café.txt')).toContain('its accents are in another Unicode form')
    expect(await adviceFor(workspace, 'zerowidth.txt')).toContain('it has U+200B')
  })

  test('is found in a folder whose name only looks the same', async () => {
    expect(await adviceFor(await workspaceWith('Src/Main.ts'), 'src/main.ts')).toContain('There is "Src/Main.ts"')
  })

  test('is reported with its target when it is a dangling link', async () => {
    const workspace = await workspaceWith('a.txt')
    symlinkSync('gone', join(workspace.root, 'link'))
    expect(await adviceFor(workspace, 'link')).toBe(
      'link is a symbolic link to "gone", which does not exist. Look around.',
    )
  })

  test('that is a URL, or has bytes that are not text, is reported as such', async () => {
    const workspace = await workspaceWith()
    expect(await adviceFor(workspace, 'file:///etc/hosts')).toContain('leave out file://')
    expect(await adviceFor(workspace, 'odd\ufffd.txt')).toContain('not valid UTF-8')
  })
})

test('keeps a path in a list on one line', () => {
  expect([printablePath('a b'), printablePath('größe'), printablePath('a\nb'), printablePath('a\u2028b')]).toEqual([
    'a b',
    'größe',
    '"a\\nb"',
    JSON.stringify('a\u2028b'),
  ])
})

test('lets edit permission for a folder cover reading there and below, but not above or next to it', async () => {
  const workspace = await workspaceWith('src/deep/a.txt')
  const folder = (name: string): string => join(workspace.root, name)
  const covers = (verb: 'edit' | 'read', granted: string, asked: 'edit' | 'read', wanted: string): boolean => {
    const { key } = rememberFolder(workspace, verb, granted)
    const call = rememberFolder(workspace, asked, wanted)
    return call.key === key || (call.coveredBy ?? []).includes(key)
  }
  expect(covers('edit', folder('src'), 'edit', folder('src/deep'))).toBe(true)
  expect(covers('edit', folder('src'), 'read', folder('src'))).toBe(true)
  expect(covers('read', folder('src'), 'edit', folder('src'))).toBe(false)
  expect(covers('edit', folder('src/deep'), 'edit', folder('src'))).toBe(false)
  expect(covers('edit', folder('src'), 'edit', folder('src2'))).toBe(false)
  expect(rememberFolder(workspace, 'edit', workspace.root).label).toBe(
    'Allow edits in the whole project for this session',
  )
})
