import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchPlugin, sizeOf } from './fetch-plugin'

const MANIFEST = 'name = "nice"\nversion = "1"\ndescription = "d"\nauthor = "a"\n'
let top: string
let repo: string

beforeEach(() => {
  top = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-fetch-'))
  repo = join(top, 'repo')
  mkdirSync(repo)
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const env = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: top })
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args], {
    cwd: repo,
    env: env(),
    encoding: 'utf8',
    stdio: 'pipe',
  })
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(repo, path)), { recursive: true })
  writeFileSync(join(repo, path), text)
}
const commit = (): void => {
  git('add', '-A', '-f')
  git('commit', '-qm', 'x')
}
const address = (): string => `file://${repo}`

describe('from a repository', () => {
  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    write('plugin.toml', MANIFEST)
  })

  it('reads the files of one commit, with their modes, and returns the commit', async () => {
    write('run.sh', 'echo hi\n')
    chmodSync(join(repo, 'run.sh'), 0o755)
    commit()
    const { content, source } = await fetchPlugin(address(), env())
    expect(content.files.map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
      ['plugin.toml', false],
      ['run.sh', true],
    ])
    expect(source).toEqual({ kind: 'git', from: address(), commit: git('rev-parse', 'HEAD').trim() })
  })

  it('reads the branch or tag after the #', async () => {
    commit()
    git('checkout', '-qb', 'next')
    write('more.txt', 'more')
    commit()
    git('tag', 'v2')
    git('checkout', '-q', 'main')
    expect((await fetchPlugin(address(), env())).content.files).toHaveLength(1)
    expect((await fetchPlugin(`${address()}#next`, env())).content.files).toHaveLength(2)
    expect((await fetchPlugin(`${address()}#v2`, env())).source.ref).toBe('v2')
    await expect(fetchPlugin(`${address()}#--upload-pack=touch`, env())).rejects.toThrow('not a name of a branch')
  })

  it("runs no hook, filter or file system monitor, from the repository or from Git's settings", async () => {
    const ran = join(top, 'ran')
    const hook = `#!/bin/sh\ntouch ${ran}\n`
    for (const name of ['post-checkout', 'post-merge', 'reference-transaction', 'pre-auto-gc', 'post-index-change'])
      writeFileSync(join(top, name), hook, { mode: 0o755 })
    write('.gitattributes', '* filter=evil\n')
    commit()
    for (const name of ['post-checkout', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(repo, '.git', 'hooks', name), hook, { mode: 0o755 })
    git('config', 'uploadpack.packObjectsHook', `touch ${ran}`)
    git('config', 'core.fsmonitor', `touch ${ran}`)
    writeFileSync(
      join(top, '.gitconfig'),
      `[core]\nhooksPath = ${top}\nfsmonitor = touch ${ran}\n[filter "evil"]\n` +
        `smudge = touch ${ran}\nclean = touch ${ran}\n[submodule]\nrecurse = true\n`,
    )
    const { content } = await fetchPlugin(address(), env())
    expect(content.files.map(({ path }) => path)).toEqual(['.gitattributes', 'plugin.toml'])
    expect(existsSync(ran)).toBe(false)
  })

  it('refuses submodules, symbolic links, and paths outside the folder', async () => {
    commit()
    const id = git('rev-parse', 'HEAD').trim()
    git('update-index', '--add', '--cacheinfo', `160000,${id},inner`)
    git('commit', '-qm', 'submodule')
    await expect(fetchPlugin(address(), env())).rejects.toThrow('inner is a submodule')
    git('reset', '-q', '--hard', id)
    symlinkSync('/etc/passwd', join(repo, 'link'))
    commit()
    await expect(fetchPlugin(address(), env())).rejects.toThrow('link is a symbolic link')
    git('reset', '-q', '--hard', id)
    const blob = git('hash-object', '-w', 'plugin.toml').trim()
    for (const name of ['..', '.git', '.GIT']) {
      const tree = execFileSync('git', ['mktree'], { cwd: repo, env: env(), input: `100644 blob ${blob}\t${name}\n` })
      const bad = git('commit-tree', tree.toString().trim(), '-m', 'bad').trim()
      git('update-ref', 'refs/heads/bad', bad)
      await expect(fetchPlugin(`${address()}#bad`, env())).rejects.toMatchObject({
        code: expect.stringMatching(/^plugin\.(?:source|refused)$/),
      })
    }
  })

  it('refuses too many files and files that are too large, and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('trestle-plugin-'))
    write('large.bin', 'x'.repeat(1024 * 1024 + 1))
    commit()
    await expect(fetchPlugin(address(), env())).rejects.toThrow('large.bin')
    rmSync(join(repo, 'large.bin'))
    for (let n = 0; n < 501; n += 1) write(`files/${n}`, String(n))
    commit()
    await expect(fetchPlugin(address(), env())).rejects.toThrow('at most 500')
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith('trestle-plugin-'))
    expect(after.filter((name) => !before.includes(name))).toEqual([])
  })
})

it('measures what is there; a folder that git has removed meanwhile does not fail', () => {
  mkdirSync(join(top, 'objects/pack'), { recursive: true })
  writeFileSync(join(top, 'objects/pack/a'), '12345')
  writeFileSync(join(top, 'objects/b'), '123')
  expect(sizeOf(join(top, 'objects'))).toBe(8)
  expect(sizeOf(join(top, 'removed'))).toBe(0)
})

it.each([
  'ext::sh -c touch% ran',
  'http://127.0.0.1:9/x.git',
  'git://127.0.0.1/x.git',
  'fd::17',
  'https://127.0.0.1:1/x.git',
  '--upload-pack=touch',
  '/no/such/folder',
])('explains why it cannot fetch from %s', async (from) => {
  await expect(fetchPlugin(from, env())).rejects.toMatchObject({ code: 'plugin.source' })
})
