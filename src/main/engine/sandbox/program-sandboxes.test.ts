import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../config/agent-settings/sandbox-settings'
import { createSandboxes } from './create-sandboxes'
import type { SandboxSupport } from './sandbox-support'
import { createProgramSandboxes } from './program-sandboxes'

const THERE: SandboxSupport = {
  kind: 'bubblewrap',
  bwrap: '/usr/bin/bwrap',
  bash: '/bin/bash',
  setsid: '/usr/bin/setsid',
}
const MISSING: SandboxSupport = { kind: 'none', reason: 'bubblewrap is not installed.', remedy: 'Install it.' }

async function programs(support: SandboxSupport, settings: Partial<SandboxSettings> = {}) {
  const top = await tempFolder()
  const [root, home, ssh] = ['project', 'user/.trestle', 'user/.ssh'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [root, home, ssh]) mkdirSync(folder, { recursive: true })
  const sandboxes = createSandboxes({ home, userHome: join(top, 'user'), support: () => support })
  const made = createProgramSandboxes({
    sandboxes,
    settingsFor: async () => ({ ...DEFAULT_SANDBOX_SETTINGS, ...settings }),
  })
  return { top, root, ssh, home, ...made }
}

it('a program of a project runs in the Project sandbox of that project, with the requested network', async () => {
  const { root, policy, describe } = await programs(THERE)
  expect(await describe({ root, network: 'open' })).toEqual({ level: 'project', network: 'open' })
  expect(await policy({ root, network: 'none', scope: 'a' })).toMatchObject({
    level: 'project',
    network: 'none',
    root,
    scope: 'a',
    folders: [],
  })
})

it('paths named by a definition can be read, but neither credentials nor whole homes', async () => {
  const { root, policy, top, ssh, home } = await programs(THERE)
  const tool = join(top, 'tool')
  mkdirSync(tool)
  const names = ['node', tool, join(top, 'missing'), ssh, home, join(top, 'user'), '/']
  expect((await policy({ root, network: 'open', scope: 'a', names }))?.read).toEqual([realpathSync(tool)])
})

it('without a sandbox a program runs unconfined, and the reason is reported', async () => {
  const { root, policy, describe } = await programs(MISSING)
  expect(await policy({ root, network: 'open', scope: 'a' })).toBeUndefined()
  expect(await describe({ root, network: 'open' })).toEqual({
    level: 'unrestricted',
    network: 'open',
    unavailable: 'bubblewrap is not installed. Install it.',
  })
})

it('a program does not start without a required sandbox', async () => {
  const { root, policy } = await programs(MISSING, { mode: 'required' })
  await expect(policy({ root, network: 'open', scope: 'a' })).rejects.toThrow(
    'Your settings require a sandbox, but none is available: bubblewrap is not installed. Install it.',
  )
  const byProject = await programs(MISSING, { project: { mode: 'required' } })
  await expect(byProject.policy({ root: byProject.root, network: 'open', scope: 'a' })).rejects.toThrow(
    'require a sandbox',
  )
})
