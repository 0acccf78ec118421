import { expect, it } from 'vitest'
import type { PermissionMode } from '../../../../shared/model/approval/approval'
import type { SandboxStatus } from '../../../../shared/model/task/sandbox'
import { permissionFacts } from './gather-facts'

const PROJECT: SandboxStatus = { level: 'project', network: 'listed', hosts: ['registry.npmjs.org'] }

const told = (mode: PermissionMode, canAsk: boolean, sandbox?: SandboxStatus): string =>
  permissionFacts({ mode, canAsk, ...(sandbox && { sandbox }) })
    .map(({ text }) => text)
    .join('\n')

it('names the mode, what needs no approval in it, and that the user approves the rest', () => {
  expect(told('ask', true)).toBe(
    'Permission mode: ask. Reading files of the project and running commands that only read need no approval. ' +
      'Other calls wait until the user approves or rejects them.',
  )
  expect(told('accept-edits', true)).toContain(
    'Reading and editing files of the project and running commands that only read need no approval.',
  )
  expect(told('accept-edits', true, PROJECT)).toContain('running commands in the sandbox need no approval.')
  expect(told('auto', true)).toContain('Calls run without approval unless they are dangerous')
})

it('states that no user can approve in an unattended session, so other calls are denied', () => {
  for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
    expect(told(mode, false)).toContain('No user can approve anything in this session: other calls are denied')
    expect(told(mode, false)).not.toContain('wait until the user')
  }
})

it('states in one sentence what commands can write and connect to', () => {
  const sandbox = (status: SandboxStatus): string => told('ask', true, status).split('\n')[1]!
  expect(sandbox({ level: 'read-only', network: 'none' })).toBe(
    'Sandbox: read-only; commands can change nothing and have no network.',
  )
  expect(sandbox({ level: 'project', network: 'none' })).toMatch(/write only to the project.*have no network\.$/)
  expect(sandbox(PROJECT)).toMatch(/can connect only to registry\.npmjs\.org\.$/)
  expect(sandbox({ level: 'project', network: 'open' })).toMatch(/can use the network\.$/)
  expect(sandbox({ level: 'unrestricted', network: 'open' })).toBe(
    'Sandbox: none; commands run with all the permissions of the user.',
  )
  const many = Array.from({ length: 60 }, (_, n) => `host-${n}.example`)
  expect(sandbox({ ...PROJECT, hosts: many })).toMatch(/host-7\.example and 52 more hosts\.$/)
})

it('announces changes of the mode and the sandbox', () => {
  expect(
    permissionFacts({ mode: 'ask', canAsk: true, sandbox: PROJECT }).every(({ changed }) => changed !== undefined),
  ).toBe(true)
})
