import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import fc from 'fast-check'
import { globMatcher } from './glob-matcher'
import { ignoreFilter, ignoreRules, starTest } from './ignore-rules'
import { walkTree } from '../file/list-files'

async function tree(files: Record<string, string>) {
  const root = await tempFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  const walked = async (folder = root): Promise<string[]> => {
    const found: string[] = []
    await walkTree(folder, {
      rules: ignoreRules(folder, root, ['.gitignore']),
      deadline: Infinity,
      signal: new AbortController().signal,
      visit: ({ inner, isFolder }) => {
        if (!isFolder) found.push(inner)
        return inner !== '.git'
      },
    })
    return found.toSorted()
  }
  return { root, walked }
}

describe('ignore rules', () => {
  it('hide exactly what git hides, with rules of every kind at several levels', async () => {
    const names = [
      'a.log',
      'keep.log',
      'build/x',
      'src/build/x',
      'src/a.log',
      'src/in/a.log',
      'src/in/keep.log',
      'docs/a/b/c',
      'docs/x',
      'tmp/y',
      'foo bar',
      '#hash',
      '!bang',
      'src/gen/z',
      'src/gen/keep/z',
      'Upper.LOG',
      'w/[x]/f',
      'sub/only/this',
      'sub/only/that',
    ]
    const { root, walked } = await tree({
      ...Object.fromEntries(names.map((name) => [name, ''])),
      '.gitignore':
        '\uFEFF# comment\n*.log\n!keep.log\n/build/\ndocs/**/c\n' +
        'tmp\nfoo\\ bar\n\\#hash\n\\!bang\nw/\\[x\\]/\ntrailing   \n',
      'src/.gitignore': 'gen/*\n!gen/keep/\n!a.log\n',
      'src/in/.gitignore': 'keep.log\n',
      'sub/.gitignore': '/only/*\n!/only/this\n',
    })
    execFileSync('git', ['init', '-q', root])
    const expected = execFileSync(
      'git',
      [
        '-C',
        root,
        '-c',
        'core.excludesFile=',
        '-c',
        'core.ignorecase=false',
        'ls-files',
        '-co',
        '--exclude-standard',
        '-z',
      ],
      { encoding: 'utf8' },
    )
    expect(await walked()).toEqual(expected.split('\0').filter(Boolean).toSorted())
  })

  it('of parent folders apply to a folder, unless that folder itself is ignored', async () => {
    const { root, walked } = await tree({
      '.gitignore': '*.log\nvendor/\n',
      'src/a.log': '',
      'src/a.ts': '',
      'vendor/a.log': '',
      'vendor/in/b.ts': '',
    })
    expect(await walked(join(root, 'src'))).toEqual(['a.ts'])
    expect(await walked(join(root, 'vendor'))).toEqual(['a.log', 'in/b.ts'])
  })

  it('are read up to the repository root, or up to the project outside a repository', async () => {
    const { root } = await tree({ '.gitignore': 'a\n', 'project/a': '', 'project/sub/a': '' })
    const project = join(root, 'project')
    expect(ignoreRules(project, project).ignores(join(project, 'a'), false)).toBe(false)
    execFileSync('git', ['init', '-q', root])
    expect(ignoreRules(project, project).ignores(join(project, 'a'), false)).toBe(true)
    execFileSync('git', ['init', '-q', project])
    expect(ignoreRules(project, project).ignores(join(project, 'a'), false)).toBe(false)
  })

  it('let .trestleignore override .gitignore in the same folder', async () => {
    const { root } = await tree({ '.gitignore': 'a\n', '.trestleignore': '!a\nb\n' })
    const ignored = ignoreFilter(root, root, ['.gitignore', '.trestleignore'])
    expect([ignored(join(root, 'a')), ignored(join(root, 'b')), ignored(join(root, 'c'))]).toEqual([false, true, false])
  })

  it('give the same answers after many queries, when the cache of earlier answers is dropped', async () => {
    const { root } = await tree({ '.gitignore': '*.log\n' })
    const rules = ignoreRules(root, root)
    for (let index = 0; index < 45_000; index++) expect(rules.ignores(join(root, `${index}.log`), false)).toBe(true)
    expect(rules.ignores(join(root, '1.ts'), false)).toBe(false)
  })

  it('match stars in names like other patterns', () => {
    const part = fc.stringMatching(/^[ab*]{1,6}$/)
    fc.assert(
      fc.property(part, fc.stringMatching(/^[ab]{0,8}$/), (pattern, name) => {
        expect([pattern, name, starTest(pattern)(name)]).toEqual([pattern, name, globMatcher(pattern).matches(name)])
      }),
      { numRuns: 2_000 },
    )
  })

  it('use only as many rules of a file as can be checked for every entry', async () => {
    const simple = Array.from({ length: 6_000 }, (_, n) => `*.s${n}`)
    const complex = Array.from({ length: 600 }, (_, n) => `[x]?c${n}`)
    const { root } = await tree({ '.gitignore': ['first', ...complex, ...simple, ...simple, 'last'].join('\n') })
    const rules = ignoreRules(root, root)
    const isIgnored = (name: string): boolean => rules.ignores(join(root, name), false)
    for (const name of ['first', 'xyc0', 'xyc499', 'a.s0', 'a.s4000'])
      expect([name, isIgnored(name)]).toEqual([name, true])
    for (const name of ['xyc599', 'a.s5999', 'last', 'other']) expect([name, isIgnored(name)]).toEqual([name, false])
  })
})

describe('a folder with many entries', () => {
  it('is compared with slow rules without blocking other work', async () => {
    const { root } = await tree(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, ''])))
    let turns = 0
    const others = setInterval(() => (turns += 1), 0)
    const seen: number[] = []
    const slow = {
      ignores() {
        for (const end = performance.now() + 1; performance.now() < end;);
        seen.push(turns)
        return false
      },
      into: () => slow,
    }
    await walkTree(root, { rules: slow, deadline: Infinity, signal: new AbortController().signal, visit: () => false })
    clearInterval(others)
    expect(seen).toHaveLength(40)
    expect(seen.at(-1)).toBeGreaterThan(seen[0]!)
  })
})
