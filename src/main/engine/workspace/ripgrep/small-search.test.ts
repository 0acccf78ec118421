import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { literalPattern } from './literal-pattern'
import { SmallSearcher, type SmallSearch } from './small-search'

async function project(files: Record<string, string | Buffer>) {
  const base = await tempFolder()
  const root = join(base, 'project')
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  const searcher = new SmallSearcher()
  const search = (more: Partial<SmallSearch> = {}) =>
    searcher.search({
      folder: root,
      root,
      cwd: root,
      pattern: literalPattern('needle', false)!,
      output: 'one',
      before: 0,
      after: 0,
      includeIgnored: false,
      leavesOut: () => false,
      ...more,
    })
  return { base, root, put, search }
}

const printed = (run: { output: Buffer } | undefined): string[] | undefined =>
  run?.output.toString('utf8').split('\n').slice(0, -1).toSorted()

describe('a search in this process', () => {
  it('prints lines as ripgrep does, and cuts them the same way', async () => {
    const { search } = await project({
      'a.ts': `one\ntwo needle needle\nthree\n`,
      'b.ts': `${'x'.repeat(3_000)}needle`,
    })
    const run = search({ output: 'lines', before: 1 })
    expect(printed(run)).toEqual([
      './a.ts\u00001-one',
      './a.ts\u00002:two needle needle',
      `./b.ts\u00001;2701/3006:${'x'.repeat(300)}needle`,
    ])
    expect(run).toMatchObject({ exitCode: 0, errors: '', hasBinary: false })
    expect(printed(search({ output: 'matches' }))).toEqual(['./a.ts\u00002', './b.ts\u00001'])
  })

  it('reports that nothing matches, and whether a binary file does', async () => {
    const { search, put } = await project({ 'a.ts': 'x' })
    expect(search()).toMatchObject({ exitCode: 1, hasBinary: false })
    put('b.bin', Buffer.from('\0needle'))
    expect(search()).toMatchObject({ exitCode: 1, hasBinary: true })
  })

  it('skips ignored and excluded entries and version control, and follows no links', async () => {
    const { search, root, base } = await project({
      '.gitignore': 'build/\n',
      'build/a': 'needle',
      '.git/a': 'needle',
      'src/.gitignore': '*.log',
      'src/a.log': 'needle',
      'src/a.ts': 'needle',
      'src/b.ts': 'needle',
    })
    mkdirSync(join(base, 'outside'))
    writeFileSync(join(base, 'outside', 'a'), 'needle')
    symlinkSync(join(base, 'outside'), join(root, 'link'))
    symlinkSync(join(base, 'outside', 'a'), join(root, 'src', 'link'))
    expect(printed(search({ leavesOut: (path) => path.endsWith('b.ts') }))).toEqual(['./src/a.ts\u00001'])
    expect(printed(search({ includeIgnored: true }))).toHaveLength(4)
  })

  it('leaves large folders to ripgrep', async () => {
    const many = Object.fromEntries(Array.from({ length: 401 }, (_, n) => [`${n}`, 'needle']))
    expect((await project(many)).search()).toBeUndefined()
    const folders = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`${n}/a`, 'needle']))
    expect((await project(folders)).search()).toBeUndefined()
    expect((await project({ a: 'x'.repeat(512 * 1024) })).search()).toBeUndefined()
    const ignored = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`data/${n}.log`, '']))
    expect((await project({ ...ignored, '.gitignore': '*.log' })).search()).toBeUndefined()
    const sizes = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${n}`, 'x'.repeat(500 * 1024)]))
    expect((await project(sizes)).search()).toBeUndefined()
    expect((await project({ a: 'needle\n'.repeat(2_001) })).search({ output: 'lines' })).toBeUndefined()
  })

  it('remembers that a folder is left to ripgrep', async () => {
    const { search, root, put } = await project({ 'src/a': '\ufeffneedle', 'docs/a': 'needle' })
    expect(search()).toBeUndefined()
    put('src/a', 'needle')
    expect(search()).toBeUndefined()
    expect(printed(search({ folder: join(root, 'docs') }))).toEqual(['./docs/a\u00001'])
  })

  it('leaves other encodings, and files that turn out to be binary after the first read, to ripgrep', async () => {
    for (const start of [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff), Buffer.of(0xef, 0xbb, 0xbf)]) {
      const { search } = await project({ a: Buffer.concat([start, Buffer.from('needle')]) })
      expect(search()).toBeUndefined()
    }
    expect((await project({ a: `needle\n${'x'.repeat(70_000)}\0` })).search()).toBeUndefined()
  })

  it('leaves a folder that was replaced with a link to ripgrep', async () => {
    const { search, root, base } = await project({ 'src/a': 'needle' })
    renameSync(join(root, 'src'), join(base, 'outside'))
    symlinkSync(join(base, 'outside'), join(root, 'src'))
    expect(search({ folder: join(root, 'src') })).toBeUndefined()
  })
})
