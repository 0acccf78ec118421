import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { McpServerList, McpServerView, McpTestResult } from '../../src/shared/configuration/customize/mcp'
import { bundledProgram } from '../support/bundled-program'
import { nodeProgram } from '../support/node-program'
import { startOAuthServer, type OAuthServer, type OAuthServerOptions } from '../support/oauth-server'
import { runCli, startCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

const clerk = await bundledProgram('./mcp-clerk-server.ts')
const browser = nodeProgram('./follow-url.ts').join(' ')
const server = nodeProgram('./mcp-stdio-server.ts')

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch({})
})
afterEach(() => scratch.remove())

const mcp = (...args: string[]): Promise<CliRun> =>
  runCli(['mcp', ...args], { home: scratch.home, cwd: scratch.project })
const worked = async (...args: string[]): Promise<string> => {
  const run = await mcp(...args)
  expect(run).toMatchObject({ code: 0 })
  return run.stdout
}
const json = async <Shape>(...args: string[]): Promise<Shape> => JSON.parse(await worked(...args, '--json')) as Shape
const addClerk = (...options: string[]) => worked('add', ...options, 'clerk', '--', ...clerk)

/** The program with a user at a terminal. */
function atTerminal(...args: string[]): {
  /** Resolves with the whole output once it contains the text. */ shows(what: string): Promise<string>
  answer(question: string, line: string): Promise<void>
  press(keys: string): void
  /** The exit code. */ ended: Promise<number>
} {
  const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TERM: 'xterm', TRESTLE_HOME: scratch.home }
  const pty = spawn(process.execPath, [cli, 'mcp', ...args], { cols: 100, rows: 40, cwd: scratch.project, env })
  let shown = ''
  let hasEnded = false
  pty.onData((text) => (shown += text))
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  pty.onExit(() => (hasEnded = true))
  onTestFinished(() => (hasEnded ? undefined : pty.kill('SIGKILL')))
  const shows = async (what: string): Promise<string> => {
    await until(() => shown.includes(what), `"${what}" on the terminal`)
    return shown
  }
  return {
    shows,
    ended,
    press: (keys) => pty.write(keys),
    async answer(question, line) {
      await shows(question)
      pty.write(`${line}\r`)
    },
  }
}

async function serve(options?: OAuthServerOptions): Promise<OAuthServer> {
  const server = await startOAuthServer(options)
  onTestFinished(() => server.close())
  return server
}

// Each test starts the program several times.
vi.setConfig({ testTimeout: 180_000 })

describe('trestle mcp', () => {
  test('adds a command, lists it without starting it, tests it, calls its tools, and removes it', async () => {
    expect(await worked('list')).toContain('No servers are configured')
    expect(await addClerk('--env', 'DRAWER=left')).toContain(`Added clerk to ${join(scratch.home, 'mcp.json')}`)
    expect((await json<McpServerList>('list')).servers).toMatchObject([
      { name: 'clerk', scope: 'user', state: 'idle', envNames: ['DRAWER'], tools: [] },
    ])
    expect(await json<McpTestResult>('test', 'clerk')).toMatchObject({
      ok: true,
      message: expect.stringContaining('4 tools') as string,
    })
    expect(await worked('call', 'clerk', 'echo', '{"text":"good morning"}')).toBe('good morning\n')
    expect(await json('call', 'clerk', 'echo', '{"text":"x"}')).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'x' }],
    })
    expect(await worked('list')).toMatch(/clerk +user +idle +4 +stdio/)
    await worked('remove', 'clerk')
    expect((await json<McpServerList>('list')).servers).toEqual([])
  })

  test('gives a server its defined environment, and no keys', async () => {
    await addClerk('--env', 'DRAWER=left')
    const run = await runCli(['mcp', 'call', 'clerk', 'environment'], {
      home: scratch.home,
      env: { ANTHROPIC_API_KEY: 'sk-secret' },
    })
    expect(run.stdout).toContain('DRAWER')
    expect(run.stdout).not.toContain('API_KEY')
  })

  test('prints what a server writes', async () => {
    await addClerk()
    expect(await worked('logs', 'clerk')).toMatch(/stderr {2}the clerk is there/)
  })

  test("exits with 1 and the tool's error message", async () => {
    await addClerk()
    expect(await mcp('call', 'clerk', 'fail')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The drawer is empty.') as string,
    })
    const unknown = await mcp('call', 'clerk', 'ecoh')
    expect(unknown.code).toBe(1)
    expect(unknown.stdout + unknown.stderr).toMatch(/ecoh.*echo/s)
  })

  test('rejects an unusable definition instead of writing it silently', async () => {
    for (const [words, said] of [
      [['http://me:secret@example.org/mcp'], 'must not have a name or password in it'],
      [['http://example.org/mcp', '--header', 'X-A: b\nc'], 'has a line break'],
      [['ftp://example.org/mcp'], 'those begin with http:// or https://'],
    ] as const) {
      const run = await mcp('add', 'odd', ...words)
      expect(run).toMatchObject({
        code: expect.toBeOneOf([1, 2]) as number,
        stdout: '',
        stderr: expect.stringContaining(said) as string,
      })
      expect(run.stderr).not.toContain('secret')
    }
    expect((await json<McpServerList>('list')).servers).toEqual([])
  })

  test('reports errors as JSON when requested, with advice that fits a command line', async () => {
    await addClerk()
    for (const [words, code, exit] of [
      [['remove', 'clark', '--json'], 'request.invalid', 1],
      [['lost', '--json'], 'usage', 2],
      [['list', '--json', '--bogus'], 'usage', 2],
    ] as const) {
      const run = await mcp(...words)
      expect(run.code).toBe(exit)
      expect(JSON.parse(run.stdout)).toMatchObject({ error: { code, message: expect.any(String) as string } })
    }
    const { stderr } = await mcp('remove', 'clark')
    expect(stderr).toBe('trestle: There is no server "clark". There are: clerk. Did you mean clerk?\n')
  })

  test("answers a server's form with the given values, and declines when no user is attached", async () => {
    await addClerk()
    expect(await worked('call', 'clerk', 'order', '{}', '--answer', '{"count":3}')).toBe(
      'accept {"dish":"soup","count":3}\n',
    )
    expect(await mcp('call', 'clerk', 'order')).toMatchObject({
      code: 0,
      stdout: 'decline {}\n',
      stderr: expect.stringContaining("--answer '{…}'") as string,
    })
    expect(await mcp('call', 'clerk', 'order', '{}', '--answer', '{"count":0}')).toMatchObject({
      stdout: 'decline {}\n',
      stderr: expect.stringContaining('Enter 1 or more') as string,
    })
  })

  test('asks at the terminal, field by field, explains invalid values, and takes an empty answer as declined', async () => {
    await addClerk()
    const no = atTerminal('call', 'clerk', 'order')
    await no.answer('Fill it in? [y/N]', '')
    expect(await no.shows('decline {}')).not.toContain('dish')
    const yes = atTerminal('call', 'clerk', 'order')
    await yes.answer('Fill it in? [y/N]', 'y')
    await yes.answer('dish [soup]:', '')
    await yes.answer('count [2]:', '0')
    await yes.answer('Enter 1 or more.', '7')
    expect(await yes.shows('accept {"dish":"soup","count":7}')).toContain('Enter 1 or more.')
  })

  test('exits with 130 when Ctrl-C is pressed at a form', async () => {
    await addClerk()
    const form = atTerminal('call', 'clerk', 'order')
    await form.answer('Fill it in? [y/N]', 'y')
    await form.shows('dish [soup]:')
    form.press('\x03')
    expect(await form.ended).toBe(130)
  })

  test('shows the last stderr output of a server whose test failed', async () => {
    await worked('add', 'broken', '--', ...server, '--crash-start')
    expect(await mcp('test', 'broken')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^failed/) as string,
      stderr: expect.stringContaining(
        'broken printed to stderr:\n  the configuration of this server is missing\n',
      ) as string,
    })
    const { stdout } = await mcp('test', 'broken', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, stderr: 'the configuration of this server is missing' })
  })

  test('lists the tools of a server that was never started', async () => {
    await addClerk()
    const lines = (await worked('tools', 'clerk')).trimEnd().split('\n')
    expect(lines[0]).toMatch(/^TOOL +STATE +DOES +TOKENS +DESCRIPTION$/)
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toContain('echo')
    expect(lines).toHaveLength(5)
    expect(await json<{ name: string }[]>('tools', 'clerk')).toHaveLength(4)
  })

  test('explains what to write instead of treating a mistyped address as a command', async () => {
    const run = await mcp('add', 'x', 'notaurl')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /"notaurl" is no URL, .* and no command that is found here\. .*trestle mcp add NAME -- COMMAND ARGS/,
    )
    expect((await mcp('add', 'x', 'mcp.example.org/mcp')).stderr).toContain('Did you mean https://mcp.example.org/mcp?')
    expect((await mcp('add', 'x', 'http://localhost:6000/mcp')).stderr).toContain(
      'http://localhost:6000/mcp uses port 6000, which is reserved for another protocol. ' +
        'Let the server listen on another',
    )
    expect((await json<McpServerList>('list')).servers).toEqual([])
    expect(await worked('add', 'x', '--', 'not-installed-yet')).toContain('Added x')
  })

  test('exits immediately when interrupted while a server is starting', async () => {
    const starts = join(scratch.project, 'starts')
    await worked('add', 'silent', '--', ...server, '--hang-start', `--starts=${starts}`)
    const child = startCli(['mcp', 'test', 'silent'], { home: scratch.home, env: {} })
    await until(() => existsSync(starts), 'the server to be started')
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const at = performance.now()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(performance.now() - at).toBeLessThan(limitNow(10_000))
  })

  test('enables and disables servers and tools', async () => {
    await addClerk()
    await worked('test', 'clerk')
    await worked('disable', 'clerk', 'fail')
    const [{ tools }] = (await json<McpServerList>('list')).servers as [McpServerView]
    expect(tools.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual(['fail'])
    await worked('disable', 'clerk')
    expect(await mcp('test', 'clerk')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('trestle mcp enable clerk') as string,
    })
    await worked('enable', 'clerk')
    await worked('test', 'clerk')
  })

  test('writes into the project on request, and uses no project server before it is accepted', async () => {
    await addClerk('--project')
    expect(JSON.parse(readFileSync(join(scratch.project, '.mcp.json'), 'utf8'))).toHaveProperty(
      'mcpServers.clerk.command',
      clerk[0],
    )
    writeFileSync(
      join(scratch.project, '.mcp.json'),
      JSON.stringify({ mcpServers: { clerk: { command: 'touch', args: ['was-here'] } } }),
    )
    const list = await mcp('list')
    expect(list.stdout).toMatch(/clerk +project +needs approval/)
    expect(list.stderr).toContain('trestle permission trust')
    expect(await mcp('test', 'clerk')).toMatchObject({ code: 1, stderr: expect.stringContaining('accepted') as string })
    expect(await mcp('call', 'clerk', 'echo')).toMatchObject({ code: 1 })
    expect(existsSync(join(scratch.project, 'was-here'))).toBe(false)
  })

  test('shows servers of other products, and imports them only on request', async () => {
    const cursor = {
      mcpServers: {
        clerk: { command: clerk[0], args: clerk.slice(1), env: { DRAWER: 'left', DRAWER_TOKEN: 'secret-drawer' } },
        odd: { command: 7 },
      },
    }
    mkdirSync(join(scratch.project, '.cursor'))
    writeFileSync(join(scratch.project, '.cursor', 'mcp.json'), JSON.stringify(cursor))
    const shown = await worked('import', 'cursor')
    expect(shown).toMatch(/Cursor .*\.cursor\/mcp\.json\)\n {2}clerk: new/)
    expect(shown).toContain('Nothing was written')
    // The content of a project's file is shown unchanged, except values named as secrets.
    expect(shown).toContain('DRAWER=left')
    expect(shown).toContain('DRAWER_TOKEN')
    expect(shown).not.toContain('secret-drawer')
    expect((await json<McpServerList>('list')).servers.filter(({ scope }) => scope === 'user')).toEqual([])
    expect(await worked('import', 'Cursor', 'clerk', '--yes')).toContain('Took over clerk')
    expect(await worked('call', 'clerk', 'environment')).toContain('DRAWER')
    expect(await worked('import', 'cursor')).toContain('is here already')
    expect(await mcp('import', 'nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is: ') as string,
    })
  })

  test('imports piped input', async () => {
    const stdin = JSON.stringify({ mcpServers: { piped: { url: 'https://example.org/mcp' } } })
    const run = await runCli(['mcp', 'import', '-', '--yes', '--json'], { home: scratch.home, stdin })
    expect(run).toMatchObject({ code: 0 })
    expect(JSON.parse(run.stdout)).toMatchObject({ servers: [{ name: 'piped', target: 'https://example.org/mcp' }] })
  })

  test.each([
    [['call', 'missing', 'x'], 1, 'There is no server "missing"'],
    [['tets', 'x'], 2, 'Did you mean test'],
    [['add', 'x'], 2, 'a name, and a URL'],
    [['add', 'x y', 'https://example.org'], 2, 'not a name for a server'],
    [['add', 'x', 'https://example.org', '--env', 'A=b'], 2, '--env cannot be used with a URL'],
    [['add', 'x', '--header', 'nope', 'https://example.org'], 2, 'has no value'],
    [['add', '--transport', 'http', 'x', '--', 'ls'], 2, 'needs a URL'],
    [['list', '--answer', '{}'], 2, '--answer cannot be used with list'],
    [['call', 'x', 'y', '{broken'], 2, 'not JSON'],
  ])('reports what is wrong with %j', async (args, code, said) => {
    const run = await mcp(...args)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(said)
  })

  test("reserves approving and signing in for people: not available in an agent's task", async () => {
    for (const args of [
      ['add', 'x', 'https://example.org'],
      ['call', 'x', 'y'],
      ['login', 'x'],
    ]) {
      const run = await runCli(['mcp', ...args], { home: scratch.home, env: { TRESTLE_TASK: 'task-1' } })
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('for users only') as string })
    }
  })
})

describe('signing in from the command line', () => {
  test('prints the page, opens it with the given command, keeps the sign-in, and removes it', async () => {
    const server = await serve()
    await worked('add', 'desk', server.url)
    const before = await mcp('call', 'desk', 'whoami')
    expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining('trestle mcp login') as string })
    const login = await mcp('login', 'desk', '--browser', browser)
    expect(login).toMatchObject({
      code: 0,
      stdout: 'Signed in to desk for read.\n',
      stderr: expect.stringContaining(`${server.origin}/authorize?`) as string,
    })
    expect(await worked('call', 'desk', 'whoami')).toBe('signed in for read\n')
    expect((await json<McpServerList>('list')).servers).toMatchObject([
      { auth: { state: 'signed_in', scopes: ['read'] } },
    ])
    expect(await worked('logout', 'desk')).toContain('Signed out')
    expect(server.revoked).toHaveLength(2)
    expect(await mcp('call', 'desk', 'whoami')).toMatchObject({ code: 1 })
  })

  test('for wider access happens once during a call, and never loops', async () => {
    const server = await serve({ callScopes: ['write'] })
    await worked('add', 'desk', server.url)
    expect(await worked('call', 'desk', 'whoami', '{}', '--browser', browser)).toBe('signed in for read write\n')
    expect(server.authorizations.map((params) => params.get('scope'))).toEqual(['read', 'read write'])
  })

  test('shows no secrets anywhere, even when it fails', async () => {
    const server = await serve({
      tokenAnswers: [[400, '{"error":"invalid_request","error_description":"no such thing"}']],
    })
    await worked('add', 'desk', server.url)
    const failed = await mcp('login', 'desk', '--browser', browser)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no such thing') as string })
    const runs = [
      failed,
      await mcp('login', 'desk', '--browser', browser),
      await mcp('call', 'desk', 'whoami'),
      await mcp('logs', 'desk'),
      await mcp('list', '--json'),
    ]
    const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join('\n')
    for (const secret of server.secrets) expect(printed).not.toContain(secret)
  })
})
