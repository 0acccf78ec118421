import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { inspectCommand } from '../../src/main/engine/approval/command/inspect-command'
import { createWorkspace } from '../../src/main/engine/workspace/workspace'
import { canTrace, effectsOf, effectsScratch, SECRET, type Scratch } from '../support/command-effects'
import { judgeCommand } from '../support/judge-command'
import { readingCommand } from '../support/reading-grammar'
import { RUNS_ALL, sampled } from '../support/sampled'

/** Generated commands that are judged; those that pass without approval are run. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 3000)
const MAX_RUN = Number(process.env['FUZZ_RUNS'] ?? (RUNS_ALL ? 300 : 100))
const AT_ONCE = 50
const linesOf = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '..', 'support', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line))

let scratch: Scratch

beforeAll(() => {
  scratch = effectsScratch(realpathSync(mkdtempSync(join(tmpdir(), 'trestle-effects-'))))
})
afterAll(() => rmSync(scratch.base, { recursive: true, force: true }))

/** Effects beyond reading of commands that passed without approval. */
async function violations(commands: readonly string[]): Promise<[string, string[]][]> {
  const found: [string, string[]][] = []
  for (let at = 0; at < commands.length; at += AT_ONCE) {
    const some = commands.slice(at, at + AT_ONCE)
    const effects = await effectsOf(some, scratch)
    for (const [index, each] of effects.entries()) if (each.length > 0) found.push([some[index]!, each])
  }
  return found
}

it('asks about every command that does more than read project files', async () => {
  const passed: string[] = []
  for (const command of linesOf('more-than-reading.jsonl'))
    if ((await judgeCommand(command, { cwd: scratch.project })).verdict === 'allow') passed.push(command)
  expect(passed).toEqual([])
})

it('allows everyday reading without approval', async () => {
  const asked: unknown[] = []
  for (const command of linesOf('reading-commands.jsonl')) {
    const { verdict, reason } = await judgeCommand(command, { cwd: scratch.project })
    if (verdict !== 'allow') asked.push([command, reason])
  }
  expect(asked).toEqual([])
})

it.each([
  ['core.fsmonitor', './script.sh'],
  ['core.hooksPath', '.'],
  ['diff.external', './script.sh'],
  ['diff.x.textconv', './script.sh'],
  ['filter.x.clean', './script.sh'],
  ['include.path', '../config'],
  ['core.worktree', '/'],
  ['remote.origin.promisor', 'true'],
])('asks before git reads when the setting %s makes it run programs or read elsewhere', async (key, value) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-effects-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const { project } = effectsScratch(base)
  expect((await judgeCommand('git status', { cwd: project })).verdict).toBe('allow')
  const [section, ...names] = key.split('.')
  const name = names.pop()
  const header = names.length > 0 ? `[${section} "${names.join('.')}"]` : `[${section}]`
  appendFileSync(join(project, '.git', 'config'), `${header}\n\t${name} = ${value}\n`)
  const checked = await judgeCommand('git status', { cwd: project })
  expect([checked.verdict, checked.reason]).toEqual(['ask', expect.stringContaining(key.toLowerCase())])
})

it('asks before git reads in a folder of the project that refers to a repository outside', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-effects-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const { project } = effectsScratch(base)
  const inner = join(project, 'inner')
  mkdirSync(inner)
  cpSync(join(project, '.git'), join(base, 'outside', 'other.git'), { recursive: true })
  writeFileSync(join(inner, '.git'), 'gitdir: ../../outside/other.git\n')
  const workspace = createWorkspace({ root: project })
  const parts = await inspectCommand('git log --format=%an', inner, workspace)
  expect(parts.map(({ readOnly, problem }) => [readOnly, problem])).toEqual([
    [false, expect.stringContaining('outside the project')],
  ])
})

it.skipIf(!canTrace())(
  'runs every reading command without changing files, exposing secrets, connecting or starting other programs',
  async () => {
    // All of them are judged above; every second is run.
    expect(await violations(sampled(linesOf('reading-commands.jsonl'), 2))).toEqual([])
    // The sandbox detects it.
    const noticed = await violations([
      'touch made',
      './script.sh',
      'cat .env',
      'cat ../outside/secret.txt',
      'echo x > /dev/tcp/127.0.0.1/9',
      'git show HEAD',
    ])
    expect(noticed.map(([command]) => command)).toHaveLength(6)
    expect(noticed.flatMap(([, effects]) => effects)).toContain('shows a secret')
    expect(SECRET).not.toBe('')
  },
)

it.skipIf(!canTrace())(
  'runs generated commands that pass without approval: they only read',
  async () => {
    const allowed = new Set<string>()
    await fc.assert(
      fc.asyncProperty(readingCommand, async (command) => {
        if (allowed.size >= MAX_RUN || /(?:^|\s)tail\b.*-\w*[fF]/.test(command)) return
        if ((await judgeCommand(command, { cwd: scratch.project })).verdict === 'allow') allowed.add(command)
      }),
      { numRuns: CASES },
    )
    expect(allowed.size).toBeGreaterThan(Math.min(MAX_RUN, CASES / 40))
    expect(await violations([...allowed])).toEqual([])
  },
  Math.max(120_000, CASES * 40),
)
