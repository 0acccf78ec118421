import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { isAlive, markedPids } from '../../../../../test/support/marked-pids'
import { until } from '../../../../../test/support/until'
import { codeCacheFolder } from '../../runtime/code-cache'
import { sandboxSupport } from '../sandbox-support'
import type { SandboxPolicy } from '../sandbox-policy'
import { wrapCommand } from './wrap-command'

/** A project, a home with a secret and a policy for them. */
async function place(more: Partial<SandboxPolicy> = {}) {
  const top = await tempFolder()
  const [root, home, userHome] = ['project', 'user/.trestle', 'user'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [root, home]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, 'secrets.json'), 'sk-secret')
  writeFileSync(join(root, '.env'), 'KEY=sk-secret')
  writeFileSync(join(top, 'outside'), 'outside')
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
    userHome,
    ...more,
  }
  return { top, root, home, policy }
}

async function run(
  policy: SandboxPolicy,
  script: string,
  { env = {}, meanwhile }: { env?: Record<string, string>; meanwhile?: () => void } = {},
) {
  const wrapped = wrapCommand({
    policy,
    command: 'sh',
    args: ['-c', script, 'sh', 'an argument'],
    cwd: policy.root,
    env: { PATH: '/usr/bin:/bin', ...env },
  })
  onTestFinished(wrapped.close)
  meanwhile?.()
  const child = spawn(wrapped.command, wrapped.args, {
    env: wrapped.env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  return { child, wrapped, output: () => output, ended: once(child, 'close').then(([code]) => code as number) }
}

describe.skipIf(sandboxSupport().kind === 'none')('the compiled code of Trestle, which runs without a sandbox', () => {
  it.each([
    ['in the project', 'project/deep/temporary', true],
    ['in the project, and not there yet', 'project/deep/temporary', false],
    ['in a folder that commands may change', 'listed/temporary', true],
    ['in a folder that commands may change, and not there yet', 'listed', false],
  ])('cannot be planted by a command if its folder is %s', async (_where, name, exists) => {
    const { top, policy } = await place()
    const temporary = join(top, name)
    mkdirSync(temporary, { recursive: true })
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    const folder = codeCacheFolder()
    if (exists) mkdirSync(folder, { mode: 0o700 })
    const listed = join(top, 'listed')
    mkdirSync(listed, { recursive: true })
    const plant = `mkdir -p -m 700 '${folder}'; echo x > '${join(folder, 'planted')}'`
    const script = [temporary, join(top, 'project', 'deep')]
      .map((path) => `mv '${path}' '${path}-away'; mkdir -p '${path}'; ${plant}`)
      .join('; ')
    const { ended } = await run({ ...policy, write: [listed] }, `${plant}; ${script}`)
    await ended
    expect(existsSync(join(folder, 'planted'))).toBe(false)
  })
})

describe.skipIf(sandboxSupport().kind === 'none')('a wrapped command', () => {
  it('a program can write to its project, and sees neither secrets nor anything outside', async () => {
    const { top, root, policy, home } = await place()
    const script =
      `pwd; echo "$1"; echo in > inside; cat ${home}/secrets.json .env; ` +
      `cat ${top}/outside; echo x > ${top}/new; mkdir -p .git/hooks; exit 7`
    const { ended, output, wrapped } = await run(policy, script)
    expect(await ended).toBe(7)
    expect(output()).toContain(`${root}\nan argument\n`)
    expect(output()).not.toContain('sk-secret')
    expect(output()).not.toMatch(/^outside$/m)
    expect(readFileSync(join(root, 'inside'), 'utf8')).toBe('in\n')
    expect(existsSync(join(top, 'new'))).toBe(false)
    wrapped.close()
    // The placeholders are removed, and so is the file with the environment.
    expect(readdirSync(root).toSorted()).toEqual(['.env', 'inside'])
    expect(readdirSync(join(home, 'run', 'sandbox')).filter((name) => name.startsWith('group-'))).toEqual([])
  })

  it('does not run when a folder with a secret was moved after its mounts were planned', async () => {
    const { root, policy } = await place()
    mkdirSync(join(root, 'deep'))
    writeFileSync(join(root, 'deep', '.env'), 'KEY=sk-secret')
    const { ended, output, wrapped } = await run(policy, 'cat moved/.env; echo ran', {
      meanwhile() {
        renameSync(join(root, 'deep'), join(root, 'moved'))
        mkdirSync(join(root, 'deep'))
        writeFileSync(join(root, 'deep', '.env'), 'KEY=none')
      },
    })
    expect(await ended).not.toBe(0)
    expect(output()).not.toContain('sk-secret')
    expect(output()).not.toContain('ran')
    expect(wrapped.problem()).toContain('changed while the sandbox was being set up')
  })

  it('a read-only program changes nothing in the project', async () => {
    const { root, policy } = await place({ level: 'read-only' })
    const { ended } = await run(policy, 'echo x > file || exit 3')
    expect(await ended).toBe(3)
    expect(existsSync(join(root, 'file'))).toBe(false)
  })

  it('a program gets its environment, none of our open files, and sees no process of the machine', async () => {
    const { policy } = await place()
    const { ended, output } = await run(
      policy,
      'echo "$TOKEN"; ls /proc/self/fd | tr "\\n" " "; echo; ' +
        'ls /proc | grep -c "^[0-9]"; cat /proc/1/environ | tr "\\0" " "',
      { env: { TOKEN: 'given' } },
    )
    await ended
    const [token, descriptors, processes, first] = output().split('\n')
    expect(token).toBe('given')
    expect(descriptors).toBe('0 1 2 3 ')
    expect(Number(processes)).toBeLessThan(10)
    expect(first).not.toContain('given')
  })

  it('without a network nothing can be reached; with the machine’s, addresses can but unix sockets cannot', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const script =
      `exec 2>&1; bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3' || echo refused; ` +
      `${JSON.stringify(process.execPath)} -e 'require("net").connect("/x").on("error", ` +
      "(error) => console.log(error.code))'"
    const { policy } = await place({ read: [join(process.execPath, '..')] })
    const none = await run(policy, script)
    await none.ended
    expect(none.output()).toContain('refused')
    const open = await run({ ...policy, network: 'open' }, script)
    await open.ended
    expect(open.output()).toContain('hello')
    expect(open.output()).toContain('EACCES')
  })

  it('listed hosts can be reached through the proxy, and refused hosts are reported', async () => {
    const { policy } = await place({ network: 'listed', hosts: ['example.com'] })
    const script =
      "bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; " +
      `printf "CONNECT elsewhere.example.org:443 HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3'`
    const { ended, output, wrapped } = await run(policy, script)
    expect(await ended).toBe(0)
    expect(output()).toContain('403')
    expect(wrapped.deniedHosts()).toEqual([{ host: 'elsewhere.example.org', port: 443 }])
  })

  it('a program can clean up on SIGTERM, and the processes it started end with it', async () => {
    const { root, policy } = await place()
    const mark = `test-${process.pid}-${Date.now()}`
    const { child, ended, output } = await run(
      policy,
      `trap 'echo bye > last; exit 4' TERM; setsid sleep 600 & echo ready; wait`,
      { env: { TRESTLE_TASK: mark } },
    )
    await until(() => output().includes('ready'), 'the start')
    const marked = markedPids([mark])
    expect(marked.length).toBeGreaterThan(2)
    process.kill(-child.pid!, 'SIGTERM')
    for (const pid of marked) if (isAlive(pid)) process.kill(pid, 'SIGTERM')
    expect(await ended).toBe(4)
    expect(readFileSync(join(root, 'last'), 'utf8')).toBe('bye\n')
    await until(() => markedPids([mark]).length === 0, 'everything to be gone')
  })

  it('all its processes end when the process outside is killed', async () => {
    const { policy } = await place()
    const mark = `test-${process.pid}-${Date.now()}`
    const { child, ended, output } = await run(policy, `trap '' TERM; setsid sleep 600 & echo ready; wait`, {
      env: { TRESTLE_TASK: mark },
    })
    await until(() => output().includes('ready'), 'the start')
    expect(markedPids([mark]).length).toBeGreaterThan(2)
    child.kill('SIGKILL')
    await ended
    await until(() => markedPids([mark]).length === 0, 'everything to be gone')
  })
})
