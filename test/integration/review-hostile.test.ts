import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import type { ReviewedScope } from '../../src/shared/model/session/review'
import { reviewBench, type ReviewBench } from '../support/review-bench'

const MAIN: ReviewedScope = { kind: 'branch', base: 'main' }
let bench: ReviewBench
let marker: string
let evil: string

async function start(): Promise<void> {
  bench = await reviewBench()
  marker = bench.path('../ran')
  evil = bench.path('../evil.sh')
  writeFileSync(evil, `#!/bin/sh\necho ran >> '${marker}'\ncat\n`)
  chmodSync(evil, 0o755)
  bench.git('init', '-q', '-b', 'main')
  bench.write('a.txt', 'one\n')
  bench.git('add', '.')
  bench.git('commit', '-qm', 'first')
}
afterEach(() => rmSync(marker, { force: true }))

/** All actions of a review on a repository. */
async function reviewed(): Promise<{ names: string[]; texts: string; note: string | undefined }> {
  const { files, note } = await bench.reviews.list(bench.sessionId, MAIN)
  const paths = files.map(({ path }) => path)
  const diffs = paths.length === 0 ? [] : await bench.reviews.diffs(bench.sessionId, MAIN, paths)
  await bench.reviews.bases(bench.sessionId)
  return { names: files.map(({ name }) => name), texts: JSON.stringify(diffs), note }
}

test.each([
  ['with = in the name', Buffer.from('a=b')],
  ['with several = and a point', Buffer.from('a=b.c=d')],
  ['with a quote and a backslash', Buffer.from('a"b\\c')],
  ['with bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe])],
  ['with blanks and brackets', Buffer.from('] x [')],
  ['with a line feed that is written as such', Buffer.from('a\tb')],
  ['with upper case', Buffer.from('EVIL')],
])('a filter %s stays off', async (_title, name) => {
  await start()
  const quoted = Buffer.from(name.toString('latin1').replaceAll(/["\\]/g, '\\$&'), 'latin1')
  const setting = (key: string): Buffer => Buffer.from(`\t${key} = ${evil}\n`)
  execFileSync('sh', ['-c', 'cat >> "$1"', 'sh', bench.path('.git/config')], {
    input: Buffer.concat([
      Buffer.from('[filter "'),
      quoted,
      Buffer.from('"]\n'),
      ...['clean', 'smudge', 'process'].map(setting),
      Buffer.from('\trequired = true\n'),
    ]),
  })
  // Names with spaces cannot be used in attributes.
  writeFileSync(bench.path('.git/info/attributes'), Buffer.concat([Buffer.from('* filter='), name, Buffer.from('\n')]))
  bench.write('a.txt', 'two\n')
  const { texts } = await reviewed()
  expect(texts).toContain('+two')
  expect(existsSync(marker)).toBe(false)
})

test('settings that cannot be listed are an error, and nothing is read without them', async () => {
  await start()
  bench.git('config', 'filter.evil.clean', evil)
  writeFileSync(bench.path('.git/info/attributes'), '* filter=evil\n')
  bench.write('a.txt', 'two\n')
  const plain = bench.git('config', '--list')
  for (const bad of ['[filter "evil"\n', '[filter "evil"]\n\tsmudge\n', `[x]\n\ty = ${'z'.repeat(5_000_000)}\n`]) {
    execFileSync('sh', ['-c', 'cp "$1" "$1.good"; cat >> "$1"', 'sh', bench.path('.git/config')], { input: bad })
    await expect(bench.reviews.list(bench.sessionId, MAIN)).rejects.toThrow(/could not|config/)
    execFileSync('mv', [bench.path('.git/config.good'), bench.path('.git/config')])
  }
  expect(bench.git('config', '--list')).toBe(plain)
  expect(existsSync(marker)).toBe(false)
})

test('missing objects are not fetched with a program from the settings', async () => {
  await start()
  bench.git('config', 'core.repositoryFormatVersion', '1')
  bench.git('config', 'extensions.partialClone', 'origin')
  bench.git('config', 'remote.origin.promisor', 'true')
  bench.git('config', 'remote.origin.url', `ext::${evil} %S`)
  bench.git('config', 'protocol.ext.allow', 'always')
  const blob = bench.git('rev-parse', 'HEAD:a.txt').trim()
  rmSync(bench.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`))
  bench.write('a.txt', 'two\n')
  await reviewed().catch(() => undefined)
  expect(existsSync(marker)).toBe(false)
})

/** A commit of a tree with any names, on the branch `main`. */
function commitTree(entries: readonly [mode: string, type: string, hash: string, name: string][]): void {
  // Too hostile for mktree, which refuses some names.
  const parts = entries.flatMap(([mode, , hash, name]) => [
    Buffer.from(`${Number(mode)} ${name}\0`, 'latin1'),
    Buffer.from(hash, 'hex'),
  ])
  const tree = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    cwd: bench.root,
    input: Buffer.concat(parts),
    encoding: 'utf8',
  }).trim()
  const commit = bench.git('commit-tree', '-m', 'hostile', '-p', 'HEAD', tree).trim()
  bench.git('checkout', '-q', '--detach')
  bench.git('update-ref', 'refs/heads/main', commit)
  bench.git('symbolic-ref', 'HEAD', 'refs/heads/main')
}

test.each(['..', '.', '.git', '.GIT', '.git ', '.git.', '.git::$INDEX_ALLOCATION', 'git~1', '.g\u200cit'])(
  'a file that a commit has in %j is neither read, shown nor written',
  async (folder) => {
    await start()
    writeFileSync(bench.path('../outside'), 'the secret\n')
    writeFileSync(bench.path('.git/outside'), 'the secret\n')
    const blob = bench.git('hash-object', '-w', 'a.txt').trim()
    const inner = execFileSync('git', ['mktree'], {
      cwd: bench.root,
      input: `100644 blob ${blob}\toutside\n`,
      encoding: 'utf8',
    }).trim()
    commitTree([
      ['40000', 'tree', inner, Buffer.from(folder, 'utf8').toString('latin1')],
      ['100644', 'blob', blob, 'a.txt'],
    ])
    const { names, texts, note } = await reviewed()
    expect(names.filter((name) => name !== 'a.txt')).toEqual([])
    expect(texts).not.toContain('secret')
    expect(note).toContain('1 file')
  },
)

test('names with a slash, absolute names, and names that are not UTF-8 are left out', async () => {
  await start()
  writeFileSync(bench.path('../outside'), 'the secret\n')
  writeFileSync(bench.path('x\ufffd'), 'other\n')
  bench.git('add', '.')
  const blob = bench.git('hash-object', '-w', 'a.txt').trim()
  commitTree(['../outside', bench.path('../outside'), 'x\u00ff'].map((name) => ['100644', 'blob', blob, name]))
  const { names, texts } = await reviewed()
  expect(names.filter((name) => name.includes('outside'))).toEqual([])
  expect(texts).not.toContain('secret')
})

test('a file behind a link that leads out of the project is neither shown nor written', async () => {
  await start()
  mkdirSync(bench.path('../elsewhere'))
  writeFileSync(bench.path('../elsewhere/key'), 'the secret\n')
  mkdirSync(bench.path('dir'))
  bench.write('dir/key', 'public\n')
  bench.git('add', '.')
  bench.git('commit', '-qm', 'second')
  rmSync(bench.path('dir'), { recursive: true })
  symlinkSync(bench.path('../elsewhere'), bench.path('dir'))
  const { names, texts, note } = await reviewed()
  expect(names).toEqual(['dir'])
  expect(texts).not.toContain('the secret')
  expect(note).toContain('link')
  expect(readdirSync(bench.path('../elsewhere'))).toEqual(['key'])
})

test('lines of files that may contain secrets are shown only at the user’s request', async () => {
  await start()
  for (const name of ['.env', 'id_rsa', 'server.key']) bench.write(name, 'the secret\n')
  bench.git('add', '.')
  bench.git('commit', '-qm', 'second')
  for (const name of ['.env', 'id_rsa', 'server.key']) bench.write(name, 'the secret 2\n')
  bench.git('mv', 'a.txt', '.env.local')
  const { files } = await bench.reviews.list(bench.sessionId, MAIN)
  const paths = files.map(({ path }) => path)
  const hidden = await bench.reviews.diffs(bench.sessionId, MAIN, paths)
  expect(hidden.map(({ hunks, secret }) => [hunks.length, secret])).toEqual([
    [0, '.env files'],
    [0, '.env files'],
    [0, 'private keys'],
    [0, 'private keys'],
  ])
  const range = { path: bench.path('id_rsa'), from: 1, to: 9 }
  expect(await bench.reviews.lines(bench.sessionId, MAIN, range)).toEqual([])
  expect(await bench.reviews.lines(bench.sessionId, MAIN, { ...range, secrets: true })).toEqual(['the secret 2'])
  const shown = await bench.reviews.diffs(bench.sessionId, MAIN, paths, { secrets: true })
  expect(JSON.stringify(shown)).toContain('+the secret 2')
  await bench.reviews.addComment(bench.sessionId, MAIN, {
    path: bench.path('id_rsa'),
    side: 'new',
    line: 1,
    endLine: 1,
    text: 'Why?',
  })
  await bench.reviews.send(bench.sessionId)
  expect(bench.sent.join('\n')).toContain('Why?')
  expect(bench.sent.join('\n')).not.toContain('the secret')
})
