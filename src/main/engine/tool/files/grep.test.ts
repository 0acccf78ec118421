import { execFileSync } from 'node:child_process'
import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { textOf } from '../../../../shared/model/turn/message'
import { callContext } from '../../../../../test/support/call-context'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { grepTool } from './grep'

async function project(files: Record<string, string | Uint8Array> = {}, timeoutMs?: number) {
  const base = await tempFolder()
  const root = join(base, 'project')
  const put = async (name: string, content: string | Uint8Array, age = 100) => {
    const path = join(root, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
    await utimes(path, new Date(), new Date(Date.now() - age * 1000))
    return path
  }
  await mkdir(root)
  for (const [name, content] of Object.entries(files)) await put(name, content)
  const workspace = createWorkspace({ root })
  return { base, root, put, workspace, grep: grepTool({ workspace, ...(timeoutMs !== undefined && { timeoutMs }) }) }
}

const names = (text: string): string[] => text.split('\n').toSorted()

describe('Grep: files_with_matches', () => {
  it('lists the newest file first, to the millisecond, and files with the same time always in the same order', async () => {
    const { grep, put, root } = await project()
    const times: Record<string, number> = {
      'a/old.txt': 900_000,
      'b/same.txt': 900_100,
      'a/same.txt': 900_100,
      'z/new.txt': 900_101,
    }
    for (const [name, ms] of Object.entries(times)) {
      await put(name, 'x')
      await utimes(join(root, name), new Date(), new Date(ms))
    }
    for (let run = 0; run < 3; run++) {
      expect((await callTool(grep, { pattern: 'x' })).text.split('\n')).toEqual([
        'z/new.txt',
        'a/same.txt',
        'b/same.txt',
        'a/old.txt',
      ])
    }
  })

  it('reports when nothing matches, without an error', async () => {
    const { grep } = await project({ a: 'x' })
    const result = await callTool(grep, { pattern: 'y' })
    expect(result).toMatchObject({ text: 'No matches found', details: { kind: 'matches', total: 0, files: [] } })
    expect(result.isError).toBeUndefined()
  })

  it('shows paths relative to the project folder even when a subfolder is searched', async () => {
    const { grep } = await project({ 'src/deep/a.ts': 'x', 'other.ts': 'x' })
    expect((await callTool(grep, { pattern: 'x', path: 'src' })).text).toBe('src/deep/a.ts')
    expect((await callTool(grep, { pattern: 'x', path: 'src/deep/a.ts' })).text).toBe('src/deep/a.ts')
  })

  it('loses and repeats no entry between pages, and marks the end', async () => {
    const { grep } = await project(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, 'x'])))
    const first = await callTool(grep, { pattern: 'x' })
    expect(first.text.split('\n')).toHaveLength(251)
    expect(first.text).toContain('[files 1-250 of 300. Continue with offset 250, or narrow the search.]')
    const second = await callTool(grep, { pattern: 'x', offset: 250 })
    const all = [...first.text.split('\n').slice(0, 250), ...second.text.split('\n').slice(0, 50)]
    expect(new Set(all).size).toBe(300)
    expect((await callTool(grep, { pattern: 'x', head_limit: 0 })).text.split('\n')).toHaveLength(300)
    expect((await callTool(grep, { pattern: 'x', offset: 999 })).text).toContain('offset 999 is past the end')
  })
})

describe('Grep: content', () => {
  const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'

  it('numbers lines by default', async () => {
    const { grep } = await project({ 'a.txt': text })
    expect((await callTool(grep, { pattern: 't', output_mode: 'content' })).text).toBe('a.txt:2:two\na.txt:3:three')
    expect((await callTool(grep, { pattern: 't', output_mode: 'content', '-n': false })).text).toBe(
      'a.txt:two\na.txt:three',
    )
  })

  it('lets -C win over -A and -B, and separates groups of lines', async () => {
    const { grep } = await project({ 'a.txt': text })
    const around = await callTool(grep, { pattern: 'two|six', output_mode: 'content', '-C': 1, '-A': 3, '-B': 3 })
    expect(around.text).toBe('a.txt-1-one\na.txt:2:two\na.txt-3-three\n--\na.txt-5-five\na.txt:6:six\na.txt-7-seven')
    expect((await callTool(grep, { pattern: 'six', output_mode: 'content', '-C': 0, '-A': 1 })).text).toBe(
      'a.txt:6:six',
    )
    expect((await callTool(grep, { pattern: 'six', output_mode: 'content', '-B': 1 })).text).toBe(
      'a.txt-5-five\na.txt:6:six',
    )
  })

  it('shows lines of up to 2,000 bytes entirely; the card gets their start', async () => {
    const long = `x${'y'.repeat(1_990)}`
    const { grep } = await project({ 'a.txt': long })
    const result = await callTool(grep, { pattern: 'x', output_mode: 'content' })
    expect(result.text).toBe(`a.txt:1:${long}`)
    expect(result.details).toMatchObject({ files: [{ path: 'a.txt', lines: [{ line: 1, text: long.slice(0, 500) }] }] })
  })

  it('shows at most 200 lines on the card and reports that there are more', async () => {
    const { grep } = await project({ a: 'x\n'.repeat(150), b: 'x\n'.repeat(150) })
    const { details } = await callTool(grep, { pattern: 'x', output_mode: 'content', head_limit: 0 })
    if (details?.kind !== 'matches') throw new Error('wrong details')
    expect(details.files.flatMap((file) => file.lines)).toHaveLength(200)
    expect(details).toMatchObject({ total: 300, truncated: true })
  })

  it('pages through lines across files in a fixed order', async () => {
    const { grep } = await project({ 'b.txt': 'x1\nx2\n', 'a.txt': 'x3\nx4\n', 'a/z.txt': 'x5\n' })
    const page = async (offset: number) =>
      (await callTool(grep, { pattern: 'x', output_mode: 'content', head_limit: 2, offset })).text
        .split('\n')
        .slice(0, 2)
    expect([...(await page(0)), ...(await page(2)), (await page(4))[0]]).toEqual([
      'a/z.txt:1:x5',
      'a.txt:1:x3',
      'a.txt:2:x4',
      'b.txt:1:x1',
      'b.txt:2:x2',
    ])
  })

  it('distinguishes names with newlines, colons and accents from lines', async () => {
    const { grep } = await project({ 'we:1:ird.ts': 'x', 'new\nline.ts': 'x', 'näme-日本.ts': 'x', '-dash.ts': 'x' })
    const { text } = await callTool(grep, { pattern: 'x', output_mode: 'content' })
    expect(text.split('\n')).toEqual(['-dash.ts:1:x', '"new\\nline.ts":1:x', 'näme-日本.ts:1:x', 'we:1:ird.ts:1:x'])
    expect((await callTool(grep, { pattern: 'x', path: 'new\nline.ts' })).text).toBe('"new\\nline.ts"')
    expect((await callTool(grep, { pattern: 'x', path: '-dash.ts' })).text).toBe('-dash.ts')
  })

  it('matches line endings of CRLF files and shows no carriage return', async () => {
    const { grep } = await project({ 'a.txt': 'foo;\r\nbar\r\n' })
    expect((await callTool(grep, { pattern: ';$', output_mode: 'content' })).text).toBe('a.txt:1:foo;')
  })

  it('reports that a binary file matches without including its bytes', async () => {
    const { grep } = await project({ 'a.bin': 'x\0y', 'b.txt': 'x', 'late.bin': `x\n${'\n'.repeat(300_000)}\0\0` })
    expect((await callTool(grep, { pattern: 'x', path: 'a.bin', output_mode: 'content' })).text).toMatch(
      /^a\.bin: binary file matches/,
    )
    const { text } = await callTool(grep, { pattern: 'x', output_mode: 'content' })
    expect(text.split('\n').toSorted()).toEqual([
      expect.stringMatching(/^\[To see what a binary file says/),
      'b.txt:1:x',
      expect.stringMatching(/^late\.bin: stopped searching binary file/),
      'late.bin:1:x',
    ])
  })

  it('finds text in UTF-16 files', async () => {
    const { grep } = await project({ 'a.txt': Buffer.from('\ufeffhällo\n', 'utf16le') })
    expect((await callTool(grep, { pattern: 'hällo', output_mode: 'content' })).text).toBe('a.txt:1:hällo')
  })
})

describe('Grep: count_matches', () => {
  it('starts with a total line and counts every occurrence', async () => {
    const { grep } = await project({ 'b.txt': 'x x\nx\n', 'a.txt': 'x\n' })
    const { text, details } = await callTool(grep, { pattern: 'x', output_mode: 'count_matches' })
    expect(text).toBe('4 matches in 2 files\na.txt:1\nb.txt:3')
    expect(details).toMatchObject({
      total: 4,
      files: [
        { path: 'a.txt', count: 1 },
        { path: 'b.txt', count: 3 },
      ],
    })
  })

  it('keeps the total when a page shows only part of it', async () => {
    const { grep } = await project({ a: 'x', b: 'x', c: 'x' })
    const { text } = await callTool(grep, { pattern: 'x', output_mode: 'count_matches', head_limit: 1, offset: 1 })
    expect(text).toBe('3 matches in 3 files\nb:1\n[files 2-2 of 3. Continue with offset 2, or narrow the search.]')
  })
})

describe('Grep: patterns', () => {
  it('treats a pattern that starts with a dash as a pattern', async () => {
    const { grep } = await project({ a: '--files\n', b: 'x' })
    expect((await callTool(grep, { pattern: '--files' })).text).toBe('a')
    expect((await callTool(grep, { pattern: '-e' })).text).toBe('No matches found')
  })

  it('ignores case only when asked', async () => {
    const { grep } = await project({ a: 'FOO' })
    expect((await callTool(grep, { pattern: 'foo' })).text).toBe('No matches found')
    expect((await callTool(grep, { pattern: 'foo', '-i': true })).text).toBe('a')
  })

  it('matches across lines with multiline, and suggests it where it is missing', async () => {
    const { grep } = await project({ a: 'one\ntwo\nthree\n' })
    const { text } = await callTool(grep, { pattern: 'one.*three', multiline: true, output_mode: 'content' })
    expect(text).toBe('a:1:one\na:2:two\na:3:three')
    const without = await callTool(grep, { pattern: 'one\\ntwo' })
    expect(without).toMatchObject({ isError: true, text: expect.stringContaining('set multiline to true') })
  })

  it('answers an invalid expression, type or glob with advice', async () => {
    const { grep } = await project({ a: 'x' })
    expect(await callTool(grep, { pattern: 'foo(' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not a valid regular expression[^]*unclosed group/),
    })
    expect(await callTool(grep, { pattern: '*' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not a valid regular expression'),
    })
    expect(await callTool(grep, { pattern: 'x', type: 'nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('no such file type'),
    })
    expect(await callTool(grep, { pattern: 'x', glob: '[' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('glob is not valid'),
    })
    expect(await callTool(grep, { pattern: 'a\0b' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('\\x00'),
    })
  })

  it('runs look-around and back references, which the fast engine cannot run', async () => {
    const { grep } = await project({ a: 'foobar\nfoobaz\n', b: 'abab\n' })
    expect((await callTool(grep, { pattern: 'foo(?!bar)', output_mode: 'content' })).text).toBe('a:2:foobaz')
    expect((await callTool(grep, { pattern: '(ab)\\1' })).text).toBe('b')
  })
})

describe('Grep: what is searched', () => {
  it('searches hidden files but never version control, not even through a glob or include_ignored', async () => {
    const { grep } = await project({
      '.hidden': 'x',
      '.git/config': 'x',
      'sub/.hg/a': 'x',
      'sub/.SVN/b': 'x',
      '.github/w.yml': 'x',
    })
    expect(names((await callTool(grep, { pattern: 'x' })).text)).toEqual(['.github/w.yml', '.hidden'])
    expect(names((await callTool(grep, { pattern: 'x', include_ignored: true })).text)).toEqual([
      '.github/w.yml',
      '.hidden',
    ])
    expect((await callTool(grep, { pattern: 'x', glob: '.git/**' })).text).toBe('No matches found')
    for (const path of ['.git', '.git/config', 'sub/.SVN'])
      expect(await callTool(grep, { pattern: 'x', path })).toMatchObject({
        isError: true,
        text: expect.stringContaining('version control'),
      })
  })

  it('respects .gitignore without a repository, and .trestleignore in any folder', async () => {
    const { grep } = await project({
      '.gitignore': '*.log\n',
      'a.log': 'x',
      '.trestleignore': '/gen/\n',
      'gen/a': 'x',
      'sub/gen/a': 'x',
      'sub/.trestleignore': 'secret.*\n',
      'sub/secret.txt': 'x',
      'secret.txt': 'x',
    })
    const { text } = await callTool(grep, { pattern: 'x' })
    expect(text.split('\n').toSorted()).toEqual(['secret.txt', 'sub/gen/a'])
    expect((await callTool(grep, { pattern: 'x', include_ignored: true })).text.split('\n')).toHaveLength(5)
  })

  it('applies the .gitignore above a folder that is searched, in a repository and without one', async () => {
    for (const repository of [true, false]) {
      const { grep, root } = await project({
        '.gitignore': 'dist/\n*.log\n',
        'sub/dist/a': 'x',
        'sub/a.log': 'x',
        'sub/b': 'x',
      })
      if (repository) execFileSync('git', ['init', '-q', root])
      expect((await callTool(grep, { pattern: 'x', path: 'sub' })).text).toBe('sub/b')
    }
  })

  it('ignores ignore files outside the project', async () => {
    const { grep, base } = await project({ a: 'x', '.ignore': 'a\n', '.rgignore': 'a\n' })
    await writeFile(join(base, '.gitignore'), '*\n')
    expect((await callTool(grep, { pattern: 'x' })).text).toBe('a')
  })

  it('does not let a glob include ignored files', async () => {
    const { grep, root } = await project({ '.gitignore': '*.log\n', 'a.log': 'x', 'a.txt': 'x' })
    execFileSync('git', ['init', '-q', root])
    expect((await callTool(grep, { pattern: 'x', glob: '*.log' })).text).toBe('No matches found')
    expect((await callTool(grep, { pattern: 'x', glob: '*.log', include_ignored: true })).text).toBe('a.log')
  })

  it('searches an ignored file or folder that is named', async () => {
    const { grep } = await project({ '.gitignore': 'node_modules/\n*.log\n', 'a.log': 'x', 'node_modules/p/i.js': 'x' })
    expect((await callTool(grep, { pattern: 'x', path: 'a.log' })).text).toBe('a.log')
    expect((await callTool(grep, { pattern: 'x', path: 'node_modules' })).text).toBe('node_modules/p/i.js')
  })

  it('requires both glob and type, and accepts globs relative to the project or the folder', async () => {
    const { grep } = await project({ 'src/a.ts': 'x', 'src/a.js': 'x', 'lib/a.ts': 'x', 'src/in/b.ts': 'x' })
    const files = async (input: { glob?: string; type?: string; path?: string }) =>
      (await callTool(grep, { pattern: 'x', ...input })).text.split('\n').toSorted()
    expect(await files({ glob: 'src/**', type: 'ts' })).toEqual(['src/a.ts', 'src/in/b.ts'])
    expect(await files({ glob: '*.{ts,js}' })).toHaveLength(4)
    expect(await files({ glob: '!*.ts' })).toEqual(['src/a.js'])
    expect(await files({ glob: 'src/in/*.ts', path: 'src' })).toEqual(['src/in/b.ts'])
    expect(await files({ glob: 'in/*.ts', path: 'src' })).toEqual(['src/in/b.ts'])
    expect(await files({ type: 'js' })).toEqual(['src/a.js'])
  })

  it('reports the same for any contents of a sensitive file, so that no pattern can reveal them', async () => {
    const { grep, put } = await project({ '.env': 'KEY=a', 'keys/id_rsa': 'KEY=a\0', b: 'other' })
    const answers = async () => {
      const all: string[] = []
      for (const output_mode of ['files_with_matches', 'content', 'count_matches'] as const)
        // With the slower engine, the last pattern takes more steps than allowed if there is a K.
        for (const pattern of ['KEY=a', 'other|KEY=a', '(?<!K)(?=KEY)((K|E|Y|=|[A-Z]|.)+)+$(?<=b)'])
          all.push((await callTool(grep, { pattern, output_mode, include_ignored: true })).text)
      return all
    }
    const before = await answers()
    await put('.env', `KEY=${'KEY'.repeat(40)}c`)
    await put('keys/id_rsa', 'nothing')
    expect(await answers()).toEqual(before)
    for (const answer of before) expect(answer).toContain('[Sensitive files are not searched: .env, keys/id_rsa]')
  })

  it('names the sensitive files that a glob matches, and none with a type', async () => {
    const { grep } = await project({ '.env': 'x', 'keys/id_rsa': 'x', '.gitignore': '.env\n', 'a.ts': 'x' })
    const named = async (input: object) =>
      /Sensitive files are not searched: (.*)\]/.exec((await callTool(grep, { pattern: 'x', ...input })).text)?.[1]
    expect(await named({})).toBe('keys/id_rsa')
    expect(await named({ glob: '*.ts' })).toBeUndefined()
    expect(await named({ glob: '!*.ts' })).toBe('keys/id_rsa')
    expect(await named({ glob: '.env', include_ignored: true })).toBe('.env')
    expect(await named({ glob: 'keys/**' })).toBe('keys/id_rsa')
    expect(await named({ type: 'ts' })).toBeUndefined()
  })

  it('does not count sensitive files toward its output limit', async () => {
    const line = `${'x'.repeat(1_000)}\n`
    const { grep } = await project({ '.env': line.repeat(12_000), 'z.txt': 'x' })
    const { text } = await callTool(grep, { pattern: 'x', output_mode: 'content' })
    expect(text).toBe('z.txt:1:x\n[Sensitive files are not searched: .env]')
  })

  it('leaves out sensitive files in every mode, names them, and refuses them as a path', async () => {
    const { grep } = await project({ '.env': 'x', '.env.example': 'x', 'keys/id_rsa': 'x', a: 'x' })
    for (const output_mode of ['files_with_matches', 'content', 'count_matches'] as const) {
      const { text, details } = await callTool(grep, { pattern: 'x', output_mode, include_ignored: true })
      expect(text).toContain('[Sensitive files are not searched: .env, keys/id_rsa]')
      expect(JSON.stringify(details)).not.toMatch(/\.env"|id_rsa/)
      expect(details).toMatchObject({ total: 2 })
    }
    expect(await callTool(grep, { pattern: 'x', path: '.env' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('protected'),
    })
  })

  it('searches nothing when a folder was replaced by a link after it was judged', async () => {
    const { grep, base, root } = await project({ 'sub/a': 'x' })
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret'), 'x')
    const call = await prepareCall(grep, { pattern: 'x', path: 'sub', output_mode: 'content' })
    await rename(join(root, 'sub'), join(root, 'moved'))
    await symlink(join(base, 'outside'), join(root, 'sub'))
    const { content, isError } = await call.run(callContext())
    expect(isError).toBe(true)
    expect(textOf(content)).toContain('sub now leads to')
    expect(textOf(content)).not.toContain('secret')
  })

  it('does not follow symlinks out of the tree, but declares the target of a linked path', async () => {
    const { grep, base, root } = await project({ a: 'x' })
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'b'), 'x')
    await symlink(join(base, 'outside'), join(root, 'link'))
    expect((await callTool(grep, { pattern: 'x' })).text).toBe('a')
    const call = await prepareCall(grep, { pattern: 'x', path: 'link' })
    expect(call.accesses).toEqual([
      { kind: 'tree', path: join(base, 'outside'), written: join(root, 'link'), write: false },
    ])
    expect((await callTool(grep, { pattern: 'x', path: 'link' })).text).toBe(join(base, 'outside', 'b'))
  })

  it('fails with advice when the path does not exist, and refuses pipes', async () => {
    const { grep, root } = await project()
    expect(await callTool(grep, { pattern: 'x', path: 'nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nope does not exist'),
    })
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await callTool(grep, { pattern: 'x', path: 'pipe' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not a file or folder'),
    })
  })
})

describe('Grep: limits', () => {
  it('returns partial results, unsorted and marked, when time is up', async () => {
    const limited = async (ms: number) => {
      const { grep, root } = await project({ 'a.txt': 'x\n', 'b/stuck/c.txt': 'x\n' }, ms)
      // ripgrep, which searches for anything that is not literal text, waits indefinitely for data from this pipe.
      execFileSync('mkfifo', [join(root, 'b/stuck/.gitignore')])
      return callTool(grep, { pattern: '[x]' })
    }
    let result = await limited(400)
    // On a busy machine, ripgrep takes longer to start.
    for (const ms of [4_000, 40_000]) if (!result.text.startsWith('a.txt')) result = await limited(ms)
    expect(result.text).toMatch(
      /^a\.txt\n\[Partial: the search was stopped after (?:0\.4|4|40) s, so results are unsorted\. Narrow it with path, glob or type\.\]$/,
    )
    expect(result.isError).toBeUndefined()
  })

  it('keeps at most 10 MiB of output and marks it as partial', async () => {
    const line = `${'x'.repeat(1023)}\n`
    const { grep } = await project({ 'a.txt': line.repeat(12 * 1024), 'b.txt': line })
    const { text } = await callTool(grep, { pattern: 'x', output_mode: 'content', head_limit: 1 })
    expect(text).toContain('[Partial: the search was stopped at 10 MiB of output')
  })

  it('stops immediately when the turn is stopped', async () => {
    const { grep } = await project({ a: 'x' })
    expect(await callTool(grep, { pattern: 'x' }, AbortSignal.abort())).toMatchObject({
      isError: true,
      text: 'The search was stopped.',
    })
  })

  it('names its fields as the catalog does and refuses others', () => {
    const { input } = grepTool({ workspace: createWorkspace({ root: '/' }) })
    const fields = Object.keys((z.toJSONSchema(input()) as { properties: object }).properties)
    const expected = [
      'pattern',
      'path',
      'glob',
      'type',
      'output_mode',
      '-i',
      '-n',
      '-A',
      '-B',
      '-C',
      'head_limit',
      'offset',
      'multiline',
      'include_ignored',
    ]
    expect(fields).toEqual(expected)
    expect(input().safeParse({ pattern: 'x', context: 3 }).success).toBe(false)
  })
})
