import { renameSync, symlinkSync } from 'node:fs'
import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../../../shared/model/turn/message'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { globTool } from './glob'

/** Names that end with a slash become folders. The first name is the newest. */
async function project(...names: string[]) {
  const base = await tempFolder()
  const root = join(base, 'project')
  await mkdir(root)
  const now = Date.now()
  for (const [index, name] of names.entries()) {
    const path = join(root, name)
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) await writeFile(path, '')
    await utimes(path, new Date(), new Date(now - 1000 * (10 + index)))
  }
  const glob = globTool({ workspace: createWorkspace({ root }) })
  const find = async (pattern: string, more: { path?: string; include_dirs?: boolean } = {}) =>
    (await callTool(glob, { pattern, ...more })).text.split('\n')
  return { base, root, glob, find }
}

describe('Glob: matching', () => {
  it('lists the newest first', async () => {
    const { find } = await project('b.ts', 'a.ts', 'c.ts')
    expect(await find('*.ts')).toEqual(['b.ts', 'a.ts', 'c.ts'])
  })

  it('searches subfolders only with **, and suggests that when the folder itself has no match', async () => {
    const { find } = await project('src/a.ts', 'src/in/b.ts')
    expect(await find('src/*.ts')).toEqual(['src/a.ts'])
    expect(await find('src/**/*.ts')).toEqual(['src/a.ts', 'src/in/b.ts'])
    expect(await find('*.ts')).toEqual([
      'No files match. This pattern looks only in the folder itself; **/*.ts looks below it too.',
    ])
  })

  it.each([
    ['[abc', '['],
    ['{a,b', '{'],
    ['src/{a,[b}', '['],
  ])('reports that a bracket of %s is never closed when nothing matches', async (pattern, bracket) => {
    const { find } = await project('src/a.ts')
    expect((await find(pattern))[0]).toContain(`No files match. The pattern has a ${bracket} that is never closed`)
  })

  it('expands braces, nested and with slashes', async () => {
    const { find } = await project('a/x.ts', 'b/c/x.tsx', 'b/d/x.ts', 'e/x.ts')
    expect(await find('{a,b/{c,d}}/*.{ts,tsx}')).toEqual(['a/x.ts', 'b/c/x.tsx', 'b/d/x.ts'])
  })

  it('lists matching folders, including empty ones, unless disabled', async () => {
    const { find } = await project('src/test.ts', 'src/test-empty/', 'src/test-dir/x')
    expect((await find('src/test*')).toSorted()).toEqual(['src/test-dir/', 'src/test-empty/', 'src/test.ts'])
    expect(await find('src/test*', { include_dirs: false })).toEqual(['src/test.ts'])
    expect((await find('src/*/')).toSorted()).toEqual(['src/test-dir/', 'src/test-empty/'])
  })

  it('finds hidden files and names with accents, newlines, brackets and parentheses', async () => {
    const { find } = await project('.hidden.ts', 'app/[id]/page.tsx', 'app/(group)/page.tsx', 'näme.ts', 'new\nline.ts')
    expect((await find('*.ts')).toSorted()).toEqual(['"new\\nline.ts"', '.hidden.ts', 'näme.ts'])
    expect(await find('app/[id]/*.tsx')).toEqual(['app/[id]/page.tsx'])
    expect(await find('**/[id]/page.tsx')).toEqual(['app/[id]/page.tsx'])
    expect(await find('app/(group)/*.tsx')).toEqual(['app/(group)/page.tsx'])
  })

  it.each(['*', '**', '**/*', '**/**', './**', '*/*', '?*', '**/', '{*,**}'])(
    'refuses %s, which has only wildcards, with advice',
    async (pattern) => {
      const { glob } = await project('a')
      expect(await callTool(glob, { pattern })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/wildcards alone.*src\/\*\*/),
      })
    },
  )

  it('refuses wildcards alone even after the spelled-out project folder', async () => {
    const { glob, root } = await project('a')
    for (const pattern of [`${root}/**`, '../**', `${root}/*/../../**`])
      expect(await callTool(glob, { pattern })).toMatchObject({ isError: true })
  })

  it('accepts absolute patterns and leading .., and declares the folder they lead to', async () => {
    const { glob, root, base, find } = await project('src/a.ts')
    expect(await find(`${root}/src/*.ts`)).toEqual(['src/a.ts'])
    await mkdir(join(base, 'other'))
    await writeFile(join(base, 'other', 'b.ts'), '')
    expect((await prepareCall(glob, { pattern: '../other/*.ts' })).accesses).toEqual([
      { kind: 'tree', path: join(base, 'other'), written: join(base, 'other'), write: false },
    ])
    expect(await find('../other/*.ts')).toEqual([join(base, 'other', 'b.ts')])
    expect(await callTool(glob, { pattern: 'src/*/../a.ts' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('cannot go up'),
    })
  })

  it('returns immediately for braces that stand for a hundred thousand patterns, and for consecutive wildcards', async () => {
    const { glob } = await project('a', `b/${'a'.repeat(200)}`)
    const braces = 'a{b,c,d,e,f,g,h,i,j,k}'.replace(/{.*}/, (one) => one.repeat(5))
    const started = performance.now()
    for (const pattern of [braces, `**/${'*?'.repeat(40)}z`, `**/${'a*'.repeat(100)}z`, `${'**/'.repeat(60)}z`])
      expect(await callTool(glob, { pattern })).toMatchObject({ text: expect.stringContaining('No files match') })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('Glob: what is left out', () => {
  it('respects .gitignore and .trestleignore at every level, later ones over earlier ones', async () => {
    const { find, root } = await project('a.gen.ts', 'sub/a.gen.ts', 'sub/b.ts', 'dist/c.ts', 'keep/dist/d.ts')
    await writeFile(join(root, '.gitignore'), '*.gen.ts\ndist/\n')
    await writeFile(join(root, 'sub/.gitignore'), '!a.gen.ts\n')
    await writeFile(join(root, 'sub/.trestleignore'), 'b.ts\n')
    await writeFile(join(root, 'keep/.trestleignore'), '!dist/\n')
    expect(await find('**/*.ts')).toEqual(['sub/a.gen.ts', 'keep/dist/d.ts'])
  })

  it('searches an ignored folder when the pattern names it', async () => {
    const { find, root } = await project('node_modules/p/index.js')
    await writeFile(join(root, '.gitignore'), 'node_modules/\n')
    expect(await find('node_modules/p/*.js')).toEqual(['node_modules/p/index.js'])
    expect(await find('*.js', { path: 'node_modules/p' })).toEqual(['node_modules/p/index.js'])
    expect(await find('**/*.js')).toEqual(['No files match.'])
  })

  it('never enters version control', async () => {
    const { find, glob } = await project('.git/config', 'sub/.git/config', 'sub/.Hg/config', 'config')
    expect(await find('**/config')).toEqual(['config'])
    expect(await callTool(glob, { pattern: '.git/*' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('version control'),
    })
  })

  it('leaves out sensitive files and names them', async () => {
    const { find } = await project('.env', '.env.example', '.ssh/id_rsa')
    expect(await find('.env*')).toEqual(['.env.example', '[Sensitive files are not shown: .env]'])
    expect(await find('**/id_*')).toEqual(['No files match.', '[Sensitive files are not shown: .ssh/id_rsa]'])
  })

  it('lists a symlink but does not follow it out of the tree or in circles', async () => {
    const { find, root, base } = await project('src/a.ts')
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'b.ts'), '')
    await symlink(join(base, 'outside'), join(root, 'src', 'link'))
    await symlink('..', join(root, 'src', 'loop'))
    expect(await find('src/**/*.ts')).toEqual(['src/a.ts'])
    expect((await find('src/l*')).toSorted()).toEqual(['src/link', 'src/loop'])
  })
})

describe('Glob: limits', () => {
  it('shows the newest 1000 and reports that there are more', async () => {
    const { find, root, glob } = await project('newest.ts')
    await utimes(join(root, 'newest.ts'), new Date(), new Date(Date.now() + 60_000))
    await Promise.all(Array.from({ length: 1_100 }, (_, index) => writeFile(join(root, `f${index}.ts`), '')))
    const lines = await find('*.ts')
    expect(lines).toHaveLength(1_001)
    expect(lines[0]).toBe('newest.ts')
    expect(lines.at(-1)).toBe('[The first 1000 of 1101. Narrow the pattern to see the others.]')
    expect((await callTool(glob, { pattern: '*.ts' })).details).toMatchObject({
      kind: 'matches',
      total: 1_101,
      truncated: true,
    })
  })

  it('marks results as partial when time is up', async () => {
    const { root } = await project('a/b/c.ts', 'd.ts')
    const glob = globTool({ workspace: createWorkspace({ root }), timeoutMs: 0 })
    expect((await callTool(glob, { pattern: '**/*.ts' })).text).toContain(
      '[Partial: the search was stopped after 0 s. Narrow it with path.]',
    )
  })

  it('stops when the turn is stopped', async () => {
    const { glob } = await project('a/b.ts')
    expect(await callTool(glob, { pattern: '**/*.ts' }, AbortSignal.abort())).toMatchObject({
      isError: true,
      text: 'The search was stopped.',
    })
  })

  it('distinguishes a missing path from a pattern without matches', async () => {
    const { glob, find } = await project('a.ts')
    expect(await callTool(glob, { pattern: '*.ts', path: 'nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nope does not exist'),
    })
    expect(await callTool(glob, { pattern: '*.ts', path: 'a.ts' })).toMatchObject({
      isError: true,
      text: 'a.ts is a file; path must be a folder.',
    })
    expect(await find('nope/*.ts')).toEqual(['No files match: the folder nope does not exist.'])
  })
})

describe('Glob: links created in the meantime', () => {
  it('lists nothing when the folder was replaced by a link after it was judged', async () => {
    const { base, root, glob } = await project('sub/a.txt')
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret.txt'), '')
    const calls = [
      await prepareCall(glob, { pattern: 'sub/*.txt' }),
      await prepareCall(glob, { pattern: '*.txt', path: 'sub' }),
    ]
    await rename(join(root, 'sub'), join(root, 'moved'))
    await symlink(join(base, 'outside'), join(root, 'sub'))
    for (const call of calls) {
      const { content, isError } = await call.run(callContext())
      expect(isError).toBe(true)
      expect(textOf(content)).not.toContain('secret')
    }
  })

  it('does not follow a link that replaces a folder while it is listed', async () => {
    const { base, root } = await project('sub/a.txt', 'z.txt')
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret.txt'), '')
    const glob = globTool({
      workspace: createWorkspace({ root }),
      // Called after `sub` was found and before it is listed.
      hidden: async () => (path) => {
        if (path !== join(root, 'sub')) return false
        renameSync(path, join(base, 'moved'))
        symlinkSync(join(base, 'outside'), path)
        return false
      },
    })
    const { text } = await callTool(glob, { pattern: '**/*.txt' })
    expect(text).toContain('z.txt')
    expect(text).not.toContain('secret')
  })
})
