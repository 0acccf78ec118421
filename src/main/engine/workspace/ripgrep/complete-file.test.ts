import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { completeFile } from './complete-file'

async function project(...names: string[]) {
  const root = await tempFolder()
  for (const name of names) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), '')
  }
  const complete = async (query: string, limit = 10) =>
    (await completeFile(root, query, limit)).map(({ path, isFolder }) => (isFolder ? `${path}/` : path))
  return { root, complete }
}

describe('completeFile', () => {
  it('ranks entries whose own name matches above those below them', async () => {
    const { complete } = await project('login/form.ts', 'login/button.ts', 'src/auth/login.ts', 'src/l/o/g/i/n.ts')
    expect((await complete('login')).slice(0, 2).toSorted()).toEqual(['login/', 'src/auth/login.ts'])
    expect(await complete('login')).toContain('login/form.ts')
  })

  it('finds parts of names in order, ignoring case, including folders', async () => {
    const { complete } = await project('src/components/UserProfileCard.tsx', 'docs/guide.md')
    expect((await complete('profcard'))[0]).toBe('src/components/UserProfileCard.tsx')
    expect((await complete('src/comp'))[0]).toBe('src/components/')
    expect(await complete('zzzz')).toEqual([])
  })

  it('offers the entries nearest to the root if nothing is typed yet', async () => {
    const { complete } = await project('src/deep/down/a.ts', 'b.md')
    expect(await complete('', 2)).toEqual(['src/', 'b.md'])
    expect(await complete('', 1)).toEqual(['src/'])
  })

  it('omits ignored and sensitive files and version control', async () => {
    const { root, complete } = await project(
      '.env',
      '.env.example',
      'node_modules/env.js',
      '.git/env',
      'env.ts',
      'sub/env-secret',
    )
    await writeFile(join(root, '.gitignore'), 'node_modules\n')
    await writeFile(join(root, '.trestleignore'), 'env-secret\n')
    expect((await complete('env')).toSorted()).toEqual(['.env.example', 'env.ts'])
  })

  it('keeps unusual names intact and survives unusual queries', async () => {
    const { complete } = await project('new\nline.ts', 'näme.ts', '-dash.ts')
    expect(await complete('näme')).toEqual(['näme.ts'])
    expect(await complete('newline')).toEqual(['new\nline.ts'])
    for (const query of ['\0', '((', '\\', '.', '/', ' ', 'x'.repeat(10_000)]) await complete(query)
    expect(await complete('./-dash')).toEqual(['-dash.ts'])
  })
})
