import { describe, expect, it } from 'vitest'
import { rulesOf } from '../../../../test/support/judge-command'
import { tool } from '../../../../test/support/turn-fixture'
import type { Approval, PermissionMode } from '../../../shared/model/approval/approval'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import { failed, type PreparedCall, type Refusal } from '../tool/tool'
import { createWorkspace } from '../workspace/workspace'
import { TurnSuspended } from '../loop/turn-context'
import { createGate } from './gate'
import { POLICIES } from './policies'
import { type PermissionRule, sessionRules } from '../permission/permission-rule'

const root = import.meta.dirname
const edit: PreparedCall = {
  summary: 'x.ts',
  accesses: [{ kind: 'file', path: `${root}/x.ts`, write: true }],
  rememberAs: { key: `edit:${root}`, label: 'Allow edits here' },
  run: () => Promise.reject(new Error('a gate never runs a call')),
}
const command: PreparedCall = {
  ...edit,
  accesses: [{ kind: 'command', command: 'npm test', cwd: root }],
  rememberAs: { key: 'bash:rm', label: 'Allow exactly this' },
}
const outside: PreparedCall = { ...edit, accesses: [{ kind: 'file', path: '/etc/hosts', write: false }] }
const writer = {
  ...tool({ name: 'Edit' }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
}
const reader = tool({ name: 'Read' })

interface Fixture {
  mode?: PermissionMode
  plan?: { file: string }
  canAsk?: boolean
  rules?: PermissionRule[]
  onRules?: () => void
  keepRules?: () => Promise<void>
  disk?: { isFull: boolean }
}

function fixture({ mode = 'ask', plan, canAsk = true, rules = [], onRules, keepRules, disk }: Fixture = {}) {
  const events: EventBody[] = []
  const held: string[] = []
  const written: string[] = []
  const abort = new AbortController()
  let ids = 0
  const {
    gate,
    reply,
    choices,
    expect: expectAgain,
  } = createGate({
    policies: POLICIES,
    record(...bodies) {
      if (disk?.isFull) throw new CodedError('store.full', 'The disk is full.')
      events.push(...bodies)
      for (const body of bodies)
        if (body.type === 'approval.resolved' && body.rule?.scope === 'session')
          held.push(...body.rule.pattern.split('\n'))
    },
    isOpen: (id) => events.filter((event) => JSON.stringify(event).includes(id)).length === 1,
    describeResolution: () => undefined,
    canAsk: () => canAsk,
    now: () => 0,
    newId: (prefix) => `${prefix}-${(ids += 1)}`,
    stopTurn: () => abort.abort(),
    session: {
      mode: () => mode,
      plan: () => plan,
      workspace: () => createWorkspace({ root }),
      rules: async () => {
        onRules?.()
        return [...rules, ...sessionRules([...held]), ...rulesOf(...written.map((pattern) => `allow ${pattern}`))]
      },
      home: '/home/me/.trestle',
      ownOutput: ['/home/me/.trestle/sessions/s'],
      isRemembered: () => false,
    },
    kept: {
      keepRules: keepRules ?? (async (patterns) => void written.push(...patterns)),
      pastCalls: async () => [],
    },
  })
  /** `again` is the call as it is prepared after it is allowed. */
  const ask = (
    call: PreparedCall,
    which = writer,
    more: { again?: PreparedCall | Refusal; before?: Approval } = {},
  ) => {
    const { again = call, before } = more
    const preview = call.preview ?? (async () => undefined)
    const request = {
      callId: 'c',
      turnId: 't',
      tool: which,
      call,
      preview,
      prepareAgain: async () => again,
      ...(before && { asked: before }),
    }
    return gate(request, abort.signal)
  }
  const asked = () => events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval] : []))
  return {
    ask,
    reply,
    choices,
    expectAgain,
    written,
    events,
    asked,
    rules,
    stop: (reason?: Error) => abort.abort(reason),
    signal: abort.signal,
  }
}

describe('the gate', () => {
  it('allows reading inside the folder, and asks outside it', async () => {
    const { ask, asked } = fixture()
    expect(await ask({ ...edit, accesses: [{ kind: 'file', path: `${root}/a`, write: false }] }, reader)).toMatchObject(
      { allowed: true },
    )
    void ask(outside, reader)
    await expect.poll(() => asked().length).toBe(1)
    expect(asked()[0]!.reason).toContain('/etc/hosts')
  })

  it('reads the rules once for calls that are judged together, and again for the next', async () => {
    let reads = 0
    const rules: PermissionRule[] = []
    const { ask } = fixture({ rules, onRules: () => (reads += 1), canAsk: false })
    const reading = { ...edit, accesses: [{ kind: 'file' as const, path: `${root}/a`, write: false }] }
    await ask(reading, reader)
    reads = 0
    const together = await Promise.all(Array.from({ length: 20 }, () => ask(reading, reader)))
    expect(together.every(({ allowed }) => allowed)).toBe(true)
    expect(reads).toBe(1)
    rules.push(...rulesOf('deny Read'))
    expect(await ask(reading, reader)).toMatchObject({ allowed: false })
  })

  it('protects the TRESTLE_HOME folder in every mode, but lets the model read the output of its own calls', async () => {
    const { ask } = fixture({ mode: 'auto' })
    const file = (path: string, write: boolean): PreparedCall => ({
      ...edit,
      accesses: [{ kind: 'file', path, write }],
    })
    expect(await ask(file('/home/me/.trestle/config.toml', false), reader)).toMatchObject({ allowed: false })
    expect(await ask(file('/home/me/.trestle/sessions/s/x.txt', true))).toMatchObject({ allowed: false })
    const asking = fixture({ canAsk: false })
    expect(await asking.ask(file('/home/me/.trestle/sessions/s/x.txt', false), reader)).toMatchObject({ allowed: true })
    expect(
      await asking.ask({ ...edit, accesses: [{ kind: 'tree', path: '/home/me/.trestle', write: false }] }, reader),
    ).toMatchObject({
      allowed: false,
    })
  })

  it('denies instead of asking when no user is available', async () => {
    const { ask, events } = fixture({ canAsk: false })
    const answer = await ask(edit)
    expect(answer).toMatchObject({ allowed: false })
    expect(events).toEqual([])
  })

  it('accepts edits but not commands in accept-edits mode, and everything in auto mode', async () => {
    const edits = fixture({ mode: 'accept-edits', canAsk: false })
    expect(await edits.ask(edit)).toMatchObject({ allowed: true })
    expect(await edits.ask(command)).toMatchObject({ allowed: false })
    expect(await edits.ask({ ...edit, accesses: [{ kind: 'file', path: '/etc/hosts', write: true }] })).toMatchObject({
      allowed: false,
    })
    const auto = fixture({ mode: 'auto', canAsk: false })
    expect(await auto.ask(command)).toMatchObject({ allowed: true })
  })

  const bash = tool({ name: 'Bash' })
  const commandOf = (text: string): PreparedCall => ({
    ...command,
    accesses: [{ kind: 'command', command: text, cwd: root }],
  })

  it('applies deny rules in every mode, even over earlier approvals, and to everything a command starts', async () => {
    for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
      const { ask } = fixture({
        mode,
        canAsk: false,
        rules: rulesOf('allow Bash', 'deny Bash(rm *)', 'deny Edit(*.ts)', 'deny mcp__x__*'),
      })
      for (const text of ['rm x', 'ls && sudo rm x', "sh -c 'rm x'", 'ls | xargs rm', 'echo $(rm x)'])
        expect(await ask(commandOf(text), bash)).toMatchObject({
          allowed: false,
          message: expect.stringContaining('config.toml:2'),
        })
      expect(await ask(commandOf('npm test'), bash)).toMatchObject({ allowed: true })
      expect(await ask(edit)).toMatchObject({ allowed: false, message: expect.stringContaining('config.toml:3') })
      expect(await ask({ ...edit, accesses: [] }, { ...writer, name: 'mcp__x__y' })).toMatchObject({ allowed: false })
    }
  })

  it('asks even in auto mode when an ask rule matches, names the rule, and offers no useless option', async () => {
    const { ask, asked, stop } = fixture({ mode: 'auto', rules: rulesOf('allow Bash', 'ask Bash(git push *)') })
    const answer = ask(commandOf('git status; git push'), bash)
    await expect.poll(() => asked().length).toBe(1)
    expect(asked()[0]!.reason).toMatch(/git push.*config\.toml:2/)
    expect(asked()[0]!.options.map((option) => option.kind)).toEqual(['allow_once', 'reject_once', 'reject_once'])
    stop()
    await expect(answer).rejects.toThrow('stopped')
  })

  it('asks for everything while a rule is unreadable', async () => {
    const { ask } = fixture({
      mode: 'auto',
      canAsk: false,
      rules: rulesOf('deny Bash(rm *)').map((rule) => ({ ...rule, mistake: 'x' })),
    })
    expect(await ask(commandOf('ls'), bash)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('cannot be read'),
    })
  })

  it('needs no approval for read-only commands, even without a user', async () => {
    const { ask } = fixture({ canAsk: false })
    expect(await ask(commandOf('ls | head -3 && git status'), bash)).toMatchObject({ allowed: true })
    expect(await ask(commandOf('ls > x'), bash)).toMatchObject({ allowed: false })
  })

  it('asks before Write changes .git or a startup file, even in auto mode', async () => {
    const { ask } = fixture({ mode: 'auto', canAsk: false })
    for (const path of [`${root}/.git/hooks/x`, '/home/me/.bashrc', `${root}/.trestle/config.toml`])
      expect(await ask({ ...edit, accesses: [{ kind: 'file', path, write: true }] })).toMatchObject({ allowed: false })
  })

  it('keeps several requests separate and answers each once', async () => {
    const { ask, reply, asked } = fixture()
    const first = ask(edit)
    const second = ask(command)
    await expect.poll(() => asked().length).toBe(2)
    const [one, two] = asked()
    await reply({ approvalId: two!.approvalId, optionId: 'reject', feedback: ' not that ' })
    await reply({ approvalId: one!.approvalId, optionId: 'allow_once' })
    expect(await first).toMatchObject({ allowed: true })
    expect(await second).toEqual({ allowed: false, message: 'The user rejected this call and says: not that' })
    await expect(reply({ approvalId: one!.approvalId, optionId: 'allow_once' })).rejects.toThrow(/no longer pending/)
  })

  it('"Reject and stop" rejects the call, closes other pending requests, and ends the turn before the answer is delivered', async () => {
    const { ask, reply, asked, events, signal } = fixture()
    const first = ask(edit).then((answer) => ({ answer, isStopped: signal.aborted }))
    const second = ask(command)
    await expect.poll(() => asked().length).toBe(2)
    const [one, two] = asked()
    for (const { options } of [one!, two!])
      expect(options.filter(({ kind }) => kind === 'reject_once').map(({ optionId }) => optionId)).toEqual([
        'reject',
        'reject_stop',
      ])
    await reply({ approvalId: one!.approvalId, optionId: 'reject_stop', feedback: 'wrong folder' })
    expect(await first).toEqual({
      answer: { allowed: false, message: 'The user rejected this call and stopped the turn. They say: wrong folder' },
      isStopped: true,
    })
    await expect(second).rejects.toThrow('stopped')
    expect(events.filter(({ type }) => type === 'approval.resolved')).toMatchObject([
      { approvalId: one!.approvalId, outcome: 'reject_once', chosen: 'reject_stop', feedback: 'wrong folder' },
      { approvalId: two!.approvalId, outcome: 'cancelled' },
    ])
  })

  it('refuses an option that was not offered, and stays pending', async () => {
    const { ask, reply, asked } = fixture()
    const answer = ask(edit)
    await expect.poll(() => asked().length).toBe(1)
    await expect(reply({ approvalId: asked()[0]!.approvalId, optionId: 'allow_everything' })).rejects.toThrow(
      /allow_once/,
    )
    await reply({ approvalId: asked()[0]!.approvalId, optionId: 'allow_once' })
    expect(await answer).toMatchObject({ allowed: true })
  })

  it('stops asking for what the session allows, and still asks for the rest', async () => {
    const { ask, reply, asked, events } = fixture()
    const first = ask(edit)
    await expect.poll(() => asked().length).toBe(1)
    expect(asked()[0]!.options.map((option) => option.name)).toEqual([
      'Allow once',
      'Always allow changes to x.ts in this session',
      'Reject…',
      'Reject and stop',
    ])
    const pattern = 'Write(x.ts)\nEdit(x.ts)\nPatch(x.ts)'
    await reply({ approvalId: asked()[0]!.approvalId, optionId: 'allow_always' })
    expect(await first).toMatchObject({ allowed: true })
    expect(events.at(-1)).toMatchObject({ type: 'approval.resolved', rule: { pattern, scope: 'session' } })
    expect(await ask(edit)).toMatchObject({ allowed: true })
    void ask({ ...edit, accesses: [{ kind: 'file', path: `${root}/y.ts`, write: true }] })
    await expect.poll(() => asked().length).toBe(2)
  })

  it('grants exactly one of the choices, for the session or permanently, and settles matching pending requests', async () => {
    const { ask, reply, asked, choices, written, events } = fixture()
    const answers = ['npm run a', 'npm run b', 'rm x'].map((text) => ask(commandOf(text), bash))
    await expect.poll(() => asked().length).toBe(3)
    const [{ approvalId }, other, last] = asked() as [Approval, Approval, Approval]
    expect((await choices(approvalId)).map((choice) => choice.pattern)).toEqual([
      'Bash(npm run a)',
      'Bash(npm run a *)',
      'Bash(npm run *)',
    ])
    for (const pattern of ['Bash', 'Bash(*)', 'Bash(npm run a)\nBash', ''])
      await expect(reply({ approvalId, optionId: 'allow_always', rule: { pattern, scope: 'user' } })).rejects.toThrow(
        /choices/,
      )
    expect(written).toEqual([])
    await reply({ approvalId, optionId: 'allow_always', rule: { pattern: 'Bash(npm run *)', scope: 'user' } })
    expect(written).toEqual(['Bash(npm run *)'])
    expect(await Promise.all(answers.slice(0, 2))).toMatchObject([{ allowed: true }, { allowed: true }])
    expect(events.at(-1)).toMatchObject({
      approvalId: other.approvalId,
      outcome: 'allow_always',
      reason: expect.stringContaining('Bash(npm run *)'),
    })
    await reply({ approvalId: last.approvalId, optionId: 'reject' })
    expect(await answers[2]).toMatchObject({ allowed: false })
  })

  it('stays pending when the rule cannot be written, and loses nothing', async () => {
    const { ask, reply, asked } = fixture({
      keepRules: () => Promise.reject(new CodedError('config.write_failed', 'full')),
    })
    const answer = ask(commandOf('npm test'), bash)
    await expect.poll(() => asked().length).toBe(1)
    const [{ approvalId }] = asked() as [Approval]
    const rule = { pattern: 'Bash(npm test)', scope: 'user' as const }
    await expect(reply({ approvalId, optionId: 'allow_always', rule })).rejects.toThrow('full')
    await reply({ approvalId, optionId: 'allow_always', rule: { ...rule, scope: 'session' } })
    expect(await answer).toMatchObject({ allowed: true })
  })

  it('closes a pending request when the turn is stopped', async () => {
    const { ask, stop, events, asked } = fixture()
    const answer = ask(edit)
    await expect.poll(() => asked().length).toBe(1)
    stop()
    await expect(answer).rejects.toThrow('stopped')
    expect(events.at(-1)).toMatchObject({ type: 'approval.resolved', outcome: 'cancelled' })
  })

  it('stays pending when the answer cannot be recorded', async () => {
    const disk = { isFull: false }
    const { ask, reply, asked } = fixture({ disk })
    const answer = ask(edit)
    await expect.poll(() => asked().length).toBe(1)
    const [{ approvalId }] = asked() as [Approval]
    disk.isFull = true
    await expect(reply({ approvalId, optionId: 'allow_once' })).rejects.toThrow('The disk is full.')
    disk.isFull = false
    await reply({ approvalId, optionId: 'allow_once' })
    expect(await answer).toMatchObject({ allowed: true })
  })

  it('closes a pending request when the turn is stopped, even if that cannot be recorded', async () => {
    const disk = { isFull: false }
    const { ask, stop, asked } = fixture({ disk })
    const answer = ask(edit)
    await expect.poll(() => asked().length).toBe(1)
    disk.isFull = true
    stop()
    await expect(answer).rejects.toThrow('stopped')
  })

  it('gives the reason, with the rule and its line, for decisions without a question', async () => {
    const { ask } = fixture({ rules: rulesOf('allow Bash(npm *)', 'deny Bash(rm *)'), canAsk: false })
    expect(await ask(commandOf('npm test'), bash)).toMatchObject({
      judged: {
        decision: 'allow',
        reason: expect.stringContaining('npm *'),
        rule: { pattern: 'Bash(npm *)', scope: 'user', line: 1 },
      },
    })
    expect(await ask(commandOf('npm test | head -3'), bash)).toMatchObject({
      judged: { reason: expect.stringMatching(/npm \*.*head only reads/), rule: { pattern: 'Bash(npm *)' } },
    })
    expect(await ask(commandOf('rm x'), bash)).toMatchObject({
      judged: { decision: 'deny', rule: { decision: 'deny', line: 2 } },
    })
    expect(await ask(edit)).toMatchObject({
      judged: { decision: 'deny', reason: expect.stringContaining('no user is available') },
    })
  })

  const answered = async (what: Fixture, first: Parameters<ReturnType<typeof fixture>['ask']>) => {
    const made = fixture(what)
    const answer = made.ask(...first)
    await expect.poll(() => made.asked().length).toBe(1)
    const allow = () => made.reply({ approvalId: made.asked()[0]!.approvalId, optionId: 'allow_once' })
    return { ...made, answer, allow }
  }

  it('does not run what a newer rule denies', async () => {
    const { answer, allow, rules, events } = await answered({ rules: [] }, [commandOf('rm x'), bash])
    rules.push(...rulesOf('deny Bash(rm *)'))
    await expect(allow()).rejects.toMatchObject({
      code: 'approval.gone',
      message: expect.stringContaining('Bash(rm *)'),
    })
    expect(await answer).toMatchObject({ allowed: false })
    expect(events.filter((event) => event.type === 'approval.resolved')).toMatchObject([{ outcome: 'reject_once' }])
  })

  const shows = (text: string, more: Partial<PreparedCall> = {}): PreparedCall => {
    return { ...edit, preview: async () => ({ kind: 'text', text }), ...more }
  }

  it('asks again, with the reason, when the effect differs from what was shown; then runs what was shown last', async () => {
    const again = shows('removes everything')
    const { answer, allow, asked, reply, events } = await answered({}, [shows('adds a line'), writer, { again }])
    await expect(allow()).rejects.toMatchObject({ code: 'approval.gone' })
    await expect.poll(() => asked().length).toBe(2)
    expect(asked()[1]).toMatchObject({
      preview: { text: 'removes everything' },
      reason: expect.stringContaining('changed'),
    })
    expect(events).toContainEqual(expect.objectContaining({ approvalId: asked()[0]!.approvalId, outcome: 'cancelled' }))
    await reply({ approvalId: asked()[1]!.approvalId, optionId: 'allow_once' })
    expect(await answer).toEqual({ allowed: true, call: again })
  })

  it('does not ask for approval of a call that cannot work, checked before the question and after the answer', async () => {
    const check = async () => failed('x.ts was changed on disk')
    expect(await fixture().ask(shows('a', { check }))).toEqual({ allowed: false, message: 'x.ts was changed on disk' })
    const late = await answered({}, [shows('a'), writer, { again: shows('b', { check }) }])
    await expect(late.allow()).rejects.toMatchObject({
      code: 'approval.gone',
      message: expect.stringContaining('changed on disk'),
    })
    expect(await late.answer).toEqual({ allowed: false, message: 'x.ts was changed on disk' })
    const refused = await answered({}, [shows('a'), writer, { again: { refused: failed('no such folder') } }])
    await expect(refused.allow()).rejects.toMatchObject({ code: 'approval.gone' })
    expect(await refused.answer).toEqual({ allowed: false, message: 'no such folder' })
  })

  it('accepts the first of two simultaneous answers', async () => {
    const { answer, allow } = await answered({}, [edit])
    const [first, second] = await Promise.allSettled([allow(), allow()])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ reason: { code: 'approval.gone' } })
    expect(await answer).toMatchObject({ allowed: true })
  })

  it('keeps a request pending when its process ends, and resumes it unchanged', async () => {
    const before = await answered({}, [edit])
    before.stop(new TurnSuspended())
    await expect(before.answer).rejects.toThrow('stopped')
    expect(before.events).toMatchObject([{ type: 'approval.requested' }])
    const [approval] = before.asked()
    const later = fixture()
    later.expectAgain([approval!])
    const reply = later.reply({ approvalId: approval!.approvalId, optionId: 'allow_once' })
    expect(await later.ask(edit, writer, { before: approval! })).toMatchObject({ allowed: true })
    await reply
    expect(later.events).toMatchObject([
      { type: 'approval.resolved', approvalId: approval!.approvalId, outcome: 'allow_once' },
    ])
  })
})
