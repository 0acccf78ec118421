import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { judgeCommand, rulesOf } from '../support/judge-command'
import { longCommands, piece } from '../support/long-commands'

const LIMIT_MS = 50
const CASES = Number(process.env['FUZZ_CASES'] ?? 60)
const RULES = rulesOf(
  'deny Bash(rm *)',
  'deny Read(**/secret.txt)',
  'ask Bash(git push *)',
  'allow Bash(git *)',
  'allow Write(src/**)',
)

let cwd: string
beforeAll(async () => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-time-')))
  mkdirSync(join(cwd, 'deep', 'a'.repeat(200)), { recursive: true })
  for (let index = 0; index < 2000; index += 1) writeFileSync(join(cwd, 'deep', `${'c'.repeat(60)}${index}`), '')
  // Warm-up: the bash grammar is loaded once, and the first commands are judged by code that is not compiled yet.
  for (const command of ['cat $x', 'ls && $(ls)', 'grep -r x .']) await judgeCommand(command, { cwd, rules: RULES })
  for (const command of Object.values(longCommands()).slice(0, 6)) await judgeCommand(command, { cwd, rules: RULES })
})

afterAll(() => rmSync(cwd, { recursive: true, force: true }))

/** Processor time for judging a command, in ms; the clock would include other work on the machine. */
async function measured(command: string, rules = RULES): Promise<{ took: number; verdict: string }> {
  const started = process.threadCpuUsage()
  const { verdict } = await judgeCommand(command, { cwd, rules, mode: 'auto' })
  const { user, system } = process.threadCpuUsage(started)
  const took = (user + system) / 1000
  return { took, verdict }
}

/** The shortest of several times, because some runs include garbage collection or uncompiled code. */
async function quickest(command: string, { rules = RULES, runs = 3 } = {}): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && least >= LIMIT_MS; run += 1)
    least = Math.min(least, (await measured(command, rules)).took)
  return least
}

it.each(Object.entries(longCommands()))('decides in time about %s', async (_name, command) => {
  expect(command.length).toBeLessThanOrEqual(10_000)
  expect(await quickest(command)).toBeLessThan(LIMIT_MS)
})

it('decides in time about any line of ten thousand characters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.boolean(), async (pieces, repeats) => {
      const once = pieces.join('')
      const line = (repeats ? once.repeat(Math.ceil(10_000 / once.length)) : once + once.at(-1)!.repeat(10_000)).slice(
        0,
        10_000,
      )
      expect(await quickest(line)).toBeLessThan(LIMIT_MS)
    }),
    { numRuns: CASES },
  )
})

it('decides in time with thousands of rules', async () => {
  const many = rulesOf(
    ...Array.from({ length: 3000 }, (_, index) => `deny Bash(git push *${'a*'.repeat(20)}${index})`),
    ...Array.from({ length: 3000 }, (_, index) => `deny Read(**/${'*a'.repeat(20)}/{x,y}${index})`),
  )
  const commands = [`git push ${'a'.repeat(5000)}`, `cat ${'deep/aaaa '.repeat(900)}`, 'ls; '.repeat(400)]
  for (const command of commands) {
    expect(await quickest(command, { rules: many, runs: 5 })).toBeLessThan(LIMIT_MS)
  }
})

it('allows nothing that it could not check in time, in any mode', async () => {
  const slow = `cat ${'deep/*c*c*c*c*c*c*c*c*z '.repeat(300)}; rm kept`
  for (const mode of ['ask', 'accept-edits', 'auto'] as const)
    expect((await judgeCommand(slow, { cwd, mode })).verdict).toBe('ask')
  expect((await judgeCommand(slow, { cwd, mode: 'plan' })).verdict).toBe('deny')
})

it('does not block other work while it checks a long command', async () => {
  let others = 0
  let judging = true
  const other = (): void => {
    others += 1
    if (judging) setImmediate(other)
  }
  setImmediate(other)
  await measured(Array.from({ length: 400 }, (_, index) => `cat src/${index}/*`).join(';'))
  judging = false
  // Without a pause, no other work would have run at all.
  expect(others).toBeGreaterThan(0)
})
