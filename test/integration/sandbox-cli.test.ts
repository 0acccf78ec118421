import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, writeConfig, type Scratch } from '../support/scratch'

const hasSandbox = sandboxSupport().kind !== 'none'
let scratch: Scratch
beforeEach(() => {
  scratch = createScratch({ 'notes.md': 'one\n' })
})
afterEach(() => scratch.remove())
// Each test starts the program several times.
const trestle = (...args: string[]): Promise<CliRun> => runCli(args, { home: scratch.home, cwd: scratch.project })
const json = async (...args: string[]) => JSON.parse((await trestle(...args)).stdout) as Record<string, unknown>

describe.skipIf(!hasSandbox)('trestle sandbox', () => {
  it('runs a command in the sandbox, passes its output and exit code on, and reports what was blocked', async () => {
    const inside = await trestle('sandbox', 'try', 'echo out; echo err >&2; echo new > made; exit 7')
    expect(inside).toMatchObject({ code: 7, stdout: 'out\n' })
    expect(inside.stderr).toContain('err\n')
    expect(readFileSync(join(scratch.project, 'made'), 'utf8')).toBe('new\n')
    const outside = await trestle('sandbox', 'try', 'touch /usr/share')
    expect(outside.code).not.toBe(0)
    expect(outside.stderr).toContain('trestle: The Project sandbox blocked writing to /usr/share.')
    expect(await trestle('sandbox', 'try', 'true')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('has no unrestricted level and no way to run a command without a sandbox', async () => {
    expect(await trestle('sandbox', 'try', '--level', 'unrestricted', 'touch made')).toMatchObject({ code: 2 })
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
    const nested = await trestle(
      'sandbox',
      'try',
      `'${process.execPath}' --version; touch made; bwrap --dev-bind / / true`,
    )
    expect(nested.code).not.toBe(0)
  })

  it('keeps a read-only command from changing anything, and hides Trestle’s own folder', async () => {
    await trestle('sandbox', 'try', '--level', 'read-only', `touch made; cat ${scratch.home}/config.toml > /tmp/x`)
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
    writeConfig(scratch.home, '# here\n')
    expect((await trestle('sandbox', 'try', `cat ${scratch.home}/config.toml`)).stdout).toBe('')
  })

  it('shows the effective sandbox of each mode', async () => {
    writeFileSync(join(scratch.project, '.env'), 'KEY=1')
    mkdirSync(join(scratch.project, '.git', 'hooks'), { recursive: true })
    writeConfig(scratch.home, '[sandbox]\nhosts = ["example.com"]\ndefaults = false\n')
    const auto = await json('sandbox', 'status', '--mode', 'auto', '--json')
    expect(auto).toMatchObject({
      available: true,
      level: 'project',
      network: 'listed',
      hosts: ['example.com'],
      mode: 'auto',
    })
    expect(auto['writable']).toEqual(['/tmp (private)', scratch.project])
    expect(auto['hidden']).toEqual(expect.arrayContaining([scratch.home, join(scratch.project, '.env')]))
    expect(auto['protected']).toContain(join(scratch.project, '.trestle'))
    expect(await json('sandbox', 'status', '--mode', 'plan', '--json')).toMatchObject({
      level: 'read-only',
      network: 'none',
      writable: ['/tmp (private)'],
    })
    expect(await json('sandbox', 'status', '--mode', 'accept-edits', '--json')).toMatchObject({
      level: 'project',
      network: 'none',
    })
    const words = await trestle('sandbox', 'status', '--mode', 'auto')
    expect(words.stdout).toContain('Project, listed hosts')
    expect(words.stdout).toContain(`Hidden:\n  ${scratch.home}`)
  })

  it('adds the sandbox of a command to its verdict, and omits it with --sandbox off', async () => {
    const check = (...args: string[]) => json('permission', 'check', ...args)
    expect(await check('ls')).toMatchObject({ verdict: 'allow', sandbox: { level: 'read-only', network: 'none' } })
    expect(await check('make test')).toMatchObject({ verdict: 'ask', sandbox: { level: 'project', network: 'listed' } })
    expect(await check('--mode', 'accept-edits', 'make test')).toMatchObject({
      verdict: 'allow',
      sandbox: { level: 'project', network: 'none' },
    })
    const off = await check('--mode', 'accept-edits', '--sandbox', 'off', 'make test')
    expect(off).toMatchObject({ verdict: 'ask' })
    expect(off).not.toHaveProperty('sandbox')
  })
})

describe('with the sandbox off', () => {
  it('status says so, verdicts are as without, and try still sandboxes', async () => {
    writeConfig(scratch.home, '[sandbox]\nmode = "off"\n')
    expect(await json('sandbox', 'status', '--json')).toMatchObject({ available: false, level: 'unrestricted' })
    expect((await trestle('sandbox', 'status')).stdout).toContain(
      'No sandbox available: The sandbox is turned off in config.toml.',
    )
    expect(await json('permission', 'check', '--mode', 'accept-edits', 'make test')).toMatchObject({
      verdict: 'ask',
      sandbox: { level: 'unrestricted', network: 'open' },
    })
    const tried = await trestle('sandbox', 'try', 'touch /usr/share; touch made')
    expect(tried.code).toBe(hasSandbox ? 0 : 125)
    expect(tried.stderr).toContain(hasSandbox ? 'Read-only file system' : 'No sandbox available')
  })

  it('reports invalid arguments', async () => {
    expect(await trestle('sandbox')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Specify an action') as string,
    })
    expect(await trestle('sandbox', 'try')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('in quotes') as string,
    })
    expect(await trestle('sandbox', 'statsu')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('status') as string,
    })
    expect(await trestle('sandbox', 'status', '--level', 'project')).toMatchObject({ code: 2 })
  })
})
