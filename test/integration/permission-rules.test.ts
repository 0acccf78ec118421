import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer | undefined

beforeEach(() => {
  scratch = createScratch({ 'kept.txt': 'x', 'secrets/key': 'the-key-itself' })
})
afterEach(async () => {
  await server?.close()
  server = undefined
  scratch.remove()
})

const rule = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = '''${pattern}'''\n`

/** Runs these commands with the built program in print mode; returns the model's result for each. */
async function runs(commands: string[], rules: string, mode: string): Promise<string[]> {
  server = await startModelServer({
    script: [...commands.map((command) => ({ toolCalls: [{ name: 'Bash', input: { command } }] })), { text: 'done' }],
  })
  writeConfig(scratch.home, configFor(server.baseUrl) + rules)
  const run = await runCli(
    ['print', 'go', '--cwd', scratch.project, '--permission-mode', mode, '--output-format', 'stream-json'],
    {
      home: scratch.home,
    },
  )
  // 3: it ended, and calls were denied.
  expect([0, 3]).toContain(run.code)
  const events = run.stdout
    .trimEnd()
    .split('\n')
    .map((line): { type: string; content?: { text?: string }[] } => JSON.parse(line))
  return events.flatMap((event) =>
    event.type === 'tool.finished' ? [(event.content ?? []).map((part) => part.text ?? '').join('')] : [],
  )
}

it("the built program denies in Auto what a user's rule forbids, however it is written", async () => {
  const results = await runs(
    [
      'rm kept.txt',
      'ls && rm kept.txt',
      "bash -c 'rm kept.txt'",
      'ls kept.txt | xargs rm',
      'r\\m kept.txt',
      '$(echo rm) kept.txt',
      'eval "r""m kept.txt"',
      'touch made',
    ],
    rule('deny', 'Bash(rm *)'),
    'auto',
  )
  expect(results.map((text) => text.startsWith('Denied'))).toEqual([true, true, true, true, true, true, true, false])
  expect(results[0]).toMatch(/deny Bash\(rm \*\) \(.*config\.toml:\d+\)/)
  expect([existsSync(join(scratch.project, 'kept.txt')), existsSync(join(scratch.project, 'made'))]).toEqual([
    true,
    true,
  ])
})

it('in Ask first the built program allows only what a rule allows and what only reads', async () => {
  const results = await runs(
    ['touch made && ls', 'ls | wc -l', 'touch made; mkdir other', 'cat kept.txt > copy'],
    rule('allow', 'Bash(touch *)'),
    'ask',
  )
  expect(results.map((text) => text.startsWith('Denied'))).toEqual([false, false, true, true])
  expect([
    existsSync(join(scratch.project, 'made')),
    existsSync(join(scratch.project, 'other')),
    existsSync(join(scratch.project, 'copy')),
  ]).toEqual([true, false, false])
})

it('dangerous commands are denied in Auto when no user is present', async () => {
  const [removed] = await runs(['cd / && rm -rf "$HOME/trestle-nothing-there"'], '', 'auto')
  expect(removed).toMatch(/no user is available/)
})

it('permission check prints verdicts, and exits with 2 and the line of invalid rules', async () => {
  const file = join(scratch.home, 'rules.toml')
  writeFileSync(file, rule('allow', 'Bash(ls *)') + rule('deny', 'Bash(rm *)'))
  const check = (args: string[], stdin?: string) =>
    runCli(['permission', 'check', '--cwd', scratch.project, ...args], {
      home: scratch.home,
      ...(stdin !== undefined && { stdin }),
    })
  const one = await check(['--rules', file, 'ls; rm x'])
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(one.stdout)).toMatchObject({
    verdict: 'deny',
    rule: { decision: 'deny', pattern: 'Bash(rm *)', scope: 'user', line: 4 },
  })
  const many = await check(
    ['--stdin', '--rules', file, '--mode', 'auto'],
    '"ls"\n"echo \\"a\\\\nb\\"; rm x"\n\n"npm test"\n',
  )
  expect(
    many.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).verdict),
  ).toEqual(['allow', 'deny', 'allow'])
  expect(await check(['--stdin'], 'ls\n')).toMatchObject({ code: 2, stdout: expect.stringContaining('error') })
  writeFileSync(file, `${rule('allow', 'Bash(ls *)')}\n${rule('deny', 'Bash(rm x; ls)')}`)
  const wrong = await check(['--rules', file, 'ls'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(/rules\.toml:7:\d+: pattern .*holds ";"/)
  for (const args of [
    [],
    ['--stdin', 'ls'],
    ['--mode', 'yolo', 'ls'],
    ['--cwd', '/no/such', 'ls'],
    ['--rules', '/no/such', 'ls'],
  ])
    expect((await check(args)).code).toBe(2)
})
