import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Approval } from '../../src/shared/model/approval/approval'
import type { SessionEvent } from '../../src/shared/events/event'
import { createEngine } from '../../src/main/engine/engine'
import type { ScriptStep } from '../support/model-script'
import { startModelServer } from '../support/model-server'
import { rejection } from '../support/required'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { until } from '../support/until'

/** An engine with a user to ask, and a session in it. */
async function open(script: ScriptStep[], hooks: string) {
  const scratch = createScratch({ 'notes.md': 'one\n' })
  onTestFinished(() => scratch.remove())
  const server = await startModelServer({ script })
  onTestFinished(() => server.close())
  writeConfig(scratch.home, configFor(server.baseUrl) + hooks)
  const engine = await createEngine({ version: '0', home: scratch.home, interactive: true, watch: false })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= engine.close())
  onTestFinished(close)
  const { sessionId } = await engine.sessions.create({ folder: scratch.project })
  const events: SessionEvent[] = []
  engine.sessions.listen(sessionId, (event) => events.push(event))
  const approval = async (nth: number): Promise<Approval> => {
    const found = (): Approval[] =>
      events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval] : []))
    await until(() => found().length > nth, 'a request')
    return found()[nth]!
  }
  // A turn may have to wait for many hook processes.
  const ended = (turns = 1) =>
    until(() => events.filter(({ type }) => type === 'turn.finished').length === turns, 'the end of the turn')
  const path = (name: string): string => join(scratch.project, name)
  const say = (text: string) => engine.sessions.prompt(sessionId, [{ type: 'text', text }])
  return { engine, sessionId, server, project: scratch.project, events, approval, ended, path, say, close }
}

const hook = (event: string, command: string, more = ''): string =>
  `[[hooks]]\nevent = "${event}"\ncommand = ${JSON.stringify(command)}\n${more}\n`
const writes = (content: string): ScriptStep => ({
  toolCalls: [{ name: 'Write', input: { path: 'new.txt', content } }],
})

test('the approval shows, and the call writes, what a hook changed the call to; the hook runs once', async () => {
  // It never returns the same text twice, so the approved text is written only if the hook runs once.
  const stamp = `echo x >> asked; echo "{\\"content\\": \\"made $(wc -l < asked)\\"}"`
  const { engine, sessionId, approval, ended, path, say } = await open(
    [writes('meant'), writes('meant more'), { text: 'ok' }],
    hook('beforeWriteFile', stamp),
  )
  await say('go')
  const first = await approval(0)
  expect(first.preview).toMatchObject({
    kind: 'diff',
    note: 'A hook changed what is written.',
    diff: expect.stringMatching(/^\+made +1$/m),
  })
  await engine.sessions.reply(sessionId, { approvalId: first.approvalId, optionId: 'reject' })
  const second = await approval(1)
  expect(second.preview).toMatchObject({ diff: expect.stringMatching(/^\+made +2$/m) })
  expect(existsSync(path('new.txt'))).toBe(false)
  await engine.sessions.reply(sessionId, { approvalId: second.approvalId, optionId: 'allow_once' })
  await ended()
  expect(readFileSync(path('new.txt'), 'utf8')).toMatch(/^made +2$/)
  expect(readFileSync(path('asked'), 'utf8')).toBe('x\nx\n')
})

test('a hook that denies runs before the approval: the user is not asked, and the reason is recorded', async () => {
  const { ended, events, say } = await open(
    [writes('x'), { text: 'ok' }],
    hook('PreToolUse', 'echo never >&2; exit 2') + hook('Notification', 'touch notified'),
  )
  await say('go')
  await ended()
  expect(events.some(({ type }) => type === 'approval.requested')).toBe(false)
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool.judged', decision: 'deny', reason: 'A hook denied this call: never' }),
  )
})

test('no kind of message bypasses a hook on prompts: sent, steered, queued or edited', async () => {
  const { engine, sessionId, server, approval, events, say } = await open(
    [writes('x'), { text: 'ok' }],
    hook('UserPromptSubmit', 'echo "no curses" >&2; exit 2', 'matcher = "curse"') +
      hook('Notification', 'touch notified'),
  )
  const { sessions } = engine
  const curse = [{ type: 'text' as const, text: 'a curse' }]
  const blocked = { code: 'hook.blocked', message: 'no curses' }
  expect(await rejection(say('a curse'))).toMatchObject(blocked)
  expect(events).toEqual([])
  await say('go')
  await approval(0)
  expect(await rejection(say('a curse'))).toMatchObject(blocked)
  expect(await rejection(sessions.steer(sessionId, { parts: curse }))).toMatchObject(blocked)
  const { promptId } = await say('fine')
  expect(await rejection(sessions.editQueued(sessionId, promptId!, curse))).toMatchObject(blocked)
  expect(sessions.header(sessionId).queue).toMatchObject([{ parts: [{ text: 'fine' }] }])
  await sessions.stop(sessionId)
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('curse')
})

test('the latest runs are kept with their output, both within limits', async () => {
  const { engine, project, ended, path, say, close } = await open(
    [
      {
        toolCalls: Array.from({ length: 60 }, (_, n) => ({
          name: 'Read',
          input: { path: 'notes.md', n_lines: n + 1 },
        })),
      },
      { text: 'ok' },
    ],
    hook('PreToolUse', 'head -c 100000 /dev/zero | tr "\\\\0" x') +
      hook('Stop', 'echo out; echo err >&2; exit 7') +
      hook('SessionEnd', 'touch ended'),
  )
  await say('go')
  await ended()
  const { hooks, runs } = await engine.hooks.list(project)
  expect(hooks).toMatchObject([
    { event: 'PreToolUse', timeoutMs: 30_000, scope: 'user', line: expect.any(Number) },
    {},
    {},
  ])
  expect(runs).toHaveLength(50)
  expect(runs[0]).toMatchObject({ event: 'Stop', outcome: 'failed', exitCode: 7, reason: 'It ended with exit code 7.' })
  expect(runs[0]!.output.split('\n').sort()).toEqual(['', 'err', 'out'])
  expect(runs[1]).toMatchObject({
    event: 'PreToolUse',
    subject: 'Read',
    outcome: 'passed',
    exitCode: 0,
    cutBytes: 100_000 - 32 * 1024,
  })
  expect(runs[1]!.output).toHaveLength(32 * 1024)
  await close()
  expect(existsSync(path('ended'))).toBe(true)
})

test('a prompt that hooks had not checked when the app closed is not sent', async () => {
  const { path, events, server, say, close } = await open(
    [{ text: 'never' }],
    hook('UserPromptSubmit', 'touch started; sleep 600'),
  )
  const saying = rejection(say('go'))
  await until(() => existsSync(path('started')), 'the hook to run')
  await close()
  expect(await saying).toMatchObject({ code: 'hook.blocked' })
  expect(events).toEqual([])
  expect(server.requests).toHaveLength(0)
})
