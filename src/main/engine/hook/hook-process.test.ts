import { mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { sandboxSupport } from '../sandbox/sandbox-support'
import { startHook } from './hook-process'

it.skipIf(sandboxSupport().kind === 'none')('leaves nothing of a sandbox whose command cannot be started', async () => {
  const top = await tempFolder()
  const [root, home] = [join(top, 'project'), join(top, 'home')]
  for (const folder of [root, home]) mkdirSync(folder)
  const place = { root, home, userHome: top, folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
  const { ended, gone } = startHook({
    // Longer than any argument may be.
    command: `: ${'x'.repeat(200_000)}`,
    cwd: root,
    env: { PATH: '/usr/bin:/bin' },
    home,
    sandbox: { level: 'project', network: 'none', scope: 'test', ...place },
    tagId: 'hook-test',
    input: '',
    timeoutMs: 20_000,
    answerBytes: 1000,
    signal: new AbortController().signal,
  })
  expect(await ended).toMatchObject({ problem: expect.stringContaining('E2BIG'), wasKeptOut: true })
  await gone
  const left = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((path) => basename(path))
  expect(left.filter((name) => name.startsWith('group-'))).toEqual([])
})
