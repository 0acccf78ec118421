import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Hook } from '../config/agent-settings/hook-settings'
import { SandboxMissing, type ProgramSandboxes } from '../sandbox/program-sandboxes'
import type { HookEnd } from './hook-process'
import { createHookRunner, hookAnswer } from './hook-runner'
import { createHooks } from './hooks'

it('no run has a negative duration if the clock is set back during it', async () => {
  let clock = Date.UTC(2026, 0, 1)
  const hook: Hook = { event: 'Stop', command: 'true', timeoutMs: 20_000, scope: 'user', file: 'config.toml', index: 0 }
  const runner = createHookRunner({
    home: tmpdir(),
    env: () => ({ PATH: process.env['PATH'] ?? '' }),
    hooksOf: async () => [hook],
    now: () => (clock -= 3_600_000),
  })
  await runner.run(
    { event: hook.event, sessionId: 's', folder: tmpdir(), subject: '', payload: {} },
    new AbortController().signal,
  )
  const [run] = runner.runs()
  expect(run).toMatchObject({ exitCode: 0 })
  expect(run!.durationMs).toBeGreaterThanOrEqual(0)
  expect(run!.durationMs).toBeLessThan(20_000)
  await runner.close(0)
})

it('starts a hook again if its sandbox could not be created, and blocks only after three attempts', async () => {
  const hook: Hook = {
    event: 'PreToolUse',
    command: 'echo no >&2; exit 2',
    timeoutMs: 20_000,
    scope: 'user',
    file: 'config.toml',
    index: 0,
    sandbox: 'project',
  }
  let failures = 2
  let asked = 0
  const policy: ProgramSandboxes['policy'] = async () => {
    asked += 1
    if (failures-- > 0) throw new Error('The project changed.')
    return undefined
  }
  const runner = createHookRunner({
    home: tmpdir(),
    env: () => ({ PATH: process.env['PATH'] ?? '' }),
    hooksOf: async () => [hook],
    sandboxes: { policy, describe: async () => ({ level: 'unrestricted', network: 'open' }) },
    now: Date.now,
  })
  const run = () =>
    runner.run(
      { event: hook.event, sessionId: 's', folder: tmpdir(), subject: '', payload: {} },
      new AbortController().signal,
    )
  expect(await run()).toEqual([expect.objectContaining({ outcome: 'blocked', reason: expect.stringMatching(/no$/) })])
  expect(asked).toBe(3)
  failures = 3
  expect(await run()).toEqual([
    expect.objectContaining({ outcome: 'blocked', reason: expect.stringContaining('The project changed.') }),
  ])
  expect(asked).toBe(6)
  await runner.close(0)
})

it.skipIf(process.platform === 'win32')('does not read ~/.bashrc, also without SHLVL', async () => {
  const home = mkdtempSync(join(tmpdir(), 'hook-home-'))
  writeFileSync(join(home, '.bashrc'), 'echo "from .bashrc" >&2\n')
  const hook: Hook = {
    event: 'PreToolUse',
    command: 'echo "from the hook" >&2; exit 2',
    timeoutMs: 20_000,
    scope: 'user',
    file: 'config.toml',
    index: 0,
  }
  const runner = createHookRunner({
    home,
    env: () => ({ PATH: process.env['PATH'] ?? '', HOME: home }),
    hooksOf: async () => [hook],
    now: Date.now,
  })
  const run = { event: hook.event, sessionId: 's', folder: home, subject: '', payload: {} }
  const [answer] = await runner.run(run, new AbortController().signal)
  expect(answer).toMatchObject({ outcome: 'blocked', reason: expect.stringMatching(/^(?!.*bashrc).*from the hook$/s) })
  await runner.close(0)
  rmSync(home, { recursive: true })
})

describe('the answer of a hook', () => {
  const ended = (end: Partial<HookEnd>): HookEnd => ({
    exitCode: 0,
    stdout: '',
    stdoutCut: false,
    stderr: '',
    output: '',
    cutBytes: 0,
    ...end,
  })

  it('blocks blockable events if the project was changed to keep the hook from running', () => {
    const end = ended({ problem: '/p/sub changed while the sandbox was being set up.', wasKeptOut: true })
    expect(hookAnswer('PreToolUse', end)).toEqual({
      outcome: 'blocked',
      reason:
        'A hook could not be run: /p/sub changed while the sandbox was being set up. ' +
        'Correct that, or turn the hook off.',
    })
    expect(hookAnswer('PostToolUse', end)).toMatchObject({ outcome: 'failed' })
  })

  it('passes without an answer, and with output that is not an object', () => {
    for (const stdout of ['', 'all good', '[1]', '"deny"', '{}', '{"decision":"approve"}'])
      expect(hookAnswer('PreToolUse', ended({ stdout }))).toEqual({ outcome: 'passed' })
  })

  it('blocks with exit code 2, with the reason from stderr or, if that is empty, from stdout', () => {
    expect(hookAnswer('PreToolUse', ended({ exitCode: 2, stderr: ' No. \n', stdout: 'x' }))).toEqual({
      outcome: 'blocked',
      reason: 'No.',
    })
    expect(hookAnswer('Stop', ended({ exitCode: 2, stdout: 'Not yet' }))).toMatchObject({ reason: 'Not yet' })
    expect(hookAnswer('Stop', ended({ exitCode: 2 }))).toMatchObject({ reason: 'It gave no reason.' })
  })

  it.each([
    ['{"decision":"deny","reason":"No."}'],
    ['  {"decision":"block","reason":"No."}\n'],
    ['{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"No."}}'],
  ])('blocks with %s', (stdout) =>
    expect(hookAnswer('PreToolUse', ended({ stdout }))).toEqual({ outcome: 'blocked', reason: 'No.' }),
  )

  it('blocks when the reason it gives is too long to be read, such as the command it denies', () => {
    for (const stdout of [
      '{"decision": "deny","reason":"rm a b',
      '{"hookSpecificOutput":{"permissionDecision":"deny","',
    ])
      expect(hookAnswer('PreToolUse', ended({ stdout, stdoutCut: true }))).toMatchObject({ outcome: 'blocked' })
  })

  it('blocks nothing at an event that cannot be blocked', () => {
    for (const end of [{ exitCode: 2 }, { stdout: '{"decision":"block"}' }])
      expect(hookAnswer('PostToolUse', ended(end))).toMatchObject({ outcome: 'failed' })
  })

  it('changes written content only before a file is written', () => {
    const stdout = '{"content":""}'
    expect(hookAnswer('beforeWriteFile', ended({ stdout }))).toEqual({ outcome: 'changed', content: '' })
    expect(hookAnswer('PreToolUse', ended({ stdout }))).toEqual({ outcome: 'passed' })
  })

  it('is ignored if the hook was killed, failed or printed an invalid answer', () => {
    const outcome = (end: Partial<HookEnd>) => hookAnswer('PreToolUse', ended(end)).outcome
    expect(outcome({ cut: 'timed_out', exitCode: 2 })).toBe('timed_out')
    expect(outcome({ cut: 'stopped' })).toBe('stopped')
    for (const end of [
      { exitCode: 1, stdout: '{"decision":"deny"}' },
      { problem: 'It could not be run.' },
      { stdout: '{"decision":' },
      { stdout: '{"decision":7}' },
      { stdout: '{"decision":"approve","reason":"', stdoutCut: true },
    ])
      expect(outcome(end)).toBe('failed')
  })

  it('has a reason of limited length that is never cut within a character', () => {
    const answer = hookAnswer('PreToolUse', ended({ exitCode: 2, stderr: `a${'👋'.repeat(3_000)}` }))
    const { reason } = answer as { reason: string }
    expect(reason).toBe(`a${'👋'.repeat(1_999)}…`)
  })
})

describe('a hook that judges and cannot be started', () => {
  const hook: Hook = {
    event: 'PreToolUse',
    command: 'exit 2',
    timeoutMs: 20_000,
    scope: 'project',
    file: 'config.toml',
    index: 0,
    sandbox: 'project',
  }
  const answerTo = async (
    {
      scope = 'user',
      ...trigger
    }: {
      folder?: string
      payload?: Record<string, unknown>
      event?: 'PostToolUse'
      scope?: 'user' | 'project'
    },
    policy: ProgramSandboxes['policy'] = async () => undefined,
  ) => {
    const runner = createHookRunner({
      home: tmpdir(),
      env: () => ({ PATH: process.env['PATH'] ?? '' }),
      hooksOf: async () => [{ ...hook, scope, event: trigger.event ?? hook.event }],
      sandboxes: { policy, describe: () => Promise.reject(new Error('never asked')) },
      now: () => 0,
    })
    const { event } = hook
    const occasion = { event, sessionId: 's', folder: tmpdir(), subject: '', payload: {}, ...trigger }
    const answers = await runner.run(occasion, new AbortController().signal)
    await runner.close(0)
    return answers[0]
  }

  it('blocks, whatever a command or a model has done to cause that', async () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
    for (const [what, answer] of [
      ['input nested too deeply to be written', answerTo({ payload: { tool_input: deep } })],
      ['a folder that cannot be entered', answerTo({ folder: join(tmpdir(), 'trestle-not-there') })],
      ['a project for which no sandbox can be made', answerTo({}, () => Promise.reject(new Error('A link is there')))],
    ] as const)
      expect([what, await answer]).toEqual([
        what,
        { outcome: 'blocked', reason: expect.stringMatching(/^A hook could not be run: .*[.] Correct that/) },
      ])
    expect(await answerTo({ event: 'PostToolUse', payload: { tool_input: deep } })).toMatchObject({ outcome: 'failed' })
  })

  it('fails where the settings require a sandbox that the machine does not have, unless it is the hook of the user', async () => {
    const missing = (): Promise<never> => Promise.reject(new SandboxMissing('None is available.'))
    expect(await answerTo({ scope: 'project' }, missing)).toMatchObject({ outcome: 'failed' })
    expect(await answerTo({ scope: 'user' }, missing)).toMatchObject({ outcome: 'blocked' })
  })
})

describe('unreadable hooks', () => {
  const unreadable = {
    home: tmpdir(),
    env: () => ({}),
    hooksOf: () => Promise.reject(new Error('permission denied')),
    now: () => 0,
  }

  it('block everything that they might forbid', async () => {
    const runner = createHookRunner(unreadable)
    const signal = new AbortController().signal
    const trigger = { event: 'PreToolUse', sessionId: 's', folder: tmpdir(), subject: '', payload: {} } as const
    await expect(runner.run(trigger, signal)).rejects.toThrow('permission denied')
    await expect(
      runner.runInTurn(
        trigger,
        () => ({}),
        () => undefined,
        signal,
      ),
    ).rejects.toThrow('permission denied')
    await runner.close(0)
  })

  it('are logged for events that they can only watch', async () => {
    const logged: string[] = []
    const hooks = createHooks({ ...unreadable, interactive: true, log: (message) => void logged.push(message) })
    hooks.observe({ id: 's', header: { folder: tmpdir(), turns: 1 } }, 'Notification', '', {})
    await expect.poll(() => logged).toEqual(['The hooks on Notification could not be run: permission denied'])
    await hooks.close()
  })
})
