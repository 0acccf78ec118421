import type { PermissionMode } from '../../src/shared/model/approval/approval'
import { judge } from '../../src/main/engine/approval/policies/judge'
import { POLICIES } from '../../src/main/engine/approval/policies'
import type { JudgedCall } from '../../src/main/engine/approval/rules/policy'
import { inspectCommand } from '../../src/main/engine/approval/command/inspect-command'
import type { Access, PreparedCall } from '../../src/main/engine/tool/tool'
import { createWorkspace, type Workspace } from '../../src/main/engine/workspace/workspace'
import { pathFlavor } from '../../src/main/engine/workspace/path/path-flavor'
import { fakeDisk } from './fake-disk'
import { rulesOf } from './judge-command'

/** One computer: a project, the user's folder, and other folders beside them. */
export interface PathWorld {
  workspace: Workspace
  /** Trestle's own folder. */
  home: string
}

const BELOW_PROJECT = [
  'src/a.ts',
  'src/deep/b.ts',
  'secrets/key.txt',
  '.env',
  '.git/config',
  'docs/Read Me.md',
  '.github/workflows/ci.yml',
]
const BELOW_USER = ['.ssh/config', '.bashrc', '.trestle/config.toml', 'notes.txt', 'Documents/report.txt']

export function posixWorld(): PathWorld {
  const paths = pathFlavor('linux')
  const there = [
    ...BELOW_PROJECT.map((path) => `/work/my project/${path}`),
    ...BELOW_USER.map((path) => `/home/me/${path}`),
    '/data/other/x.txt',
    '/etc/hosts',
  ]
  const disk = fakeDisk({ paths, there, links: { '/work/my project/jump': '/data/other' } })
  return {
    workspace: createWorkspace({ root: '/work/my project', home: '/home/me', paths, disk }),
    home: '/home/me/.trestle',
  }
}

export function macWorld(): PathWorld {
  const paths = pathFlavor('darwin')
  const there = [
    ...BELOW_PROJECT.map((path) => `/Users/me/proj\u00e9/${path}`),
    ...BELOW_USER.map((path) => `/Users/me/${path}`),
    '/private/etc/hosts',
    '/private/tmp/x',
    '/Users/me/proj\u00e9/src/cafe\u0301.ts',
  ]
  const disk = fakeDisk({ paths, there, links: { '/etc': '/private/etc', '/tmp': '/private/tmp' } })
  return {
    workspace: createWorkspace({ root: '/Users/me/proje\u0301', home: '/Users/me', paths, disk }),
    home: '/Users/me/.trestle',
  }
}

const backslashed = (path: string): string => path.replaceAll('/', '\\')

/** `root`: the folder of the project; default: on drive C. */
export function windowsWorld(root = 'C:\\work\\my project'): PathWorld {
  const paths = pathFlavor('win32', () => ({
    git: 'C:\\Program Files\\Git',
    temp: 'C:\\Users\\me\\AppData\\Local\\Temp',
  }))
  const there = [
    ...BELOW_PROJECT.map((path) => `${root}\\${backslashed(path)}`),
    ...BELOW_USER.map((path) => `C:\\Users\\me\\${backslashed(path)}`),
    'D:\\data\\other\\x.txt',
    'C:\\Windows\\System32\\drivers\\etc\\hosts',
    'C:\\Users\\me\\AppData\\Local\\Temp\\x',
    'C:\\Program Files\\Git\\etc\\profile',
    '\\\\server\\share\\x.txt',
  ]
  const disk = fakeDisk({
    paths,
    there,
    short: {
      'MYPROJ~1': 'my project',
      'SECRET~1': 'secrets',
      'ENV~1': '.env',
      'SSH~1': '.ssh',
      'DOCUME~1': 'Documents',
      'TRESTL~1': '.trestle',
    },
    links: { [`${root}\\jump`]: 'D:\\data\\other' },
  })
  return { workspace: createWorkspace({ root, home: 'C:\\Users\\me', paths, disk }), home: 'C:\\Users\\me\\.trestle' }
}

export interface Asked {
  rules?: readonly string[]
  mode?: PermissionMode
}

function judged(
  { workspace, home }: PathWorld,
  { rules = [], mode = 'ask' }: Asked,
  tool: string,
  accesses: Access[],
): JudgedCall {
  const readOnly = tool === 'Read'
  const call: PreparedCall = { summary: tool, accesses, run: () => Promise.reject(new Error('It is only judged.')) }
  return {
    tool: {
      name: tool,
      annotations: { readOnly, destructive: !readOnly, idempotent: false, openWorld: tool === 'Bash' },
    },
    call,
    mode,
    workspace,
    home,
    ownOutput: [],
    rules: rulesOf(...rules),
    isRemembered: () => false,
  }
}

/**
 * The outcome of a Read or Write of this path: the tools refuse secrets and impossible paths before asking for
 * approval.
 */
export async function fileVerdict(
  world: PathWorld,
  tool: 'Read' | 'Write',
  path: string,
  asked: Asked = {},
): Promise<string> {
  const { realPath, path: written, sensitive, problem } = await world.workspace.resolve(path)
  if (problem !== undefined || sensitive !== undefined) return 'refused'
  return judge(
    POLICIES,
    judged(world, asked, tool, [{ kind: 'file', path: realPath, written, write: tool === 'Write' }]),
  ).decision
}

/** The outcome of a command that runs in the project. */
export async function commandVerdict(world: PathWorld, command: string, asked: Asked = {}): Promise<string> {
  const { workspace } = world
  const parts = await inspectCommand(command, workspace.root, workspace)
  return judge(POLICIES, {
    ...judged(world, asked, 'Bash', [{ kind: 'command', command, cwd: workspace.root }]),
    parts,
  }).decision
}
