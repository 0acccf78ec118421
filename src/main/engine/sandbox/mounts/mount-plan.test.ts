import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { codeCacheFolder } from '../../runtime/code-cache'
import type { SandboxPolicy } from '../sandbox-policy'
import { mountPlan } from './mount-plan'

let scratch: string
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'mount-plan-')))
  for (const name of ['user', 'home', 'project', 'temporary']) mkdirSync(join(scratch, name))
  vi.stubEnv('TMPDIR', join(scratch, 'temporary'))
  mkdirSync(codeCacheFolder())
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(scratch, { recursive: true, force: true })
})

const emptied = (root: string, level: SandboxPolicy['level'] = 'project'): string[] => {
  const policy: SandboxPolicy = {
    level,
    network: 'none',
    scope: 'session',
    root: join(scratch, root),
    folders: [],
    write: [],
    read: [],
    protect: [],
    hosts: [],
    sockets: [],
    home: join(scratch, 'home'),
    userHome: join(scratch, 'user'),
  }
  const { mounts } = mountPlan(policy, undefined, [])
  // Later mounts cover earlier ones.
  return mounts.filter(({ kind }, at) => kind === 'empty' && at > 0).map(({ path }) => path)
}

it.skipIf(process.platform === 'win32')(
  'hides the compiled code of Trestle from a project that contains the folder for temporary files',
  () => {
    expect(emptied('temporary')).toContain(codeCacheFolder())
    expect(emptied('temporary', 'read-only')).toContain(codeCacheFolder())
    expect(emptied('project')).not.toContain(codeCacheFolder())
  },
)

it.skipIf(process.platform === 'win32')("hides Trestle's own folder from a project that contains it", () => {
  expect(emptied('.')).toContain(join(scratch, 'home'))
  expect(emptied('project')).not.toContain(join(scratch, 'home'))
})
