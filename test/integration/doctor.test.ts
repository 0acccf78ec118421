import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DiagnosticsReport, HealthCheck } from '../../src/shared/configuration/app'
import { ripgrepPath } from '../../src/main/engine/workspace/ripgrep/run-ripgrep'
import { openAppLog } from '../../src/main/engine/health/app-log'
import { runCli, type CliOptions } from '../support/run-cli'
import { createScratch, writeConfig } from '../support/scratch'

// Each test starts the program, which starts a task host and a login shell.
const BWRAP: string = 'bwrap'
const canMask = process.platform === 'linux' && spawnSync(BWRAP, ['--dev-bind', '/', '/', 'true']).status === 0
const real = (path: string): string => realpathSync(createRequire(import.meta.url).resolve(path))

/** A home and a user's home folder, both empty. */
function setUp() {
  const scratch = createScratch()
  const userHome = mkdtempSync(join(tmpdir(), 'trestle-user-'))
  onTestFinished(() => {
    scratch.remove()
    rmSync(userHome, { recursive: true, force: true })
  })
  const doctor = async (
    options: Partial<CliOptions> = {},
  ): Promise<{ code: number | null; report: DiagnosticsReport }> => {
    const env = { HOME: userHome, SHELL: '/bin/bash', ...options.env }
    const run = await runCli(['doctor', '--json'], { home: scratch.home, cwd: scratch.project, ...options, env })
    return { code: run.code, report: JSON.parse(run.stdout) as DiagnosticsReport }
  }
  const check = async (
    id: string,
    options: Partial<CliOptions> = {},
  ): Promise<HealthCheck & { code: number | null }> => {
    const { code, report } = await doctor(options)
    const found = report.checks.find((each) => each.id === id)
    if (!found) throw new Error(`there is no check ${id}: ${JSON.stringify(report.checks)}`)
    return { ...found, code }
  }
  return { ...scratch, userHome, doctor, check }
}

/** Runs a command with these files replaced by an empty device. */
const without =
  (...paths: string[]): NonNullable<CliOptions['within']> =>
  (command) => [BWRAP, '--dev-bind', '/', '/', ...paths.flatMap((path) => ['--ro-bind', '/dev/null', path]), ...command]

const failed = (detail: RegExp, remedy: RegExp) => ({
  code: 1,
  status: 'failed',
  detail: expect.stringMatching(detail),
  remedy: expect.stringMatching(remedy),
})

describe('trestle doctor names the cause and the remedy', () => {
  test('of a home folder that cannot be used', async () => {
    const { check, project } = setUp()
    writeFileSync(join(project, 'file'), '')
    expect(await check('home', { home: join(project, 'file') })).toMatchObject(
      failed(/is a file, not a folder/, /TRESTLE_HOME/),
    )
  })

  test.skipIf(!canMask)('of a full disk', async () => {
    const { check, home } = setUp()
    // A disk of 256 KB, filled.
    const fill = `head -c 1000000 /dev/zero > '${home}/filler' 2>/dev/null; exec "$@"`
    const small = [BWRAP, '--dev-bind', '/', '/', '--size', '262144', '--tmpfs', home]
    const within: CliOptions['within'] = (command) => [...small, 'sh', '-c', fill, 'sh', ...command]
    expect(await check('disk', { within })).toMatchObject(failed(/is full/, /Free some space/))
    // No other check reports another cause for it.
    expect(await check('task-host', { within })).toMatchObject(failed(/cannot run/, /^Free some space/))
  })

  test('of a broken configuration file', async () => {
    const { check, home } = setUp()
    writeConfig(home, 'default_model = "x\n')
    expect(await check('config')).toMatchObject(failed(/config\.toml:1: /, /Fix the file at the line named/))
  })

  test('of a default model without a key', async () => {
    const { check, home } = setUp()
    writeConfig(home, 'default_model = "a/m"\n[providers.a]\ntype = "anthropic"\napi_key_env = "NO_SUCH_KEY"\n')
    expect(await check('model')).toMatchObject(failed(/NO_SUCH_KEY/, /key/))
  })

  test.skipIf(!canMask)('of a machine without bubblewrap, where a sandbox is required', async () => {
    const { check, home } = setUp()
    writeConfig(home, '[sandbox]\nmode = "required"\n')
    const bwrap = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim()
    expect(await check('sandbox', { within: without(bwrap) })).toMatchObject(
      failed(/bubblewrap is not installed/, /bubblewrap/),
    )
  })

  test.skipIf(!canMask)('of a machine that forbids user namespaces', async () => {
    const { check, home } = setUp()
    writeConfig(home, '[sandbox]\nmode = "required"\n')
    const within: CliOptions['within'] = (command) => [
      BWRAP,
      '--unshare-user',
      '--disable-userns',
      '--dev-bind',
      '/',
      '/',
      ...command,
    ]
    expect(await check('sandbox', { within })).toMatchObject(failed(/cannot start a sandbox/, /docs\/sandbox\.md/))
  })

  test('of a machine without git', async () => {
    const { check, project } = setUp()
    for (const name of ['bash', 'sh', 'env']) symlinkSync(`/bin/${name}`, join(project, name))
    expect(await check('git', { env: { PATH: project } })).toMatchObject(
      failed(/git was not found on PATH/, /Install Git/),
    )
  })

  test.skipIf(!canMask)('of a search program that does not run', async () => {
    const { check } = setUp()
    expect(await check('ripgrep', { within: without(realpathSync(await ripgrepPath())) })).toMatchObject(
      failed(/rg does not run/, /Install Trestle again/),
    )
  })

  test.skipIf(!canMask)('of a missing native module', async () => {
    const { check } = setUp()
    const binary = join(dirname(real('better-sqlite3/package.json')), 'prebuilds', `linux-${process.arch}.node`)
    expect(await check('modules', { within: without(binary) })).toMatchObject(
      failed(/Sessions cannot be stored: the module better-sqlite3 cannot be loaded/, /Install Trestle again/),
    )
  })

  test('of a damaged session store', async () => {
    const { check, home } = setUp()
    writeFileSync(join(home, 'trestle.db'), 'this is not a database, and never was one '.repeat(100))
    expect(await check('database')).toMatchObject(failed(/trestle\.db is damaged/, /newest backup/))
  })

  test('of a task host that cannot be started', async () => {
    const { check, home } = setUp()
    writeFileSync(join(home, 'run'), 'in the way')
    expect(await check('task-host')).toMatchObject(failed(/Background commands cannot run/, /Remove .*run/))
  })

  test('of a login shell whose startup files end it', async () => {
    const { check, userHome } = setUp()
    writeFileSync(join(userHome, '.bash_profile'), 'echo "no such theme" >&2\nexit 3\n')
    expect(await check('login-shell')).toMatchObject(
      failed(/bash ended with exit code 3 .*no such theme/, /bash -i -l -c env/),
    )
  })

  test('of a proxy that cannot be reached', async () => {
    const { check } = setUp()
    expect(await check('network', { env: { HTTPS_PROXY: 'http://me:secret-word@127.0.0.1:1' } })).toMatchObject(
      failed(
        /^The proxy http:\/\/127\.0\.0\.1:1 \(from HTTPS_PROXY in the environment\) cannot be reached/,
        /\[network\]/,
      ),
    )
  })

  test('of certificates that cannot be read', async () => {
    const { check, home } = setUp()
    writeConfig(home, '[network]\nca_file = "/no/such/file.pem"\n')
    expect(await check('network')).toMatchObject(failed(/ca_file cannot be used: .*no such file/, /PEM/))
  })

  test('of an MCP server whose program is missing', async () => {
    const { check, home } = setUp()
    writeFileSync(
      join(home, 'mcp.json'),
      JSON.stringify({ mcpServers: { notes: { command: 'no-such-program', args: [] } } }),
    )
    expect(await check('mcp')).toMatchObject(
      failed(/“no-such-program” of the MCP server notes was not found/, /Install the program/),
    )
  })

  test('of a port that another program uses', async () => {
    const { check, home } = setUp()
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    writeFileSync(join(home, 'web-port'), `${(server.address() as AddressInfo).port}\n`)
    expect(await check('port')).toMatchObject({
      code: 0,
      status: 'warning',
      detail: expect.stringMatching(/is in use/),
      remedy: expect.any(String),
    })
  })

  test('of a clock that is behind', async () => {
    const { check, home } = setUp()
    mkdirSync(join(home, 'logs'))
    const later = new Date(Date.now() + 400 * 24 * 60 * 60 * 1000)
    utimesSync(join(home, 'logs'), later, later)
    expect(await check('clock')).toMatchObject(failed(/The clock says/, /Set the date and time/))
  })
})

describe('trestle doctor', () => {
  test('finds no problems in a sound installation, and otherwise says what to do', async () => {
    const { home, project, userHome, doctor } = setUp()
    const { code, report } = await doctor()
    expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(code).toBe(0)
    writeConfig(home, 'default_model = "x\n')
    const run = await runCli(['doctor'], { home, cwd: project, env: { HOME: userHome, SHELL: '/bin/bash' } })
    expect(run).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^FAILED +Configuration: .*\n +→ Fix the file/m),
    })
    expect(run.stdout).toMatch(/^1 problem, /m)
  })

  test('reports versions, the shell environment and the last errors, and no secrets', async () => {
    const { home, doctor } = setUp()
    const key = `sk-ant-${'x9Y8'.repeat(12)}`
    // As possibly written by an older version.
    openAppLog({ home, redact: (text) => text })(`the request with ${key} failed`)
    const { report } = await doctor({ env: { OPENAI_API_KEY: 'key-of-the-environment' } })
    const text = JSON.stringify(report)
    expect(report.errors.map(({ message }) => message)).toEqual(['the request with [redacted] failed'])
    for (const secret of [key, 'key-of-the-environment']) expect(text).not.toContain(secret)
    expect(report.sections.map(({ title }) => title)).toEqual(['Trestle', 'System', 'Shell environment'])
  })
})
