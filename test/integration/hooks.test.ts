import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HookEvent } from '../../src/shared/configuration/customize/customizations'
import type { ScriptedCall, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { isAlive } from '../support/marked-pids'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { trustProject } from '../support/trust-project'
import { limitNow } from '../support/machine-pace'

interface Written {
  event: HookEvent
  command: string
  matcher?: string
  timeout?: number
}

let scratch: Scratch
let server: ModelServer

beforeEach(() => {
  scratch = createScratch({ 'notes.md': 'one\ntwo\n' })
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const toml = (hooks: readonly Written[]): string =>
  hooks
    .map(
      ({ event, command, matcher, timeout }) =>
        `[[hooks]]\nevent = "${event}"\ncommand = ${JSON.stringify(command)}\n` +
        (matcher === undefined ? '' : `matcher = ${JSON.stringify(matcher)}\n`) +
        (timeout === undefined ? '' : `timeout = ${timeout}\n`),
    )
    .join('\n')

async function play(script: ScriptStep[], hooks: Written[]): Promise<void> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl) + toml(hooks))
}

const print = (mode = 'auto', env: Record<string, string> = {}) =>
  runCli(['print', 'go', '--permission-mode', mode, '--cwd', scratch.project], { home: scratch.home, env })
/** A hook command with its input in `told`. */
const script = (code: string): string =>
  `'${process.execPath}' -e 'const fs = require("fs"), told = JSON.parse(fs.readFileSync(0)); ${code}'`
const calls = (...toolCalls: ScriptedCall[]): ScriptStep => ({ toolCalls })
const bash = (command: string): ScriptedCall => ({ name: 'Bash', input: { command } })
const write = (path: string, content: string): ScriptedCall => ({ name: 'Write', input: { path, content } })
const read = (path: string): string => readFileSync(join(scratch.project, path), 'utf8')
const there = (path: string): boolean => existsSync(join(scratch.project, path))
const told = (path: string): Record<string, unknown>[] =>
  read(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const request = (index: number): string => JSON.stringify(server.requests[index]?.body)

describe('PreToolUse', () => {
  it('blocks a call whatever the mode allows, and tells the model why', async () => {
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      [{ event: 'PreToolUse', matcher: '^Bash$', command: 'cat > told.json; echo "not on a Friday" >&2; exit 2' }],
    )
    expect(await print()).toMatchObject({ code: 3, stdout: 'ok\n' })
    expect(there('made')).toBe(false)
    expect(request(1)).toContain('not on a Friday')
    expect(told('told.json')).toEqual([
      expect.objectContaining({
        hook_event_name: 'PreToolUse',
        session_id: expect.any(String),
        cwd: scratch.project,
        tool_name: 'Bash',
        tool_input: { command: 'touch made' },
        summary: 'touch made',
      }),
    ])
  })

  it.each([
    '{"decision":"deny","reason":"in JSON"}',
    '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"in JSON"}}',
  ])('can deny by a JSON answer: %s', async (answer) => {
    await play([calls(bash('touch made')), { text: 'ok' }], [{ event: 'PreToolUse', command: `echo '${answer}'` }])
    await print()
    expect(there('made')).toBe(false)
    expect(request(1)).toContain('in JSON')
  })

  it('cannot allow what the rules deny', async () => {
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      [
        {
          event: 'PreToolUse',
          command: `echo '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"allow"}}'`,
        },
      ],
    )
    await print('ask')
    expect(there('made')).toBe(false)
    expect(request(1)).toContain('no user is available')
  })

  it('fails without breaking anything', async () => {
    const commands = [
      'exit 1',
      'kill -9 $$',
      '/no/such/program',
      'exec 0<&- 1>&- 2>&-',
      'echo "{broken"',
      'echo "[]"',
      'exit 3; exit 2',
    ]
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      commands.map((command) => ({ event: 'PreToolUse', command })),
    )
    expect(await print()).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(there('made')).toBe(true)
  })

  it('runs only for its matcher, identical commands once, and all of them in parallel', async () => {
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      [
        { event: 'PreToolUse', matcher: 'Write|Edit', command: 'touch wrong' },
        { event: 'PreToolUse', command: 'echo x >> once' },
        { event: 'PreToolUse', matcher: '*', command: 'echo x >> once' },
        // Each waits for the other, so in sequence they would never end.
        { event: 'PreToolUse', command: 'mkfifo a 2>/dev/null; echo x > a' },
        { event: 'PreToolUse', command: 'until [ -p a ]; do sleep 0.01; done; cat a > met' },
      ],
    )
    await print()
    expect(there('wrong')).toBe(false)
    expect(read('once')).toBe('x\n')
    expect(read('met')).toBe('x\n')
    expect(there('made')).toBe(true)
  })
})

describe('hooks on writes', () => {
  it('change the content one after another, and the model learns what is in the file', async () => {
    await play(
      [
        calls(write('src/a.txt', 'hello')),
        calls({ name: 'Edit', input: { path: 'src/a.txt', old_string: 'HELLO', new_string: 'bye' } }),
        { text: 'ok' },
      ],
      [
        {
          event: 'beforeWriteFile',
          matcher: '^src/',
          command: script('console.log(JSON.stringify({ content: told.content.toUpperCase() }))'),
        },
        { event: 'beforeWriteFile', command: script('console.log(JSON.stringify({ content: told.content + "!" }))') },
        { event: 'afterWriteFile', command: script('fs.appendFileSync("after", told.path + "\\n")') },
        { event: 'PostToolUse', matcher: 'Write', command: 'cat > told.json' },
      ],
    )
    await print()
    expect(request(1)).toContain('A hook changed what was written')
    expect(request(1)).toContain('+HELLO!')
    expect(read('src/a.txt')).toBe('BYE!!')
    expect(read('after')).toBe(`${join(scratch.project, 'src/a.txt')}\n`.repeat(2))
    expect(told('told.json')).toEqual([
      expect.objectContaining({
        tool_name: 'Write',
        tool_result: { text: expect.stringContaining('HELLO!'), is_error: false },
      }),
    ])
  })

  it('cancel a write, leaving nothing on disk', async () => {
    await play(
      [calls(write('deep/new.txt', 'secret')), { text: 'ok' }],
      [{ event: 'beforeWriteFile', command: 'grep -q secret && echo "no secrets" >&2 && exit 2' }],
    )
    await print()
    expect(there('deep')).toBe(false)
    expect(request(1)).toMatch(/A hook cancelled the write, so nothing was written: no secrets/)
  })

  it('leave a write unchanged when they answer nonsense', async () => {
    await play(
      [calls(write('a.txt', 'meant')), { text: 'ok' }],
      [{ event: 'beforeWriteFile', command: 'echo "{\\"content\\": 7}"' }],
    )
    await print()
    expect(read('a.txt')).toBe('meant')
  })
})

describe('hooks on prompts and ends', () => {
  it('keep a prompt from the model, and it is not recorded', async () => {
    await play(
      [{ text: 'never' }],
      [
        {
          event: 'UserPromptSubmit',
          command: `${script('fs.writeFileSync("prompt", told.prompt)')}; echo "not that" >&2; exit 2`,
        },
      ],
    )
    const run = await print()
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('not that')
    expect(read('prompt')).toBe('go')
    expect(server.requests).toHaveLength(0)
  })

  it('keep the agent working when it wants to end, up to a limit', async () => {
    const steps: ScriptStep[] = Array.from({ length: 30 }, (_, index) => ({ text: `answer ${index}` }))
    await play(steps, [{ event: 'Stop', command: `cat >> told.json; echo 'run the tests first' >&2; exit 2` }])
    expect(await print()).toMatchObject({ code: 0, stdout: expect.stringContaining('answer 10') })
    expect(request(1)).toContain('run the tests first')
    expect(server.requests).toHaveLength(11)
    expect(told('told.json').slice(0, 2)).toEqual([
      expect.objectContaining({ answer: 'answer 0', stop_hook_active: false }),
      expect.objectContaining({ answer: 'answer 1', stop_hook_active: true }),
    ])
  })

  it('run at the start and the end of a session, and when a task has finished', async () => {
    const step = { name: 'Bash', input: { command: 'echo done', run_in_background: true, description: 'says done' } }
    await play(
      [
        calls(step),
        calls({ name: 'TaskOutput', input: { task_id: 'x', block: true } }),
        calls(bash('sleep 1')),
        { text: 'ok' },
      ],
      (['SessionStart', 'TaskFinished', 'Notification', 'SessionEnd'] as const).map((event) => ({
        event,
        command: `cat > ${event}.json`,
      })),
    )
    await print()
    expect(told('SessionStart.json')).toMatchObject([{ source: 'new' }])
    expect(told('TaskFinished.json')).toMatchObject([{ command: 'echo done', status: 'completed', exit_code: 0 }])
    expect(told('Notification.json')).toMatchObject([{ type: 'task.completed' }])
    expect(told('SessionEnd.json')).toMatchObject([{ reason: 'closed' }])
  })
})

describe('hook processes', () => {
  it('end at the time limit, including daemons and those that ignore SIGTERM, and the turn continues', async () => {
    const stubborn = `trap '' TERM; echo $$ > pid; setsid sh -c 'trap "" TERM; echo $$ > daemon; sleep 600' & sleep 600`
    await play([calls(bash('touch made')), { text: 'ok' }], [{ event: 'PreToolUse', timeout: 3, command: stubborn }])
    const from = Date.now()
    expect(await print()).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(Date.now() - from).toBeLessThan(limitNow(20_000))
    expect(there('made')).toBe(true)
    for (const file of ['pid', 'daemon']) expect(isAlive(Number(read(file)))).toBe(false)
  })

  it('leave no process behind when they end immediately and a child still holds their output', async () => {
    const daemonise =
      "sh -c 'echo $$ > near; exec sleep 600' & setsid sh -c 'echo $$ > far; " +
      "exec sleep 600' & until [ -s near ] && [ -s far ]; do sleep 0.01; done"
    await play([calls(bash('touch made')), { text: 'ok' }], [{ event: 'PreToolUse', command: daemonise }])
    expect(await print()).toMatchObject({ code: 0, stdout: 'ok\n' })
    for (const file of ['near', 'far']) expect(isAlive(Number(read(file)))).toBe(false)
  })

  it("may print without end: the output is dropped, and the other hooks' answers count", async () => {
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      [
        { event: 'PreToolUse', command: 'head -c 300000000 /dev/zero' },
        { event: 'PreToolUse', command: 'head -c 3000000 /dev/zero | tr "\\\\0" x >&2; exit 2' },
      ],
    )
    expect(await print()).toMatchObject({ code: 3 })
    expect(there('made')).toBe(false)
    expect(request(1).length).toBeLessThan(60_000)
  })

  it("see no keys, and carry Trestle's process tag", async () => {
    await play([calls(bash('true')), { text: 'ok' }], [{ event: 'PreToolUse', command: 'env > env' }])
    const keys = {
      OPENAI_API_KEY: 'the-openai-key',
      ANTHROPIC_API_KEY: 'the-anthropic-key',
      TRESTLE_SHELL_PATH: '/bin/bash',
    }
    await print('auto', keys)
    const env = read('env')
    expect(env).not.toMatch(/the-openai-key|the-anthropic-key|test-key-of-the-config/)
    expect(env).toMatch(/^TRESTLE_TASK=hook-/m)
    expect(env).toMatch(/^TRESTLE_CUSTODY=/m)
    expect(env).not.toMatch(/TRESTLE_HOME/)
  })

  it('end when the user stops the turn', async () => {
    await play(
      [calls(bash('touch made')), { text: 'ok' }],
      [{ event: 'PreToolUse', timeout: 600, command: 'echo $$ > pid; sleep 600' }],
    )
    const child = startCli(['print', 'go', '--permission-mode', 'auto', '--cwd', scratch.project], {
      home: scratch.home,
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    await until(() => there('pid') && read('pid') !== '', 'the hook to run')
    child.kill('SIGINT')
    expect(await closed).toBe(130)
    expect(isAlive(Number(read('pid')))).toBe(false)
    expect(there('made')).toBe(false)
  })
})

describe('project hooks', () => {
  const own = (hooks: Written[]): void => {
    mkdirSync(join(scratch.project, '.trestle'), { recursive: true })
    writeFileSync(join(scratch.project, '.trestle', 'config.toml'), toml(hooks))
  }
  const permission = async (action: string) =>
    JSON.parse((await runCli(['permission', action, '--cwd', scratch.project], { home: scratch.home })).stdout)
  const deny: Written = { event: 'PreToolUse', command: 'echo x >> ran; echo no >&2; exit 2' }
  const step = [calls(bash('touch made')), { text: 'ok' }]

  it('are off until they are trusted, and new ones require approval again', async () => {
    await play([...step, ...step, ...step], [])
    own([deny])
    expect((await print()).stderr).toContain('are off')
    expect(there('ran')).toBe(false)
    expect(there('made')).toBe(true)
    expect((await permission('show')).parts).toEqual([
      {
        kind: 'hooks',
        file: join(scratch.project, '.trestle', 'config.toml'),
        lines: [`on PreToolUse run, for at most 30 s: ${deny.command}`],
      },
    ])
    await trustProject(scratch.home, scratch.project)
    await print()
    expect(read('ran')).toBe('x\n')
    expect(request(3)).toContain('A hook denied this call: no')
    // The accepted hook still blocks; the one added later does nothing.
    own([
      { event: 'PreToolUse', command: 'touch later' },
      { event: 'SessionStart', command: 'touch later' },
    ])
    expect((await permission('show')).state).toBe('changed')
    await print()
    expect(there('later')).toBe(false)
    expect(read('ran')).toBe('x\nx\n')
  })
})

it('are reported with the line when invalid, and the valid ones still run', async () => {
  await play(
    [calls(bash('touch made')), { text: 'ok' }],
    [
      { event: 'BeforeTool' as HookEvent, command: 'x' },
      { event: 'PreToolUse', command: 'x', matcher: '(' },
      { event: 'PreToolUse', command: 'x', timeout: 601 },
      { event: 'PreToolUse', command: 'exit 2' },
    ],
  )
  const { stderr } = await print()
  const lines = readFileSync(join(scratch.home, 'config.toml'), 'utf8').split('\n')
  for (const wrong of ['event = "BeforeTool"', 'matcher = "("', 'timeout = 601'])
    expect(stderr).toContain(`config.toml:${lines.indexOf(wrong) + 1}:`)
  expect(there('made')).toBe(false)
})
