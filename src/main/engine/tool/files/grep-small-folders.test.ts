import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { grepTool } from './grep'

const LINES = 'const foo = 1\nfoobar(needle, Needle)\n\n"q" \\path x.y $var a|b {} [] #1 _foo foo-bar\nlast foo'
const FILES: Record<string, string | Buffer> = {
  '.gitignore': 'build/\n*.log\n!keep.log\n/docs/*.md\n',
  '.trestleignore': 'gen\n',
  '.git/config': LINES,
  '.hidden/a.ts': LINES,
  'a.ts': LINES,
  'b.js': LINES.replaceAll('\n', '\r\n'),
  'empty.ts': '',
  'no-end.ts': 'needle',
  'spaces and näme.ts': 'näive needle 日本\n',
  'we:ird\nname.ts': LINES,
  'x.log': LINES,
  'keep.log': LINES,
  'build/a.ts': LINES,
  'docs/a.md': LINES,
  'docs/deep/b.md': LINES,
  'src/.gitignore': '!*.log\n*.js\n',
  'src/a.tsx': LINES.repeat(20),
  'src/b.js': LINES,
  'src/c.log': LINES,
  'src/gen/a.ts': LINES,
  'src/deep/long.ts': `${'x '.repeat(2_000)}needle ${'y '.repeat(2_000)}\nneedle\n`,
  'src/deep/invalid.ts': Buffer.concat([Buffer.from('foo '), Buffer.of(0xff, 0xc3, 10), Buffer.from('needle\n')]),
  'src/image.bin': Buffer.from('foo\n\0needle'),
  '.env': 'needle=foo',
}

const PATTERNS = String.raw`needle foo foo|foobar foobar|foo|needle \bfoo\b \bfoo x\.y \$var a\|b } ] "q" \\path foo\-bar 日本 x zzz`
const OPTIONS = [
  {},
  { '-i': true },
  { '-C': 1 },
  { '-A': 2 },
  { '-B': 1, '-A': 1 },
  { include_ignored: true },
  { path: 'src' },
  { path: 'build' },
  { path: 'docs' },
  { path: 'src/gen' },
  { path: '.hidden', head_limit: 2 },
  { glob: '*.ts' },
  { glob: '*.{ts,tsx}' },
  { glob: '!*.ts' },
  { glob: 'src/**' },
  { glob: '!src/**' },
  { glob: '!docs' },
  { glob: '/src/*.tsx' },
  { glob: '**/*.md', include_ignored: true },
  { glob: 'docs' },
  { glob: 'deep/*', path: 'src' },
  { glob: '?.ts' },
  { glob: '***' },
  { glob: '.*' },
]
const MODES = ['files_with_matches', 'content', 'count_matches'] as const

it.each(MODES)('finds in a small folder what ripgrep finds: %s', async (mode) => {
  const root = join(await tempFolder(), 'project')
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  symlinkSync('a.ts', join(root, 'link.ts'))
  symlinkSync('src', join(root, 'linked'))
  execFileSync('mkfifo', [join(root, 'pipe.ts')])
  const grep = grepTool({ workspace: createWorkspace({ root }) })
  for (const [index, pattern] of PATTERNS.split(' ').entries()) {
    // Each pattern is tested with a fifth of the options.
    for (const options of OPTIONS.filter((_, n) => n % 5 === index % 5)) {
      const input = { ...options, output_mode: mode }
      const here = await callTool(grep, { ...input, pattern })
      // A group makes the pattern more than literal text, so that ripgrep searches.
      const ripgrep = await callTool(grep, { ...input, pattern: `(?:${pattern})` })
      expect({ pattern, ...input, text: here.text }).toEqual({ pattern, ...input, text: ripgrep.text })
    }
  }
})

describe('ignore rules', () => {
  /** A project with a repository, below a folder with an ignore file. */
  async function project(files: Record<string, string>) {
    const base = await tempFolder()
    writeFileSync(join(base, '.gitignore'), '*.ts\n')
    const root = join(base, 'project')
    for (const [name, content] of Object.entries({ '.git/HEAD': 'ref: refs/heads/main\n', ...files })) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), content)
    }
    const grep = grepTool({ workspace: createWorkspace({ root }) })
    /** What a search in this process finds, and what ripgrep finds. */
    return async (input: Record<string, unknown>) =>
      Promise.all(['needle', '(?:needle)'].map(async (pattern) => (await callTool(grep, { ...input, pattern })).text))
  }

  it('above the repository hide nothing in it', async () => {
    const search = await project({ 'src/a.ts': 'needle', 'src/build/b.ts': 'needle', '.gitignore': 'build/\n' })
    expect(await search({})).toEqual(['src/a.ts', 'src/a.ts'])
    expect(await search({ path: 'src' })).toEqual(['src/a.ts', 'src/a.ts'])
    expect(await search({ path: 'src/build' })).toEqual(['src/build/b.ts', 'src/build/b.ts'])
  })

  it('that ignore a folder do not apply in it when it is named', async () => {
    const search = await project({ '.venv/.gitignore': '*\n', '.venv/lib/a.ts': 'needle' })
    expect(await search({ path: '.venv/lib' })).toEqual(['.venv/lib/a.ts', '.venv/lib/a.ts'])
  })

  it('that are not valid fail no search', async () => {
    const search = await project({ '.gitignore': 'a\\\nb.ts\n', 'src/a.ts': 'needle', 'src/b.ts': 'needle' })
    expect(await search({ path: 'src' })).toEqual(['src/a.ts', 'src/a.ts'])
    expect(await search({ path: 'src', glob: '*.js' })).toEqual(['No matches found', 'No matches found'])
  })
})
