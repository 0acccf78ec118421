import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HAS_KEYRING, privateKeyring, type PrivateKeyring } from '../support/private-keyring'
import { runCli } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { tempFolder } from '../support/temp-folder'
import { startModelServer, type ModelServer } from '../support/model-server'

describe.skipIf(!HAS_KEYRING)('an API key entered with a desktop keyring', () => {
  let scratch: Scratch
  let keyring: PrivateKeyring
  let server: ModelServer

  beforeEach(async () => {
    scratch = createScratch({})
    keyring = await privateKeyring(await tempFolder())
    server = await startModelServer({ script: () => ({ text: 'done' }), models: ['small'] })
  })
  afterEach(async () => {
    await keyring.close()
    await server.close()
    scratch.remove()
  })

  const trestle = (args: readonly string[], { stdin = '', env = {} } = {}) =>
    runCli(args, { home: scratch.home, stdin, env: { TRESTLE_KEY_STORE: '', ...keyring.env, ...env } })
  const add = () =>
    trestle(['provider', 'add', 'mine', '--type', 'openai-compatible', '--base-url', server.baseUrl, '--key-stdin'], {
      stdin: 'sk-secret',
    })

  it('is encrypted on disk, reported, and used by other programs on the same home', async () => {
    const added = await add()
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Keys are stored encrypted, with a key that the keyring of your desktop keeps.'),
    })
    expect(readFileSync(join(scratch.home, 'credentials.json'), 'utf8')).not.toContain('sk-secret')
    expect((await trestle(['models', 'mine'])).stdout).toContain('mine/small')
    expect(await trestle(['print', 'hi', '--model', 'mine/small'])).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-secret')
  })

  it('is kept when the keyring is unavailable: the program says so and keeps working', async () => {
    await add()
    const there = join(scratch.home, 'credentials.json')
    const before = readFileSync(there, 'utf8')
    const elsewhere = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' }
    const listed = await trestle(['provider', 'list'], { env: elsewhere })
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/mine .* locked /) })
    expect(listed.stdout).toContain('because no desktop session with a keyring is running')
    const broken = await trestle(['provider', 'list'], { env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' } })
    expect(broken).toMatchObject({ code: 0, stdout: expect.stringMatching(/mine .* locked /) })
    expect(readFileSync(there, 'utf8')).toBe(before)
  })

  it('is still read from the file of an earlier version', async () => {
    await trestle(['provider', 'add', 'mine', '--type', 'openai-compatible', '--base-url', server.baseUrl, '--no-key'])
    writeFileSync(
      join(scratch.home, 'credentials.json'),
      JSON.stringify({ version: 1, keys: [{ provider: 'mine', plain: 'sk-old' }] }),
      {
        mode: 0o600,
      },
    )
    expect(await trestle(['print', 'hi', '--model', 'mine/small'])).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-old')
  })
})
