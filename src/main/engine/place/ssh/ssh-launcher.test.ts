import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createSshShell } from './ssh-launcher'
import { runScript } from '../launcher/shell-run'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The options that ssh gets for a home with this name. */
async function optionsFor(name: string): Promise<{ home: string; options: string[] }> {
  const folder = await tempFolder()
  vi.stubEnv('TMPDIR', folder)
  const home = join(folder, name)
  mkdirSync(home)
  const program = join(folder, 'ssh')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 })
  const shell = createSshShell({ home, launch: { host: 'box' }, program })
  const { stdout } = await runScript(shell, 'true')
  return { home, options: stdout.split('\n') }
}

describe('the shared connection to a host', () => {
  it('is in the home folder', async () => {
    const { home, options } = await optionsFor('home')
    expect(options.find((option) => option.startsWith('ControlPath='))).toMatch(`ControlPath=${home}/run/ssh/`)
  })

  it.each(['my home', '100%home', "it's", '$HOME', 'größe'])(
    'is elsewhere if ssh would misread the path %j',
    async (name) => {
      const { options } = await optionsFor(name)
      expect(options.find((option) => option.startsWith('ControlPath='))).toMatch(
        /^ControlPath=[\w/.-]+\/trestle-ssh-\d+\/\w+$/,
      )
      expect(options).toContain('ControlMaster=auto')
    },
  )
})
