import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import { sandboxSupport } from '../../sandbox/sandbox-support'
import { startServerProcess, type ServerCommand } from './server-process'

/** Arguments of a program; each time they are read, which is after its mounts were planned, `read` is called. */
class WatchedArguments extends Array<string> {
  read: () => void = () => undefined;

  override *[Symbol.iterator](): ArrayIterator<string> {
    this.read()
    yield* super[Symbol.iterator]()
  }
}

/** A server in a sandbox of a project in which, for the first `races` starts, a folder with a secret is moved. */
async function serverIn(races: number) {
  const top = await tempFolder()
  const [root, home] = [join(top, 'project'), join(top, 'user/.trestle')]
  for (const folder of [join(root, 'deep'), home]) mkdirSync(folder, { recursive: true })
  const writeSecret = (): void => writeFileSync(join(root, 'deep', '.env'), 'KEY=sk-secret')
  writeSecret()
  const policy: SandboxPolicy = {
    level: 'project',
    network: 'none',
    scope: 'test',
    root,
    folders: [],
    write: [],
    read: [],
    protect: [],
    hosts: [],
    sockets: [],
    home,
    userHome: join(top, 'user'),
  }
  let starts = 0
  const args = new WatchedArguments('-c', 'echo ran; exec cat')
  args.read = () => {
    starts += 1
    if (starts > races) return
    renameSync(join(root, 'deep'), join(root, `moved-${starts}`))
    mkdirSync(join(root, 'deep'))
    writeSecret()
  }
  const command: ServerCommand = { home, command: 'sh', args, cwd: root, env: { PATH: '/usr/bin:/bin' } }
  return { command: { ...command, sandbox: policy }, starts: () => starts }
}

describe.skipIf(sandboxSupport().kind === 'none')('a server whose project changes while its sandbox is set up', () => {
  it('is started again, and runs once nothing changes', async () => {
    const { command, starts } = await serverIn(2)
    const server = await startServerProcess(command)
    try {
      const [output] = (await server.child.stdout!.take(1).toArray()) as Buffer[]
      expect(output?.toString()).toBe('ran\n')
      expect(starts()).toBe(3)
    } finally {
      await server.stop()
    }
  })

  it('is not run if that happens again and again, and the reason is reported', async () => {
    const { command, starts } = await serverIn(Number.POSITIVE_INFINITY)
    await expect(startServerProcess(command)).rejects.toMatchObject({
      code: 'mcp.start',
      message: expect.stringMatching(/^It was not run: .* changed while the sandbox was being set up.*Try again\.$/),
    })
    expect(starts()).toBe(3)
  })
})
