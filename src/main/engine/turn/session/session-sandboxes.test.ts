import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { commandSandboxes } from './session-sandboxes'

it('does not count paths as readable that a sandbox hides inside visible folders', async () => {
  const userHome = realpathSync(await tempFolder())
  mkdirSync(join(userHome, '.m2', 'repository'), { recursive: true })
  const source = { root: '/srv/project', rootId: 's1', addedFolders: [], webHosts: [] }
  const { isReadable } = commandSandboxes(
    {
      availability: () => ({ available: true, required: false }),
      hosts: () => [],
      writable: () => [],
      readable: () => [join(userHome, '.m2'), join(userHome, '.cache')],
    } as never,
    { ...source, allowed: { write: [], read: [], hosts: [] }, settings: {} as never },
    userHome,
  )
  expect(isReadable(join(userHome, '.m2', 'repository', 'x.pom'))).toBe(true)
  for (const name of ['.m2/settings.xml', '.cache/mozilla/x', '.netrc'])
    expect([name, isReadable(join(userHome, name))]).toEqual([name, false])
  for (const path of ['/etc/shadow', '/etc/ssl/private/key.pem', '/etc/kubernetes/admin.conf'])
    expect([path, isReadable(path)]).toEqual([path, false])
  expect(isReadable('/etc/hosts')).toBe(true)
})
