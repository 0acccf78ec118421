import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
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

const mountsOf = (root: string, level: SandboxPolicy['level'] = 'project') => {
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
  return mountPlan(policy, undefined, []).mounts
}

// Later mounts cover earlier ones.
const emptied = (...of: Parameters<typeof mountsOf>): string[] =>
  mountsOf(...of)
    .filter(({ kind }, at) => kind === 'empty' && at > 0)
    .map(({ path }) => path)

it.skipIf(process.platform === 'win32')(
  'hides Trestle’s compiled code from a project that contains the folder for temporary files',
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

it.skipIf(process.platform === 'win32')('protects settings of other agents, editors and hook managers', () => {
  const project = join(scratch, 'project')
  const names = ['.cursor', '.devcontainer', '.pre-commit-config.yaml', 'lefthook.yml']
  const readOnly = () =>
    mountsOf('project').flatMap(({ kind, path }) => (kind === 'read' && names.includes(basename(path)) ? path : []))
  expect(readOnly()).toEqual([])
  for (const name of names.slice(0, 2)) mkdirSync(join(project, name))
  for (const name of names.slice(2)) writeFileSync(join(project, name), '')
  expect(readOnly().toSorted()).toEqual(names.map((name) => join(project, name)))
})
