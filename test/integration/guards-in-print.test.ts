import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer | undefined

beforeEach(() => {
  scratch = createScratch({ 'a.txt': 'old text\n' })
})
afterEach(async () => {
  await server?.close()
  server = undefined
  scratch.remove()
})

/** One turn of the built program in Auto with this script. */
async function play(
  script: ScriptStep[],
  { config = '', env = {} }: { config?: string; env?: Record<string, string> } = {},
): Promise<CliRun> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, `${configFor(server.baseUrl)}${config}`)
  return runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', 'auto'], { home: scratch.home, env })
}

/** Everything sent to the model. */
const sent = (): string => JSON.stringify(server!.requests.map(({ body }) => body))
const bash = (command: string) => ({ name: 'Bash', input: { command } })

it('repeats an identical command that changes something, and reads a file again that was edited in between', async () => {
  const read = { name: 'Read', input: { path: 'a.txt' } }
  await play([
    { toolCalls: [read] },
    {
      toolCalls: [
        read,
        read,
        { name: 'Edit', input: { path: 'a.txt', old_string: 'old text', new_string: 'new text' } },
        read,
        bash('echo x >> f'),
        bash('echo x >> f'),
      ],
    },
    { text: 'done' },
  ])
  expect(readFileSync(join(scratch.project, 'f'), 'utf8')).toBe('x\nx\n')
  const results = JSON.stringify(server!.requests.at(-1)!.body)
  expect(results).toContain('new text')
  expect(results.match(/Same as the call above; not run again\./g)).toHaveLength(1)
})

it('keeps secrets of the environment from commands and hooks, and passes the variables in pass_env', async () => {
  const secrets = {
    GITHUB_TOKEN: 'the-github-secret',
    AWS_SECRET_ACCESS_KEY: 'the-aws-secret',
    DATABASE_URL: 'postgres://me:the-database-secret@db/x',
    INNOCENT: 'ghp_theValueSecret0123456789theValueSecret',
    DEPLOY_TOKEN: 'the-passed-secret',
  }
  const hook = '[[hooks]]\nevent = "UserPromptSubmit"\ncommand = "env > hook-env"\n'
  await play([{ toolCalls: [bash('env; cat hook-env')] }, { text: 'done' }], {
    config: `[tools]\npass_env = ["DEPLOY_TOKEN"]\n${hook}`,
    env: { ...secrets, HARMLESS: 'shown' },
  })
  expect(sent()).not.toMatch(/the-(?:github|aws|database)-secret|theValueSecret/)
  expect(sent().match(/HARMLESS=shown/g)).toHaveLength(2)
  expect(sent().match(/DEPLOY_TOKEN=the-passed-secret/g)).toHaveLength(2)
})

it('sends no key or secret that poses as AGENTS.md or a skill, and names the excluded file', async () => {
  const outside = join(dirname(scratch.project), 'user', '.ssh', 'id_rsa')
  mkdirSync(dirname(outside), { recursive: true })
  writeFileSync(outside, 'THE-PRIVATE-KEY')
  writeFileSync(join(scratch.project, '.env'), 'KEY=THE-ENV-SECRET')
  execFileSync('git', ['init', '-q', scratch.project])
  mkdirSync(join(scratch.project, 'sub'))
  symlinkSync('../user/.ssh/id_rsa', join(scratch.project, 'AGENTS.md'))
  symlinkSync('.env', join(scratch.project, 'CLAUDE.md'))
  const skill = join(scratch.project, '.claude', 'skills', 'evil')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(dirname(outside), 'SKILL.md'), '---\nname: evil\ndescription: THE-PRIVATE-SKILL\n---\nx\n')
  symlinkSync(join(dirname(outside), 'SKILL.md'), join(skill, 'SKILL.md'))
  const { stderr } = await play([{ text: 'done' }])
  expect(sent()).not.toMatch(/THE-(?:PRIVATE|ENV)/)
  expect(stderr).toMatch(/AGENTS\.md is not used as instructions\. It is a link to .*outside the project/)
  expect(stderr).toMatch(/CLAUDE\.md is not used as instructions\. .*sensitive/)
})
