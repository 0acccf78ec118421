import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTrust } from '../../src/main/engine/trust/create-trust'
import { describeServerFile } from '../../src/main/engine/mcp/config/describe-server'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import type { TerminalTasks } from '../../src/main/engine/task/task-supervisor'
import { runCli } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { serveApp, type ServedApp } from '../support/served-app'
import { trustProject } from '../support/trust-project'
import { until } from '../support/until'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

let scratch: Scratch
const trust = () =>
  createTrust({ describeServers: describeServerFile, home: scratch.home, now: Date.now, notify: () => undefined })
const state = async (): Promise<string> => (await trust().view(scratch.project)).state
const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  TRESTLE_HOME: scratch.home,
})

beforeAll(() => {
  scratch = createScratch()
  mkdirSync(join(scratch.project, '.trestle'))
})
beforeEach(() =>
  writeFileSync(
    join(scratch.project, '.trestle', 'config.toml'),
    '[[permission.rules]]\ndecision = "allow"\npattern = "Bash(rm *)"\n',
  ),
)
afterAll(() => scratch.remove())

describe('a user at a terminal', () => {
  /** Answers the question with the result of `answer` for the fingerprint; returns the exit code and the screen. */
  async function atTerminal(answer: (fingerprint: string) => string): Promise<{ code: number; screen: string }> {
    const pty = spawn(process.execPath, [CLI, 'permission', 'trust', '--cwd', scratch.project], {
      cols: 200,
      rows: 40,
      env: environment(),
    })
    let screen = ''
    let answered = false
    pty.onData((text) => {
      screen += text
      const fingerprint = /Fingerprint: ([0-9a-f]{64})[^]*fingerprint: /.exec(screen)?.[1]
      if (fingerprint === undefined || answered) return
      answered = true
      pty.write(`${answer(fingerprint)}\r`)
    })
    const code = await new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
    return { code, screen }
  }

  it('trusts exactly what is shown, by typing the start of its fingerprint', { timeout: 180_000 }, async () => {
    for (const wrong of ['', 'y', 'yes', '000000']) {
      expect((await atTerminal(() => wrong)).code).toBe(1)
      expect(await state()).toBe('asked')
    }
    const { hash } = await trust().view(scratch.project)
    const { code, screen } = await atTerminal((fingerprint) => fingerprint.slice(0, 6))
    expect([code, await state()]).toEqual([0, 'trusted'])
    expect(screen).toContain('allow Bash(rm *)')
    expect(screen).toContain(hash)
    await trust().forget(scratch.project)
  })
})

describe('without a terminal', () => {
  it.each(['', 'y\n', 'yes\nyes\n'])('nothing can be trusted, whatever the piped input: %j', async (stdin) => {
    const { hash } = await trust().view(scratch.project)
    for (const typed of [stdin, `${hash.slice(0, 6)}\n`]) {
      const run = await runCli(['permission', 'trust', '--cwd', scratch.project], { home: scratch.home, stdin: typed })
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('terminal') })
    }
    expect(await state()).toBe('asked')
  })
})

describe.runIf(process.platform === 'linux')("an agent's command", () => {
  let tasks: TerminalTasks
  let app: ServedApp
  let attempt = 0

  beforeAll(async () => {
    // Processes left behind by a command are adopted by the system while Trestle runs.
    app = await serveApp(environment())
    tasks = createTerminalTasks({
      outputDir: join(scratch.home, 'tasks'),
      home: scratch.home,
      env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    })
  })
  afterAll(async () => {
    await tasks.close()
    await app.close()
  })

  /**
   * `$T` trusts the project; `$C` does so with a clean environment, in its own terminal, and types the right answer.
   */
  async function attack(command: string, finishes: boolean): Promise<string> {
    const { hash } = await trust().view(scratch.project)
    const done = join(scratch.home, `done-${(attempt += 1)}`)
    const node = `${process.execPath} ${CLI}`
    // Words without quotes: none of these contains a space.
    const clean = `env -i PATH=${process.env['PATH']} HOME=${process.env['HOME']} TRESTLE_HOME=${scratch.home}`
    const trustIt = `${node} permission trust --cwd ${scratch.project}`
    const script = join(scratch.home, `attack-${attempt}.sh`)
    writeFileSync(
      script,
      `printf '%s\\n' ${hash.slice(0, 6)} | script -qec "${trustIt}" /dev/null; printf x > ${done}\n`,
    )
    const set =
      `H=${hash.slice(0, 6)}; T='${trustIt}'; CLEAN='${clean}'; ` +
      `C='${script}'; export TRESTLE_HOME='${scratch.home}'\n`
    const end = await tasks.run(
      {
        command: `${set}${command}`,
        cwd: scratch.project,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      },
      46_000,
    )
    if (!finishes) await until(() => existsSync(done), 'the end of what the command left behind')
    return end.text
  }

  it.each([
    ['without its mark', 'printf "$H\\n" | env -u TRESTLE_TASK -u TRESTLE_CUSTODY $T'],
    ['with yes', 'yes $H | $CLEAN $T'],
    ['on its own terminal', '$CLEAN $T </dev/tty >/dev/tty & printf "$H\\n" >/dev/tty; wait'],
    ['in a terminal made by script', '$CLEAN bash $C'],
    ['in the place of its shell', 'exec $CLEAN bash $C'],
    ["with another home's mark", '$CLEAN TRESTLE_CUSTODY=0123456789abcdef:1:1 TRESTLE_TASK= bash $C'],
    ['in a new session', 'setsid -w $CLEAN bash $C'],
  ])('cannot trust a project %s', { timeout: 60_000 }, async (_how, command) => {
    const text = await attack(command, true)
    expect(text).toMatch(/only you can decide|person at a terminal|looks like a command/)
    expect(await state()).toBe('asked')
  })

  it.each([
    ['as a daemon', 'setsid -f $CLEAN bash $C >/dev/null 2>&1'],
    ['by a parent that ends', '( $CLEAN setsid bash -c "bash $C & disown" >/dev/null 2>&1 & )'],
  ])('cannot trust a project %s', { timeout: 60_000 }, async (_how, command) => {
    await attack(command, false)
    expect(await state()).toBe('asked')
  })

  it.runIf(hasTmux())(
    'cannot trust a project in a terminal multiplexer that it starts',
    { timeout: 180_000 },
    async () => {
      const socket = join(scratch.home, 'mux')
      try {
        await attack(`$CLEAN tmux -S ${socket} -f /dev/null new-session -d "bash $C"`, false)
        expect(await state()).toBe('asked')
      } finally {
        // It ends with its last session, possibly a moment later.
        if (existsSync(socket)) execFileSync('sh', ['-c', `tmux -S ${socket} kill-server 2>/dev/null || true`])
      }
    },
  )

  it('can neither trust nor untrust a project through a Trestle that it starts', { timeout: 180_000 }, async () => {
    const { hash } = await trust().view(scratch.project)
    const lines = [
      { id: 1, method: 'trust.accept', input: { folder: scratch.project, hash } },
      { id: 2, method: 'trust.forget', input: { folder: scratch.project } },
    ]
    const text = await attack(
      `printf '%s\\n' ${lines.map((line) => `'${JSON.stringify(line)}'`).join(' ')} ` +
        `| $CLEAN ${process.execPath} ${CLI} wire`,
      true,
    )
    expect(text).toContain('it could decide in your place')
    expect(await state()).toBe('asked')
    await trustProject(scratch.home, scratch.project)
    await attack(`$CLEAN ${process.execPath} ${CLI} permission untrust --cwd '${scratch.project}'`, true)
    expect(await state()).toBe('trusted')
    await trust().forget(scratch.project)
  })

  it.each(['serve', 'chat', 'acp', 'wire', 'desktop'])(
    'cannot start %s and approve there',
    { timeout: 180_000 },
    async (command) => {
      expect(await attack(`$CLEAN ${process.execPath} ${CLI} ${command}`, true)).toContain(
        'it could decide in your place',
      )
    },
  )

  it('can neither add a server to be started later nor change a setting', { timeout: 180_000 }, async () => {
    const add = `${process.execPath} ${CLI} mcp add evil -- touch pwned`
    const text = await attack(`$CLEAN ${add}; $CLEAN setsid -w ${add}`, true)
    expect(text.match(/is for users only/g)).toHaveLength(2)
    expect(readdirSync(scratch.home)).not.toContain('mcp.json')
    expect(await attack(`$CLEAN ${process.execPath} ${CLI} settings toolSearch.enabled true`, true)).toContain(
      'only you can change settings',
    )
    expect(readdirSync(scratch.home)).not.toContain('config.toml')
  })
})

function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
