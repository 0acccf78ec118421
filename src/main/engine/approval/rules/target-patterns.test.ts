import { realpathSync } from 'node:fs'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, describe, it } from 'vitest'
import { addressRefusal, pathGlob, urlGlob, hiddenPaths } from './target-patterns'
import { callTool } from '../../../../../test/support/call-tool'
import { rulesOf } from '../../../../../test/support/judge-command'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { globTool } from '../../tool/files/glob'
import { grepTool } from '../../tool/files/grep'
import { listDirectoryTool } from '../../tool/files/list-directory'
import { createWorkspace } from '../../workspace/workspace'

test.each([
  ['example.org', 'https://example.org/a', true, true],
  ['example.org', 'https://www.example.org/a', false, true],
  ['example.org', 'https://notexample.org/', false, false],
  ['example.org', 'https://example.org.evil.net/', false, false],
  ['example.org', 'https://evil.net/example.org', false, false],
  ['*.example.org', 'https://a.b.example.org/', true, true],
  ['*.example.org', 'https://example.org/', false, false],
  ['localhost:8080', 'http://localhost:8080/x', true, true],
  ['localhost:8080', 'http://localhost:8081/x', false, false],
  ['https://example.org/docs/**', 'https://example.org/docs/a/b', true, true],
  ['https://example.org/docs/*', 'https://example.org/docs/a/b', false, true],
  ['https://example.org/docs', 'https://example.org/docs-private', false, false],
  ['https://example.org/docs', 'http://example.org/docs', false, false],
  ['EXAMPLE.org', 'https://example.ORG/', true, true],
  ['example.org', 'https://example.org./', true, true],
  ['example.org.', 'https://a.example.org/', false, true],
  ['*.bücher.example', 'https://a.bücher.example/', true, true],
  ['bücher.example', 'https://xn--bcher-kva.example./', true, true],
  ['example.org:443', 'https://example.org/', true, true],
  ['example.org:443', 'http://example.org/', false, false],
  ['127.0.0.1', 'http://[::ffff:127.0.0.1]/', true, true],
  ['[::1]:80', 'http://[::1]/', true, true],
  ['[::1]:80', 'http://[::1:80]:8080/', false, false],
  ['https://example.org/docs', 'https://example.org./docs', true, true],
  ['https://bücher.example:443/docs', 'https://bücher.example/docs', true, true],
  ['https://[::1]/docs', 'https://[0:0:0:0:0:0:0:1]/docs', true, true],
  ['https://example.org/docs', 'https://example.org/%64ocs/a', false, true],
  ['https://example.org/docs', 'https://example.org//docs/a', false, true],
  ['https://example.org/ü', 'https://example.org/%C3%BC/a', false, true],
  ['https://example.org/a%20b', 'https://example.org/a b', true, true],
  ['https://example.org/%ff', 'https://example.org/%FF/a', false, true],
])('%s and %s: allow %s, deny %s', (pattern, url, allows, denies) => {
  expect(urlGlob(pattern)(url)).toBe(allows)
  expect(urlGlob(pattern, { broad: true })(url)).toBe(denies)
})

test.each(['private', 'private/', './private/', '/p/private/', '~/private/'])(
  'a rule about the folder %s means the folder and all in it',
  (pattern) => {
    const { matches, mayMatchBelow } = pathGlob(pattern, '/p', { broad: true, home: '/p' })
    expect(['/p/private', '/p/Private/x/y', '/p/private-not'].map(matches)).toEqual([true, true, false])
    expect(mayMatchBelow('/p')).toBe(true)
    expect(pathGlob(pattern, '/p', { home: '/p' }).matches('/p/private')).toBe(true)
  },
)

test('deny, ask and unreadable rules apply to the target of a redirect', () => {
  const rule = { scope: 'user', file: '/c.toml', index: 0, line: 3 } as const
  expect(
    addressRefusal([{ ...rule, decision: 'deny', pattern: 'FetchURL(evil.net)' }], 'https://a.evil.net/'),
  ).toContain('deny FetchURL(evil.net) (/c.toml:3)')
  expect(
    addressRefusal([{ ...rule, decision: 'ask', pattern: 'FetchURL(evil.net)' }], 'https://evil.net/'),
  ).toBeDefined()
  expect(
    addressRefusal([{ ...rule, decision: 'allow', pattern: 'FetchURL(evil.net)' }], 'https://evil.net/'),
  ).toBeUndefined()
  expect(
    addressRefusal([{ ...rule, decision: 'deny', pattern: 'FetchURL(', mistake: 'is no pattern' }], 'https://x.org/'),
  ).toBeDefined()
})

/** A project that contains TRESTLE_HOME, and the three tools as a session with these rules gets them. */
async function project(...rules: string[]) {
  const root = await tempFolder()
  const home = join(root, '.trestle-home')
  mkdirSync(join(root, 'src'))
  mkdirSync(join(home, 'tasks'), { recursive: true })
  for (const [name, text] of [
    ['src/a.txt', 'needle'],
    ['src/secret.txt', 'needle of the secret'],
    ['.trestle-home/config.toml', 'needle = "key"'],
    ['.trestle-home/tasks/out.txt', 'needle in my own output'],
  ] as const)
    writeFileSync(join(root, name), text)
  symlinkSync(home, join(root, 'link'))
  const workspace = createWorkspace({ root })
  const hidden = (tool: 'Grep' | 'Glob' | 'ListDirectory') => async () =>
    hiddenPaths({ rules: rulesOf(...rules), tool, root, addedFolders: [], home, ownOutput: [join(home, 'tasks')] })
  const grep = grepTool({ workspace, hidden: hidden('Grep') })
  const glob = globTool({ workspace, hidden: hidden('Glob') })
  const list = listDirectoryTool({ workspace, hidden: hidden('ListDirectory') })
  return {
    root,
    grep: async (input: object) => (await callTool(grep, { pattern: 'needle', ...input })).text,
    glob: async (pattern: string) => (await callTool(glob, { pattern })).text,
    list: async (path: string) => (await callTool(list, { path })).text,
  }
}

describe('tools that list or search', () => {
  it("do not search the user's credentials when the project is the home folder", async () => {
    const root = realpathSync(await tempFolder())
    const given = { rules: [], root, addedFolders: [], home: join(root, '.trestle'), ownOutput: [], userHome: root }
    const hidden = hiddenPaths({ ...given, tool: 'Grep' })
    const secrets = ['.netrc', '.git-credentials', '.config/gh/hosts.yml', '.m2/settings.xml', '.Docker/config.json']
    for (const name of secrets) expect([name, hidden(join(root, name))]).toEqual([name, true])
    for (const name of ['.m2/pom.xml', 'src/.netrc-notes', 'a/.netrc', '.netrc2'])
      expect([name, hidden(join(root, name))]).toEqual([name, false])
    expect(hiddenPaths({ ...given, tool: 'Glob' })(join(root, '.netrc'))).toBe(false)
  })

  it.each(['files_with_matches', 'content', 'count_matches'])(
    'leave out files that a rule denies, and do not name them (%s)',
    async (mode) => {
      const { grep } = await project('deny Read(**/secret.txt)')
      const text = await grep({ output_mode: mode, include_ignored: true })
      expect(text).toContain('a.txt')
      expect(text).not.toContain('secret')
      expect(await grep({ output_mode: mode, path: 'src/secret.txt' })).not.toContain('of the secret')
    },
  )

  it('also leave out denied files by name, and enter no denied folder', async () => {
    const { glob, list } = await project('deny Read(**/secret.txt)', 'deny Glob(.trestle-home)')
    expect(await glob('src/*.txt')).toBe('src/a.txt')
    expect(await list('src')).not.toContain('secret')
  })

  it('leave out what sandboxes created in the project, until it is used', async () => {
    const { root, glob, list } = await project()
    const records = join(root, '.trestle-home', 'run', 'sandbox')
    const folder = join(root, 'src', '.mcp.json')
    mkdirSync(records, { recursive: true })
    mkdirSync(folder)
    writeFileSync(join(records, 'placeholders-1.json'), JSON.stringify({ folders: [folder], files: [] }))
    expect(await list('src')).not.toContain('.mcp.json')
    expect(await glob('src/.m*')).toContain('No files match')
    writeFileSync(join(folder, 'mine'), '')
    expect(await list('src')).toContain('dir\t\t.mcp.json/')
  })

  it('do not show the contents of files that a rule asks about', async () => {
    const { grep, list } = await project('ask Read(src/secret.txt)')
    expect(await grep({ output_mode: 'content' })).not.toContain('of the secret')
    expect(await list('src')).toContain('secret.txt')
  })

  it("find nothing in Trestle's own folder except the output of this session", async () => {
    const { grep, glob, list, root } = await project()
    for (const input of [{}, { path: root }, { glob: '**/*.toml' }, { include_ignored: true, output_mode: 'content' }])
      expect(await grep(input)).not.toMatch(/config\.toml|key/)
    expect(await grep({ include_ignored: true })).toContain('.trestle-home/tasks/out.txt')
    expect(await glob('**/*.toml')).toContain('No files match')
    expect(await list('.')).not.toMatch(/^dir\t.*trestle-home/m)
  })
})
