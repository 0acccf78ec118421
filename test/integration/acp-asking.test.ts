import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Wire } from '../support/acp-client'
import { acpRun, choosing, openSession, say, type AcpRun } from '../support/acp-run'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { ModelScript, ScriptStep } from '../support/model-script'

let run: AcpRun

afterEach(async () => {
  await run.close()
})

/** Answers of the client, which a test can change before the question arrives. */
let answers: Record<string, (params: Wire) => unknown> = {}

async function start(script: ModelScript, capabilities: object = {}, config?: string): Promise<string> {
  answers = {}
  run = await acpRun({ script, answers, ...(config !== undefined && { config }) })
  return openSession(run, capabilities)
}

const FORMS = { elicitation: { form: {} } }
const bash = (command: string): ScriptStep => ({ toolCalls: [{ name: 'Bash', input: { command } }] })
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })

function results(): string[] {
  const { messages } = run.server.requests.at(-1)!.body as { messages: { role: string; content: string }[] }
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content.replace(/\n\[checkpoint \d+\]$/, ''))
}

const permissions = (): Wire[] =>
  run.client.messages.filter(({ method }) => method === 'session/request_permission').map(({ params }) => params)

describe('permission options', () => {
  it('match those of the engine, and "always" then allows without asking, for the session or permanently', async () => {
    const sessionId = await start([
      bash('touch a1'),
      bash('touch a2'),
      { text: 'ok' },
      bash('mkdir b1'),
      bash('mkdir b2'),
      { text: 'ok' },
    ])
    answers['session/request_permission'] = ({ options }) => {
      const always = options.filter(({ kind }: { kind: string }) => kind === 'allow_always')
      const last = permissions().length === 1 ? always.at(-2) : always.at(-1)
      return selected(last.optionId)
    }
    await say(run.client, sessionId, 'twice')
    expect(permissions()).toHaveLength(1)
    const names = permissions()[0].options.map(({ name }: { name: string }) => name)
    const once = sandboxSupport().kind === 'none' ? ['Allow once'] : ['Run in sandbox', 'Run unrestricted']
    expect(names.slice(0, once.length)).toEqual(once)
    expect(names.slice(-2)).toEqual(['Reject', 'Reject and stop'])
    expect(
      names.slice(once.length, -2).every((name: string) => /^Always allow .* in (this|every) session$/.test(name)),
    ).toBe(true)
    expect(existsSync(join(run.scratch.project, 'a2'))).toBe(true)
    await say(run.client, sessionId, 'and permanently')
    expect(permissions()).toHaveLength(2)
    expect(readFileSync(join(run.scratch.home, 'config.toml'), 'utf8')).toMatch(/Bash\(mkdir/)
  })

  it('are not offered to a client that cannot ask, and the agent learns why', async () => {
    const sessionId = await start([bash('touch made'), { text: 'ok' }])
    expect(await say(run.client, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
    expect(results()[0]).toContain('The editor could not ask')
    expect(existsSync(join(run.scratch.project, 'made'))).toBe(false)
  })

  it('are withdrawn and the turn ends when the client cancels a pending question', async () => {
    const sessionId = await start([bash('touch made'), { text: 'never' }])
    answers['session/request_permission'] = () => new Promise(() => undefined)
    const stopped = say(run.client, sessionId, 'go')
    await run.client.until(({ method }) => method === 'session/request_permission')
    run.client.notify('session/cancel', { sessionId })
    expect(await stopped).toEqual({ stopReason: 'cancelled' })
    const withdrawn = await run.client.until(({ method }) => method === '$/cancel_request')
    const asked = run.client.messages.find(({ method }) => method === 'session/request_permission')
    expect(withdrawn.params).toEqual({ requestId: asked!.id })
  })

  it('include rejecting and ending the turn, without another model request', async () => {
    const sessionId = await start([bash('touch made'), { text: 'never' }])
    answers['session/request_permission'] = () => selected('reject_stop')
    expect(await say(run.client, sessionId, 'go')).toEqual({ stopReason: 'cancelled' })
    expect(run.server.requests).toHaveLength(1)
    expect(existsSync(join(run.scratch.project, 'made'))).toBe(false)
  })

  it('end the turn when the answer is "cancelled"', async () => {
    const sessionId = await start([bash('touch made'), { text: 'never' }])
    answers['session/request_permission'] = () => ({ outcome: { outcome: 'cancelled' } })
    expect(await say(run.client, sessionId, 'go')).toEqual({ stopReason: 'cancelled' })
    expect(existsSync(join(run.scratch.project, 'made'))).toBe(false)
  })
})

const QUESTIONS: ScriptStep = {
  toolCalls: [
    {
      name: 'AskUserQuestion',
      input: {
        questions: [
          {
            question: 'Which store?',
            header: 'Store',
            options: [
              { label: 'SQLite', description: 'a file' },
              { label: 'Postgres', description: 'a server' },
            ],
          },
          {
            question: 'Which parts?',
            options: [
              { label: 'API', description: '' },
              { label: 'UI', description: '' },
              { label: 'Docs', description: '' },
            ],
            multi_select: true,
          },
        ],
      },
    },
  ],
}

describe('questions of the agent', () => {
  it('arrive as one form if the client supports forms, with free text in addition to the options', async () => {
    const sessionId = await start([QUESTIONS, { text: 'ok' }], FORMS)
    answers['elicitation/create'] = () => ({
      action: 'accept',
      content: { q1: 'Postgres', q2: ['UI', 'Docs'], q2_other: 'tests, too' },
    })
    await say(run.client, sessionId, 'ask')
    expect(JSON.parse(results()[0]!)).toEqual({
      answers: { 'Which store?': 'Postgres', 'Which parts?': ['UI', 'Docs', 'tests, too'] },
    })
    const form = run.client.messages.find(({ method }) => method === 'elicitation/create')!.params!
    expect(Object.keys(form['requestedSchema'].properties)).toEqual(['q1', 'q1_other', 'q2', 'q2_other'])
    expect(permissions()).toEqual([])
  })

  it('arrive one after another if the client has no forms, with multiple choices one by one until the user is done', async () => {
    const sessionId = await start([QUESTIONS, { text: 'ok' }])
    const wanted = ['SQLite', 'API', 'Docs', /^That is all/]
    answers['session/request_permission'] = ({ options }) => {
      const want = wanted.shift()!
      return selected(
        options.find(({ name }: { name: string }) => (typeof want === 'string' ? name === want : want.test(name)))
          .optionId,
      )
    }
    await say(run.client, sessionId, 'ask')
    expect(JSON.parse(results()[0]!)).toEqual({
      answers: { 'Which store?': 'SQLite', 'Which parts?': ['API', 'Docs'] },
    })
    expect(permissions()[0].toolCall.title).toBe('1 of 2: Which store?')
  })

  it('can be dismissed in either form', async () => {
    const sessionId = await start([QUESTIONS, QUESTIONS, { text: 'ok' }], FORMS)
    const ends = [{ action: 'decline' }, { action: 'cancel' }]
    answers['elicitation/create'] = () => ends.shift()
    await say(run.client, sessionId, 'ask')
    expect(results().every((result) => result.includes('dismissed the questions'))).toBe(true)
  })
})

const PLANNED: ScriptStep[] = [{ toolCalls: [{ name: 'EnterPlanMode', input: {} }] }]

/** Writes the plan to the file that was named on entering plan mode. */
const writePlan: ModelScript = ({ body }, index) => {
  const { messages } = body as { messages: { role: string; content: string }[] }
  const file = /\S+plan\S*\.md/.exec(
    messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content)
      .join('\n'),
  )?.[0]
  if (index === 0) return PLANNED[0]
  if (index === 1)
    return { toolCalls: [{ name: 'Write', input: { path: file!, content: '# The plan\n\n1. Do it.\n' } }] }
  if (index === 2)
    return {
      toolCalls: [
        {
          name: 'ExitPlanMode',
          input: {
            options: [
              { label: 'Quick', description: 'in a day' },
              { label: 'Thorough', description: 'in a week' },
            ],
          },
        },
      ],
    }
  return { text: 'Understood.' }
}

describe('a plan', () => {
  it('is shown in full and approved with one of its options, and the session mode follows', async () => {
    const sessionId = await start(writePlan)
    answers['session/request_permission'] = ({ options }) =>
      selected(options.find(({ name }: { name: string }) => name.includes('Thorough')).optionId)
    await say(run.client, sessionId, 'plan it')
    const [asked] = permissions()
    expect(asked.toolCall).toMatchObject({ kind: 'switch_mode' })
    expect(JSON.stringify(asked.toolCall.content)).toContain('# The plan')
    expect(asked.options.map(({ name }: { name: string }) => name)).toEqual([
      'Approve: Quick',
      'Approve: Thorough',
      'Request changes',
      'Reject',
      'Reject and leave plan mode',
    ])
    expect(results().at(-1)).toContain('The user chose "Thorough"')
    const modes = run.client.updates(sessionId, 'current_mode_update').map(({ currentModeId }) => currentModeId)
    expect(modes).toEqual(['plan', 'ask'])
  })

  it('is revised with the comments the user enters in a form', async () => {
    const sessionId = await start(writePlan, FORMS)
    answers['session/request_permission'] = () => selected('revise')
    answers['elicitation/create'] = () => ({ action: 'accept', content: { changes: 'Add tests first.' } })
    await say(run.client, sessionId, 'plan it')
    expect(results().at(-1)).toContain('The user says: Add tests first.')
  })

  it('is revised by asking in the conversation if the client has no forms', async () => {
    const sessionId = await start(writePlan)
    answers['session/request_permission'] = () => selected('revise')
    await say(run.client, sessionId, 'plan it')
    expect(results().at(-1)).toContain('Ask them in the text of your answer what should change')
  })
})

describe('a subagent', () => {
  it('asks through the session that the client has open', async () => {
    const sessionId = await start(({ body }) => {
      const { messages } = body as { messages: { role: string; content: string }[] }
      const isAgent = messages.some(
        ({ role, content }) => role === 'user' && content.includes('the work of a subagent'),
      )
      const hasResult = messages.some(({ role }) => role === 'tool')
      if (isAgent) return hasResult ? { text: 'I made it.' } : bash('touch by-agent')
      return hasResult
        ? { text: 'ok' }
        : { toolCalls: [{ name: 'Agent', input: { prompt: 'the work of a subagent', description: 'make it' } }] }
    })
    answers['session/request_permission'] = choosing('allow_once')
    await say(run.client, sessionId, 'delegate')
    expect(permissions()).toHaveLength(1)
    expect(permissions()[0]).toMatchObject({ sessionId, toolCall: { title: 'coder (make it): Bash: touch by-agent' } })
    const { toolCallId } = permissions()[0].toolCall
    const updates = run.client.updates(sessionId, 'tool_call_update')
    expect(updates.filter((update) => update.toolCallId === toolCallId)).toMatchObject([{ status: 'completed' }])
    expect(
      updates.some(({ content }) => JSON.stringify(content ?? '').includes('coder at work:\\n- Bash: touch by-agent')),
    ).toBe(true)
    expect(existsSync(join(run.scratch.project, 'by-agent'))).toBe(true)
  })
})
