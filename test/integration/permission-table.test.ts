import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgeCommand, rulesOf } from '../support/judge-command'
import { COMMANDS, IN_AUTO, RULES } from '../support/permission-cases'

const linesOf = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '..', 'support', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line))

let base: string
let cwd: string

beforeAll(() => {
  // Not in a temporary folder, where removing files is not dangerous.
  const modules = realpathSync(join(import.meta.dirname, '..', '..', 'node_modules'))
  const place = /^\/(private\/)?(var\/)?tmp\//.test(modules) ? homedir() : modules
  base = realpathSync(mkdtempSync(join(place, '.trestle-table-')))
  cwd = join(base, 'project')
  mkdirSync(join(cwd, 'src', 'secrets'), { recursive: true })
  mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true })
  for (const name of ['.husky', '.github/workflows']) mkdirSync(join(cwd, 'pack', name), { recursive: true })
  writeFileSync(join(cwd, 'a.txt'), 'a\n')
  symlinkSync('/etc', join(cwd, 'link'))
  symlinkSync('.git', join(cwd, 'git-link'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('the table of commands', () => {
  it('has at least 150 commands, without duplicates', () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(150)
    expect(new Set(COMMANDS.map(([, command]) => command)).size).toBe(COMMANDS.length)
  })

  it.each(COMMANDS)('%s: %j', async (expected, command) => {
    const checked = await judgeCommand(command, { cwd, rules: rulesOf(...RULES) })
    expect([checked.verdict, checked.reason]).toEqual([expected, expect.any(String)])
  })

  it.each(COMMANDS.filter(([expected]) => expected === 'deny'))(
    'keeps the verdict of deny rules in Auto (%s): %j',
    async (_expected, command) => {
      expect((await judgeCommand(command, { cwd, rules: rulesOf(...RULES), mode: 'auto' })).verdict).toBe('deny')
    },
  )

  it.each(IN_AUTO)('in Auto %s: %j', async (expected, command) => {
    expect((await judgeCommand(command, { cwd, mode: 'auto' })).verdict).toBe(expected)
  })

  it('asks in Auto about every dangerous command, and says in a sentence what it would do', async () => {
    const passed: unknown[] = []
    for (const command of linesOf('dangerous-commands.jsonl')) {
      const { verdict, reason } = await judgeCommand(command, { cwd, mode: 'auto' })
      if (verdict !== 'ask' || !/^(?:`.*`: )?[A-Za-z].*\.$/s.test(reason)) passed.push([command, verdict, reason])
    }
    expect(passed).toEqual([])
  })

  it('does not ask in Auto about commands that only look dangerous', async () => {
    const asked: unknown[] = []
    for (const command of linesOf('harmless-commands.jsonl')) {
      const { verdict, reason } = await judgeCommand(command, { cwd, mode: 'auto' })
      if (verdict !== 'allow') asked.push([command, reason])
    }
    expect(asked).toEqual([])
  })

  it.each([
    ['allow', 'git log | head -3'],
    ['deny', 'npm test'],
    ['deny', 'echo x > f'],
    ['deny', 'git status && touch x'],
    ['deny', 'eval "$x"'],
  ])('in plan mode %s: %s', async (expected, command) => {
    const rules = rulesOf('allow Bash', 'allow Write')
    expect((await judgeCommand(command, { cwd, mode: 'plan', rules })).verdict).toBe(expected)
  })

  it('allows redirections in Accept edits only inside the project', async () => {
    const verdict = async (command: string): Promise<string> =>
      (await judgeCommand(command, { cwd, mode: 'accept-edits' })).verdict
    expect(await verdict('echo x > src/new.txt')).toBe('allow')
    expect(await verdict('echo x > ../new.txt')).toBe('ask')
    expect(await verdict('cd .. && echo x > new.txt')).toBe('ask')
    expect(await verdict('cd "$x" && echo x > new.txt')).toBe('ask')
    expect(await verdict('echo x > link/new.txt')).toBe('ask')
    expect(await verdict('echo x > git-link/hooks/x')).toBe('ask')
    expect(await verdict('echo x > .env')).toBe('deny')
    expect(await verdict('while true; do cd ..; echo x > new.txt; done')).toBe('ask')
    expect(await verdict(`echo x > ${homedir()}/.bashrc`)).toBe('ask')
  })

  it('says which rule decided, and where it is defined', async () => {
    const { rule, segments } = await judgeCommand('ls; sudo rm x', {
      cwd,
      rules: rulesOf('allow Bash(ls *)', 'deny Bash(rm *)'),
    })
    expect(rule).toEqual({ decision: 'deny', pattern: 'Bash(rm *)', scope: 'user', file: 'config.toml', line: 2 })
    expect(segments.map((segment) => segment.verdict)).toEqual(['allow', 'ask', 'deny'])
  })

  it.each([
    ['deny', 'deny Read(src/secrets)', 'cat src/secrets/key'],
    ['deny', 'deny Read(src/secrets/**)', 'cd src && cat secrets/key'],
    ['deny', 'deny Read(SRC/Secrets)', 'head -n1 < src/secrets/key'],
    ['deny', 'deny Write(src/**)', 'echo x > src/a'],
    ['deny', 'deny Write(src/**)', 'cp a.txt src/a'],
    ['deny', 'deny Read(/etc/hosts)', 'cat link/hosts'],
    ['deny', 'deny Read(link/**)', 'cat link/hosts'],
    ['allow', 'allow Write(src/**)', 'echo x > src/a'],
    ['ask', 'allow Write(src/**)', 'echo x > a'],
    ['ask', 'allow Write(src/*)', 'echo x > src/secrets/a'],
  ])('%s with the rule %s: %s', async (expected, rule, command) => {
    expect((await judgeCommand(command, { cwd, rules: rulesOf(rule) })).verdict).toBe(expected)
  })
})
