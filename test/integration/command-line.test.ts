import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { runCli } from '../support/run-cli'

describe('the command line of the built program', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'trestle-cli-'))
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  it('prints its version under plain Node', async () => {
    expect(await runCli(['--version'], { home })).toMatchObject({ code: 0, stdout: `trestle ${version}\n`, stderr: '' })
  })

  it('lists every command in its help, and every option in that of a command', async () => {
    const help = await runCli(['--help'], { home })
    for (const word of ['desktop', 'serve', 'print', '--version']) expect(help.stdout).toContain(word)
    const session = await runCli(['session', '--help'], { home })
    expect(session.stdout).toContain('\nActions:\n  list ')
    // All fourteen actions would make the usage line unreadable.
    expect(session.stdout).toMatch(/^Usage: trestle session ACTION \[options\]$/m)
    const print = await runCli(['print', '--help'], { home })
    for (const word of [
      '--cwd',
      '--model',
      '--permission-mode',
      '--output-format',
      '--continue',
      '--session',
      '--add-dir',
      '--max-steps',
    ]) {
      expect(print.stdout).toContain(word)
    }
  })

  it.each([
    [['prnit', 'x'], /Unknown command "prnit".*print/],
    [['print', 'x', '--modle', 'm'], /Unknown option --modle.*--model/],
    [['--outptu-format', 'json', '-p', 'x'], /--outptu-format.*--output-format/],
    [['print', 'x', '--permission-mode', 'yolo'], /ask, accept-edits, auto/],
    [['print', 'x', '--max-steps', 'many'], /--max-steps needs a whole number/],
    [['print', 'x', '--cwd', '/no/such/folder'], /no folder \/no\/such\/folder/],
    [['print', 'x', 'y'], /Unexpected "y"/],
    [['print', 'x', '--model'], /--model needs a value/],
    [['print', 'x', '-c', '-S', 'id'], /cannot be combined/],
    [['serve', '--port', '99999'], /--port needs a number/],
    [['print'], /no prompt/],
  ])('says what is wrong with %j and exits with 2, without writing to stdout', async (args, message) => {
    const run = await runCli(args, { home })
    expect(run.stderr).toMatch(message)
    expect(run).toMatchObject({ code: 2, stdout: '' })
  })

  it('shows the help of print for help print, and the version for version', async () => {
    const [about, own] = await Promise.all([runCli(['help', 'print'], { home }), runCli(['print', '--help'], { home })])
    expect(about).toEqual(own)
    expect(about.stdout).toMatch(/^Usage: trestle print/)
    expect(await runCli(['version'], { home })).toMatchObject({ code: 0, stdout: `trestle ${version}\n` })
    expect((await runCli(['help', 'prnit'], { home })).stderr).toContain('Did you mean print?')
  })

  it('takes a negative number as a value, not as options', async () => {
    const run = await runCli(['settings', 'toolSearch.matchingThreshold', '-1'], { home })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('a number from 0 to') as string })
    expect((await runCli(['print', 'x', '--max-steps', '-3'], { home })).stderr).toContain('from 1; not "-3"')
  })

  it.skipIf(!existsSync('/dev/full'))('exits with 1 and says so when its output cannot be written', () => {
    const full = openSync('/dev/full', 'w')
    const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
    for (const args of [['--version'], ['models'], ['print', '--help']]) {
      const run = spawnSync(process.execPath, [cli, ...args], {
        stdio: ['ignore', full, 'pipe'],
        env: { ...process.env, TRESTLE_HOME: home },
      })
      expect({ args, code: run.status, stderr: String(run.stderr) }).toEqual({
        args,
        code: 1,
        stderr: 'trestle: the output could not be written: there is no space left on the device (ENOSPC)\n',
      })
    }
    closeSync(full)
  })

  it('names a --mcp-config-file that cannot be used', async () => {
    const run = await runCli(['print', 'x', '--mcp-config-file', '/no/such.json'], { home })
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--mcp-config-file: there is no file /no/such.json') as string,
    })
  })

  it('says what to do when no model is configured', async () => {
    const run = await runCli(['print', 'hello', '--cwd', home], { home })
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/No model selected/)
  })

  it('names a session that does not exist', async () => {
    const run = await runCli(['print', 'hello', '-S', 'session-nope'], { home })
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/session-nope/)
  })

  it('reports a broken config with line and column and does not change the file', async () => {
    const broken = '# mine\ndefault_model = "a/b"\n[providers.x\n'
    const other = await mkdtemp(join(tmpdir(), 'trestle-cli-'))
    await writeFile(join(other, 'config.toml'), broken)
    const run = await runCli(['print', 'hello', '--cwd', other], { home: other })
    expect(run.stderr).toMatch(/config\.toml:3:\d+/)
    expect(run.code).toBe(1)
    await rm(other, { recursive: true, force: true })
  })
})
