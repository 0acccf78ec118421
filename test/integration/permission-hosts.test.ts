import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { TrestleClient } from '../../src/shared/contract'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import type { RuleChoice } from '../../src/shared/model/approval/approval'
import type { TrustView } from '../../src/shared/configuration/customize/customizations'
import { chromium, shown, startOnDouble } from '../support/desktop-fixture'
import { startModelServer, type ModelServer } from '../support/model-server'
import { nodeSockets } from '../support/node-socket'
import { decidedBy, type Call, type Decision } from '../support/permission-hosts'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { serveApp } from '../support/served-app'
import { endHosts } from '../support/source-task-host'
import { trustProject } from '../support/trust-project'

const rule = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = '''${pattern}'''\n`
const USER =
  rule('deny', 'Bash(rm *)') +
  rule('ask', 'Bash(git push *)') +
  rule('allow', 'Bash(touch *)') +
  rule('allow', 'Bash(mkdir *)')
const PROJECT =
  rule('allow', 'Bash(expr *)') +
  rule('deny', 'Read(secrets)') +
  rule('ask', 'Bash(mkdir *)') +
  rule('allow', 'Bash(rm *)')

/** Each command with the decision before and after the folder is trusted. */
const CALLS: readonly [command: string, untrusted: Decision, trusted: Decision][] = [
  ['ls', 'allow', 'allow'],
  ['rm kept.txt', 'deny', 'deny'],
  ["ls && sh -c 'r\\m kept.txt'", 'deny', 'deny'],
  ['touch made | cat', 'allow', 'allow'],
  ['git push', 'ask', 'ask'],
  ['expr 1 + 1', 'ask', 'allow'],
  ['cat secrets/key', 'allow', 'deny'],
  ['mkdir made-too', 'allow', 'ask'],
  ['expr 2 > out.txt', 'ask', 'ask'],
  ['$(echo expr) 1', 'ask', 'ask'],
]
const COMMANDS = CALLS.map(([command]) => command)
const expected = (trusted: boolean): Decision[] => CALLS.map(([, before, after]) => (trusted ? after : before))

let scratch: Scratch
let server: ModelServer
const cleanups: (() => unknown)[] = []

/** The model makes these calls in every turn, one per step. */
async function script(commands: readonly string[]): Promise<void> {
  await server?.close()
  let step = 0
  server = await startModelServer({
    script: () => {
      const command = commands[step++]
      if (command !== undefined) return { toolCalls: [{ name: 'Bash', input: { command } }] }
      step = 0
      return { text: 'done' }
    },
  })
  writeConfig(scratch.home, configFor(server.baseUrl) + USER)
}

beforeEach(async () => {
  scratch = createScratch({ 'kept.txt': 'x', 'secrets/key': 'the-key-itself' })
  mkdirSync(join(scratch.project, '.trestle'))
  writeFileSync(join(scratch.project, '.trestle', 'config.toml'), PROJECT)
  await script(COMMANDS)
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  await server.close()
  await endHosts(scratch.home)
  scratch.remove()
})

const permission = (...args: string[]) =>
  runCli(['permission', ...args, '--cwd', scratch.project], { home: scratch.home })

function callOf(client: TrestleClient): Call {
  return async (method, input) => {
    const [group = '', name = ''] = method.split('.')
    return (client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]![name]!(
      input,
    )
  }
}

/** The built program's web host, over its socket. */
async function web(): Promise<Call> {
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_HOME: scratch.home })
  const { origin, hash } = new URL(app.url)
  const connection = connect(
    webSocketTransport(nodeSockets().open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
  )
  cleanups.push(() => app.close())
  cleanups.push(() => connection.close())
  return callOf(connection.client)
}

/** The desktop host on Electron's double, over its port, called from its page. */
async function desktop(): Promise<Call> {
  const { home } = scratch
  const started = await startOnDouble({
    openEngine: ({ log }) => createEngine({ version: '9.9.9', home, log, interactive: true, watch: false }),
  })
  const page = await shown(started)
  cleanups.push(async () => {
    started.electron.app.quit()
  })
  return (method, input) => page.evaluate(`page.connection.client.${method}(${JSON.stringify(input)})`)
}

async function trust(call: Call): Promise<void> {
  const { hash, state, parts } = (await call('trust.get', { folder: scratch.project })) as TrustView
  expect([state, parts[0]?.lines]).toEqual([
    'asked',
    ['allow Bash(expr *)', 'deny Read(secrets)', 'ask Bash(mkdir *)', 'allow Bash(rm *)'],
  ])
  await call('trust.accept', { folder: scratch.project, hash })
}

describe('the same rules apply', () => {
  it('in permission check, which reports the rules it ignored', async () => {
    const check = async (): Promise<{ verdict: string; untrusted?: unknown }[]> => {
      const { stdout } = await runCli(['permission', 'check', '--stdin', '--cwd', scratch.project], {
        home: scratch.home,
        stdin: COMMANDS.map((command) => JSON.stringify(command)).join('\n'),
      })
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    const before = await check()
    expect(before.map(({ verdict }) => verdict)).toEqual(expected(false))
    expect(before[0]!.untrusted).toMatchObject({ folder: scratch.project, state: 'asked' })
    expect(await trustProject(scratch.home, scratch.project)).toMatchObject({ state: 'trusted' })
    const after = await check()
    expect(after.map(({ verdict }) => verdict)).toEqual(expected(true))
    expect(after[0]).not.toHaveProperty('untrusted')
    expect(JSON.parse((await permission('untrust')).stdout)).toMatchObject({ state: 'asked' })
    expect((await check()).map(({ verdict }) => verdict)).toEqual(expected(false))
  })

  it('in print mode, where asking means denied, and which reports once that the folder is not trusted', async () => {
    const print = async (): Promise<{ denied: boolean[]; stderr: string }> => {
      const run = await runCli(['print', 'go', '--cwd', scratch.project, '--output-format', 'stream-json'], {
        home: scratch.home,
      })
      const events = run.stdout
        .trimEnd()
        .split('\n')
        .map((line): { type: string; content?: { text?: string }[] } => JSON.parse(line))
      const results = events.flatMap((event) =>
        event.type === 'tool.finished' ? [event.content?.[0]?.text ?? ''] : [],
      )
      return { denied: results.map((text) => text.startsWith('Denied')), stderr: run.stderr }
    }
    const before = await print()
    expect(before.denied).toEqual(expected(false).map((decision) => decision !== 'allow'))
    expect(before.stderr.match(/are off/g)).toHaveLength(1)
    expect(before.stderr).toContain('trestle permission trust')
    await trustProject(scratch.home, scratch.project)
    const after = await print()
    expect(after.denied).toEqual(expected(true).map((decision) => decision !== 'allow'))
    expect(after.stderr).not.toContain('are off')
    expect(after.stderr).toContain('trestle: 7 calls were denied:\n')
    expect(existsSync(join(scratch.project, 'kept.txt'))).toBe(true)
  })

  it.each(['web', 'desktop'] as const)('in the %s host, before and after the folder is trusted there', async (name) => {
    if (name === 'desktop' && chromium === null) return
    const call = await (name === 'web' ? web() : desktop())
    expect(await decidedBy(call, scratch.project, 'ask')).toEqual(expected(false))
    await trust(call)
    expect(await decidedBy(call, scratch.project, 'ask')).toEqual(expected(true))
    writeFileSync(join(scratch.project, '.trestle', 'config.toml'), rule('allow', 'Bash'))
    // Previously accepted rules still restrict; new ones allow nothing.
    expect(await decidedBy(call, scratch.project, 'ask')).toEqual(
      CALLS.map(([command, , after]) => (command.startsWith('expr 1') ? 'ask' : after)),
    )
    expect(await call('trust.get', { folder: scratch.project })).toMatchObject({
      state: 'changed',
      parts: [{ diff: expect.any(String) }],
    })
    expect(existsSync(join(scratch.project, 'kept.txt'))).toBe(true)
  })

  it.each(['web', 'desktop'] as const)(
    'in the %s host: "always" covers what its option showed, deny and ask come first, and config.toml keeps comments',
    async (name) => {
      if (name === 'desktop' && chromium === null) return
      await script(['expr 1 + 1', 'expr 2 + 2', 'expr 3 > out.txt', 'git push; expr 4', 'rm kept.txt'])
      const file = join(scratch.home, 'config.toml')
      writeFileSync(file, `# mine\n${readFileSync(file, 'utf8')}\n# the end\n`)
      const call = await (name === 'web' ? web() : desktop())
      const always =
        (scope: 'session' | 'user') => async (approval: { approvalId: string; summary: string }, sessionId: string) => {
          if (!approval.summary.startsWith('expr 1')) return undefined
          const { approvalId } = approval
          const choices = (await call('approval.choices', { sessionId, approvalId })) as RuleChoice[]
          expect(choices.map(({ pattern }) => pattern)).toEqual(['Bash(expr 1 + 1)', 'Bash(expr *)'])
          const reply = { sessionId, approvalId, optionId: 'allow_always' }
          await expect(call('approval.reply', { ...reply, rule: { pattern: 'Bash', scope } })).rejects.toThrow(
            /choices|valid/,
          )
          await call('approval.reply', { ...reply, rule: { pattern: 'Bash(expr *)', scope } })
          return true
        }
      expect(await decidedBy(call, scratch.project, 'ask', always('session'))).toEqual([
        'ask',
        'allow',
        'ask',
        'ask',
        'deny',
      ])
      // Another session asks again.
      expect(await decidedBy(call, scratch.project, 'ask', always('user'))).toEqual([
        'ask',
        'allow',
        'ask',
        'ask',
        'deny',
      ])
      expect(await decidedBy(call, scratch.project, 'ask')).toEqual(['allow', 'allow', 'ask', 'ask', 'deny'])
      expect(readFileSync(file, 'utf8')).toMatch(
        /^# mine\n[\s\S]*# the end\n\n\[\[permission\.rules\]\]\ndecision = "allow"\npattern = "Bash\(expr \*\)"\n$/,
      )
      const checked = JSON.parse((await permission('check', 'expr 5')).stdout)
      expect(checked).toMatchObject({
        verdict: 'allow',
        rule: { pattern: 'Bash(expr *)', scope: 'user', file, line: expect.any(Number) },
      })
    },
  )
})

it("an agent's command cannot trust a folder", async () => {
  const { stdout } = await permission('show')
  expect(JSON.parse(stdout)).toMatchObject({ state: 'asked' })
  const run = await runCli(['permission', 'trust', '--cwd', scratch.project], {
    home: scratch.home,
    env: { TRESTLE_TASK: 'task-1' },
  })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(JSON.parse((await permission('check', '--mode', 'auto', 'trestle permission trust')).stdout)).toMatchObject({
    verdict: 'ask',
  })
  for (const command of ['trestle mcp add x -- y', 'env -u TRESTLE_TASK node cli.js mcp --project import cursor'])
    expect(JSON.parse((await permission('check', '--mode', 'auto', command)).stdout)).toMatchObject({ verdict: 'ask' })
})
