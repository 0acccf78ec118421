import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import type { RuleList, RuleTest } from '../../src/shared/configuration/customize/rules'
import { runCli } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch()
})
afterEach(() => scratch.remove())

const run = (...words: string[]) => runCli(['permission', ...words, '--cwd', scratch.project], { home: scratch.home })
const json = async <Output>(...words: string[]): Promise<Output> => {
  const { code, stdout, stderr } = await run(...words, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

it('adds, lists, tests and removes rules', async () => {
  expect(await run('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('No rules.') })
  expect(await run('add', 'allow', 'Bash(npm run *)')).toMatchObject({
    code: 0,
    stdout: 'Added: allow Bash(npm run *)\n',
  })
  const { rules } = await json<RuleList>('list')
  expect(rules).toMatchObject([{ decision: 'allow', pattern: 'Bash(npm run *)', scope: 'user', line: 1 }])
  const result = await json<RuleTest>('test', 'npm run build; make')
  expect(result.parts.map(({ verdict }) => verdict)).toEqual(['allow', 'ask'])
  expect(await json<RuleTest>('test', '--tool', 'Write', 'a.txt', '--mode', 'accept-edits')).toMatchObject({
    verdict: 'allow',
  })
  expect((await run('test', 'npm run build')).stdout).toContain('Allowed in the mode ask.')
  expect((await json<RuleList>('remove', 'allow', 'Bash(npm run *)')).rules).toEqual([])
})

it("adds a rule to the project's own file, which stays trusted", async () => {
  await json<RuleList>('add', 'deny', 'Read(secrets/**)', '--project')
  expect(readFileSync(join(scratch.project, '.trestle', 'config.toml'), 'utf8')).toContain('Read(secrets/**)')
  expect(await json<RuleTest>('test', '--tool', 'Read', 'secrets/key')).toMatchObject({ verdict: 'deny' })
})

it('refuses an invalid pattern, and says what to do', async () => {
  expect(await run('add', 'allow', 'Bash(a && b)')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('judged separately'),
  })
  expect(await run('add', 'perhaps', 'Read')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('allow, ask, deny and a pattern'),
  })
  expect(await run('remove', 'allow', 'Read')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no rule allow Read'),
  })
})

it.runIf(process.platform === 'linux')(
  "an agent's command can test rules but not change them",
  { timeout: 180_000 },
  async () => {
    const tasks = createTerminalTasks({
      outputDir: join(scratch.home, 'tasks'),
      home: scratch.home,
      env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    })
    const attempt = async (words: string): Promise<string> => {
      const command = `export TRESTLE_HOME='${scratch.home}'; ${process.execPath} ${CLI} permission ${words}`
      const asked = { command, cwd: scratch.project, timeoutMs: 50_000, signal: new AbortController().signal }
      return (await tasks.run(asked, 46_000)).text
    }
    try {
      expect(await attempt('test "rm -rf build"')).toContain('Asks in the mode ask.')
      for (const words of ['add allow "Bash(rm *)"', 'add allow Bash --project', 'remove deny Read'])
        expect(await attempt(words)).toContain('changing permission rules is for users only')
      expect(existsSync(join(scratch.home, 'config.toml'))).toBe(false)
      expect(existsSync(join(scratch.project, '.trestle'))).toBe(false)
    } finally {
      await tasks.close()
    }
  },
)
