import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SANDBOX_NETWORKS, type SandboxLevel, type SandboxNetwork } from '../../src/shared/model/task/sandbox'
import { DEFAULT_SANDBOX_SETTINGS } from '../../src/main/engine/config/agent-settings/sandbox-settings'
import { createSandboxes, type SandboxedSession } from '../../src/main/engine/sandbox/create-sandboxes'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { tempFolder } from '../support/temp-folder'

/** Reports what is possible with paths and ports by trying it. */
const PROBE = `
import json, os, socket, sys
asked = json.loads(os.environ['ASKED'])
def works(what):
    try: what(); return True
    except OSError: return False
def write(path):
    if os.path.isdir(path):
        os.mkdir(path + '/probe'); os.rmdir(path + '/probe')
    else: open(path, 'r+').close()
def read(path):
    if os.path.isdir(path): os.listdir(path)
    else: open(path).read(1)
def connect(port):
    s = socket.socket(); s.settimeout(2); s.connect(('127.0.0.1', port))
def through(port):
    s = socket.socket(); s.settimeout(2); s.connect(('127.0.0.1', 3128)); s.send(f'CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n'.encode())
    if b' 200 ' not in s.recv(100): raise OSError('refused')
rw = []
for line in open('/proc/self/mountinfo'):
    fields = line.split(' ')
    if 'rw' in fields[5].split(','): rw.append(fields[4])
paths = {path: ('r' if works(lambda: read(path)) else '-') + ('w' if works(lambda: write(path)) else '-') for path in asked['paths']}
ports = {str(port): ('direct' if works(lambda: connect(port)) else 'proxy' if works(lambda: through(port)) else '-') for port in asked['ports']}
print('PROBED ' + json.dumps({'paths': paths, 'ports': ports, 'mounted': rw}))
`

interface Probed {
  paths: Record<string, string>
  ports: Record<string, string>
  /** The writable mount points. */
  mounted: string[]
}

const COMBINATIONS = (['read-only', 'project'] as const).flatMap((level) =>
  SANDBOX_NETWORKS.filter((network) => level === 'project' || network === 'none').flatMap((network) =>
    [true, false].flatMap((hasFolder) => [true, false].map((hasLists) => ({ level, network, hasFolder, hasLists }))),
  ),
)

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => {}).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

describe.skipIf(sandboxSupport().kind === 'none')('a sandbox enforces what the UI shows', () => {
  test.each(COMBINATIONS)(
    '$level, $network, an added folder: $hasFolder, listed paths: $hasLists',
    async ({ level, network, hasFolder, hasLists }) => {
      const base = await tempFolder()
      const at = (path: string): string => join(base, path)
      const files = [
        'project/a.txt',
        'project/kept/a.txt',
        'project/.env',
        'added/a.txt',
        'cache/a.txt',
        'docs/a.txt',
        'other/a.txt',
        'home/.ssh/id_rsa',
        'home/.trestle/config.toml',
      ]
      for (const file of files) {
        mkdirSync(dirname(at(file)), { recursive: true })
        writeFileSync(at(file), 'x')
      }
      execFileSync('git', ['init', '-q', at('project')])
      const [listed, unlisted] = [await listening(), await listening()]
      const [userHome, home, root] = [at('home'), at('home/.trestle'), at('project')]
      const session: SandboxedSession = {
        rootId: 'readback',
        root,
        addedFolders: hasFolder ? [at('added')] : [],
        allowed: { write: [], read: [], hosts: [] },
        settings: {
          ...DEFAULT_SANDBOX_SETTINGS,
          defaults: false,
          write: hasLists ? [at('cache')] : [],
          read: hasLists ? [at('docs')] : [],
          hosts: [`localhost:${listed.port}`],
          ...(hasLists && { project: { protect: ['kept'] } }),
        },
      }
      const sandboxes = createSandboxes({ home, userHome })
      const probed = await probe(
        sandboxes.policy(session, { level, network })!,
        [...files, 'project', 'project/.git/hooks', 'project/.git/config', 'project/.mcp.json', 'other', 'home'].map(
          at,
        ),
        [listed.port, unlisted.port],
      )

      const shown = sandboxes.status(session, { level, network })
      expect(shown).toMatchObject({ level, network })
      const writes = level === 'project'
      expect(shown.writable).toEqual(writes ? [root, ...session.addedFolders] : [])
      const can = (write: boolean): string => (write ? 'rw' : 'r-')
      expect(probed.paths).toEqual({
        [at('project')]: can(writes),
        [at('project/a.txt')]: can(writes),
        [at('project/kept/a.txt')]: can(writes && !hasLists),
        [at('project/.env')]: '--',
        [at('project/.git/hooks')]: 'r-',
        [at('project/.git/config')]: 'r-',
        // At Read-only, the name is not reserved, because nothing could create it.
        [at('project/.mcp.json')]: writes ? 'r-' : '--',
        [at('added/a.txt')]: hasFolder ? can(writes) : '--',
        [at('cache/a.txt')]: writes && hasLists ? 'rw' : '--',
        [at('docs/a.txt')]: hasLists ? 'r-' : '--',
        [at('other')]: '--',
        [at('other/a.txt')]: '--',
        [at('home')]: 'r-',
        [at('home/.ssh/id_rsa')]: '--',
        [at('home/.trestle/config.toml')]: '--',
      })
      expect(probed.ports).toEqual({
        [listed.port]: reached(level, network, true),
        [unlisted.port]: reached(level, network, false),
      })
      const expected = [...(shown.writable ?? []), ...(writes && hasLists ? [at('cache')] : [])]
      const unexpected = probed.mounted.filter(
        (path) => !/^\/(?:tmp|proc|dev)(?:$|\/)/.test(path) || path.startsWith(base),
      )
      expect(
        unexpected.filter((path) => !expected.some((folder) => path === folder || path === join(folder, '.git'))),
      ).toEqual([])
    },
  )
})

test.skipIf(sandboxSupport().kind === 'none')('a sandbox leaves nothing in the project when it is closed', async () => {
  const base = await tempFolder()
  const [root, userHome, home] = ['project', 'home', 'home/.trestle'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [root, home]) mkdirSync(folder, { recursive: true })
  execFileSync('git', ['init', '-q', root])
  const everything = (): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  const before = everything()
  const session: SandboxedSession = {
    rootId: 'residue',
    root,
    addedFolders: [],
    allowed: { write: [], read: [], hosts: [] },
    settings: DEFAULT_SANDBOX_SETTINGS,
  }
  const policy = createSandboxes({ home, userHome }).policy(session, { level: 'project', network: 'none' })!
  const tasks = createTerminalTasks({
    outputDir: join(home, 'tasks'),
    env: () => ({ PATH: '/usr/bin:/bin', HOME: userHome }),
    graceMs: 200,
  })
  const { task } = await tasks.run(
    { command: 'git status', cwd: root, sandbox: policy, timeoutMs: 15_000, signal: new AbortController().signal },
    1_000,
  )
  expect(task.exitCode).toBe(0)
  expect(everything()).not.toEqual(before)
  await tasks.close()
  expect(everything()).toEqual(before)
})

function reached(level: SandboxLevel, network: SandboxNetwork, isListed: boolean): string {
  if (level === 'read-only' || network === 'none') return '-'
  if (network === 'open') return 'direct'
  // A listed port of this machine is at the same port inside.
  return isListed ? 'direct' : '-'
}

async function probe(
  policy: NonNullable<ReturnType<ReturnType<typeof createSandboxes>['policy']>>,
  paths: string[],
  ports: number[],
): Promise<Probed> {
  const tasks = createTerminalTasks({
    outputDir: join(policy.home, 'tasks'),
    env: () => ({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: policy.userHome,
      ASKED: JSON.stringify({ paths, ports }),
    }),
    graceMs: 200,
  })
  onTestFinished(() => tasks.close())
  const command = `/usr/bin/python3 - <<'PROGRAM'\n${PROBE}\nPROGRAM`
  const { text } = await tasks.run(
    { command, cwd: policy.root, sandbox: policy, timeoutMs: 15_000, signal: new AbortController().signal },
    100_000,
  )
  const line = text.split('\n').find((each) => each.startsWith('PROBED '))
  if (line === undefined) throw new Error(`the probe said: ${text}`)
  return JSON.parse(line.slice('PROBED '.length)) as Probed
}
