import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandSandboxes } from '../../src/main/engine/approval/rules/policy'
import { DEFAULT_SANDBOX_SETTINGS } from '../../src/main/engine/config/agent-settings/sandbox-settings'
import { createSandboxes, type SandboxedSession } from '../../src/main/engine/sandbox/create-sandboxes'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { commandSandboxes } from '../../src/main/engine/turn/session/session-sandboxes'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import type { PermissionMode } from '../../src/shared/model/approval/approval'
import { everydayCommands, whyNotHere, type Ecosystem } from '../support/everyday/everyday-commands'
import { folderEffect } from '../support/everyday/folder-effect'
import { everydayEnv, makeSampleProject } from '../support/everyday/sample-projects'
import { judgeCommand } from '../support/judge-command'
import { sampled } from '../support/sampled'
import { tempFolder } from '../support/temp-folder'

const ECOSYSTEMS: readonly Ecosystem[] = ['node', 'python', 'rust', 'go', 'general']

interface Ran {
  exitCode: number | null
  output: string
}

/** Runs a command line in bash, in the sandbox that `sandbox` specifies. */
type Run = (command: string, cwd: string, sandbox: 'project' | 'unrestricted') => Promise<Ran>

const runUnrestricted: Run = (command, cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], {
      cwd,
      env: everydayEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })

const HAS_SANDBOX = sandboxSupport().kind !== 'none'
const USER_HOME = realpathSync(homedir())

function sessionIn(root: string): SandboxedSession & { webHosts: string[] } {
  const allowed = { write: [], read: [], hosts: [] }
  return {
    rootId: 'everyday',
    root: realpathSync(root),
    addedFolders: [],
    allowed,
    settings: DEFAULT_SANDBOX_SETTINGS,
    webHosts: [],
  }
}

function sandboxesIn(cwd: string): CommandSandboxes {
  return commandSandboxes(
    createSandboxes({ home: join(cwd, '..', 'no-home'), userHome: USER_HOME }),
    sessionIn(cwd),
    USER_HOME,
  )
}

const runSandboxed: Run = async (command, cwd) => {
  const home = await tempFolder()
  const policy = createSandboxes({ home, userHome: USER_HOME }).policy(sessionIn(cwd), {
    level: 'project',
    network: 'listed',
  })
  const tasks = createTerminalTasks({
    outputDir: join(home, 'tasks'),
    home,
    env: () => everydayEnv() as Record<string, string>,
  })
  try {
    const start = { command, cwd: realpathSync(cwd), timeoutMs: 120_000, signal: new AbortController().signal }
    const end = await tasks.run({ ...start, ...(policy && { sandbox: policy }) }, 20_000)
    return { exitCode: end.task.exitCode ?? null, output: end.text }
  } finally {
    await tasks.close()
  }
}

/** The ways to run commands that do not ask, which must all have the same result. */
const WAYS: readonly { name: string; sandbox: 'project' | 'unrestricted'; run: Run }[] = [
  HAS_SANDBOX
    ? { name: 'in the sandbox', sandbox: 'project', run: runSandboxed }
    : { name: 'in a second copy', sandbox: 'unrestricted', run: runUnrestricted },
]

/** The commands that ask in a mode, with the reason. */
async function asking(mode: PermissionMode): Promise<string[]> {
  const folder = await tempFolder()
  const asked: string[] = []
  for (const ecosystem of ECOSYSTEMS) {
    const cwd = join(folder, ecosystem)
    mkdirSync(cwd)
    makeSampleProject(ecosystem, cwd)
    for (const { command } of everydayCommands().filter((entry) => entry.ecosystem === ecosystem)) {
      const { verdict, reason } = await judgeCommand(command, { mode, cwd, sandboxes: sandboxesIn(cwd) })
      if (verdict !== 'allow') asked.push(`${command}: ${reason}`)
    }
  }
  return asked
}

it('the list has 100 different commands: Node 30, Python 25, Rust 20, Go 15, general 10', () => {
  const commands = everydayCommands()
  expect(new Set(commands.map(({ command }) => command)).size).toBe(100)
  expect(ECOSYSTEMS.map((name) => commands.filter(({ ecosystem }) => ecosystem === name).length)).toEqual([
    30, 25, 20, 15, 10,
  ])
})

describe.skipIf(!HAS_SANDBOX)('questions about 100 everyday commands', () => {
  it('Auto asks about at most 5', { timeout: 180_000 }, async () => {
    const asked = await asking('auto')
    expect(asked.slice(5)).toEqual([])
  })

  it('Accept edits asks about at most 25', { timeout: 180_000 }, async () => {
    const asked = await asking('accept-edits')
    expect(asked.length <= 25 ? [] : asked).toEqual([])
  })
})

describe.each(WAYS)('an everyday command $name', ({ sandbox, run }) => {
  it.each(ECOSYSTEMS)(
    'succeeds with the same result as without a sandbox, in a %s project',
    { timeout: 300_000 },
    async (ecosystem) => {
      const folder = await tempFolder()
      const [plain, other] = ['plain', 'other'].map((name) => join(folder, name, 'sample')) as [string, string]
      for (const cwd of [plain, other]) {
        mkdirSync(cwd, { recursive: true })
        makeSampleProject(ecosystem, cwd)
      }
      let compared = 0
      for (const { command } of sampled(
        everydayCommands().filter((one) => one.ecosystem === ecosystem && whyNotHere(one) === undefined),
        8,
      )) {
        if (
          (await judgeCommand(command, { mode: 'auto', cwd: plain, sandboxes: sandboxesIn(plain) })).verdict !== 'allow'
        )
          continue
        const expected = await runUnrestricted(command, plain, 'unrestricted')
        const got = await run(command, other, sandbox)
        expect({ command, exitCode: got.exitCode }, `${got.output}\nwithout a sandbox:\n${expected.output}`).toEqual({
          command,
          exitCode: expected.exitCode,
        })
        expect({ command, ...folderEffect(other) }).toEqual({ command, ...folderEffect(plain) })
        compared += 1
      }
      expect(compared).toBeGreaterThan(0)
    },
  )
})
