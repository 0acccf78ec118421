import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { SandboxPolicy } from '../sandbox-policy'
import { cacheGuards } from './cache-guards'
import type { Mount } from './system-mounts'

let user: string
let policy: Pick<SandboxPolicy, 'home' | 'userHome'>
beforeEach(async () => {
  user = await tempFolder()
  policy = { home: join(user, '.trestle'), userHome: user }
  for (const name of ['.cache/nvim/luac', '.cache/pip', '.cache/node/corepack', '.npm', 'tools/bin', '.trestle'])
    mkdirSync(join(user, name), { recursive: true })
  writeFileSync(join(user, '.cache/p10k-instant-prompt-me.zsh'), '')
})

const writable = (...names: string[]): Mount[] => names.map((name) => ({ kind: 'write', path: join(user, name) }))
const guards = (seen: Mount[], path?: string): string[] =>
  cacheGuards(seen, policy as SandboxPolicy, path).map((mount) => `${mount.kind} ${mount.path.slice(user.length + 1)}`)

describe.skipIf(process.platform === 'win32')('caches that commands can write to', () => {
  it('keep what shells and editors load from them read-only', () => {
    expect(guards(writable('.cache')).toSorted()).toEqual([
      'read .cache/node/corepack',
      'read .cache/nvim',
      'read .cache/p10k-instant-prompt-me.zsh',
      'write .cache/node',
    ])
  })

  it('keep what the user did not list read-only, even if they listed its folder', () => {
    expect(guards(writable('.cache', '.cache/nvim'))).not.toContain('read .cache/nvim')
    expect(guards([{ kind: 'read', path: join(user, '.cache') }])).toEqual([])
  })

  it('follow no link that a command could have made', () => {
    symlinkSync('pip', join(user, '.cache/fish'))
    expect(guards(writable('.cache'))).not.toContain('read .cache/fish')
  })

  it('keep folders with programs on PATH read-only, and the folders above them from being moved', () => {
    const path = ['', 'relative', join(user, 'missing'), join(user, 'tools/bin')].join(':')
    expect(guards(writable('tools'), path)).toEqual(['read tools/bin'])
    expect(guards(writable('tools/bin'), path)).toEqual([])
    mkdirSync(join(user, 'all/a/b'), { recursive: true })
    expect(guards(writable('all'), join(user, 'all/a/b'))).toEqual(['write all/a', 'read all/a/b'])
  })

  it('leave out entries of PATH that cannot be read', () => {
    expect(guards(writable('tools'), join(user, '.cache/p10k-instant-prompt-me.zsh/bin'))).toEqual([])
  })

  it('give npx its own cache', () => {
    const [mount] = cacheGuards(writable('.npm'), policy as SandboxPolicy, undefined)
    expect(mount).toEqual({
      kind: 'write',
      path: join(user, '.npm/_npx'),
      from: join(user, '.trestle/run/npx-cache'),
    })
    expect(existsSync(join(user, '.trestle/run/npx-cache'))).toBe(true)
  })
})
