import { describe, expect, it } from 'vitest'
import { CodedError } from '../../../../shared/errors'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { ClientEngine } from '../../../role/joined/client-engine'
import { runSlashCommand, slashCommands } from './slash-commands'

type Parts = Record<string, Record<string, unknown>>

const header = { folder: '/app', plan: { active: false } }
const engineWith = (parts: Parts): ClientEngine =>
  ({ ...parts, sessions: { header: () => header, ...parts['sessions'] } }) as unknown as ClientEngine

async function run(text: string, parts: Parts = {}, more: UserPart[] = []) {
  const said: string[] = []
  const left = await runSlashCommand(engineWith(parts), 's1', [{ type: 'text', text }, ...more], (words) => {
    said.push(words)
  })
  return { said, left }
}

describe('running a command', () => {
  it('sends anything else to the agent unchanged', async () => {
    for (const text of ['hello', '/etc/hosts', '/unknown', '/constructor', '/toString x', 'a /plan', '/plan2'])
      expect(await run(text)).toEqual({ said: [], left: [{ type: 'text', text }] })
  })

  it('sends the text after /plan to the agent, with the attachments', async () => {
    const image = { type: 'media', mediaType: 'image/png', data: '' } as UserPart
    const entered: string[] = []
    const plans = { enter: async () => void entered.push('plan') }
    const { left } = await run(' /plan a rewrite\nof it ', { plans }, [image])
    expect(left).toEqual([{ type: 'text', text: 'a rewrite\nof it' }, image])
    expect(entered).toEqual(['plan'])
  })

  it('shows an expected failure in the conversation, and throws a bug', async () => {
    const failing = (error: Error): Parts => ({
      sessions: {
        compact: async () => {
          throw error
        },
      },
    })
    const { said, left } = await run('/compact', failing(new CodedError('session.busy', 'A turn is running.')))
    expect(left).toBeUndefined()
    expect(said.join()).toContain('A turn is running.')
    await expect(run('/compact', failing(new TypeError('bug')))).rejects.toThrow('bug')
  })

  it('passes the text after /compact on as what to keep', async () => {
    const asked: unknown[] = []
    const sessions = { compact: async (...given: unknown[]) => asked.push(given) > 0 }
    await run('/compact  the plan ', { sessions })
    await run('/compact', { sessions })
    expect(asked).toEqual([
      ['s1', 'the plan'],
      ['s1', undefined],
    ])
  })

  it('keeps tables and lists intact, whatever the text contains', async () => {
    const tool = { name: 'Bash', state: 'off', reason: 'off in a|b\nc', tokens: 1234 }
    const tools = await run('/tools', { sessions: { tools: async () => ({ tools: [tool] }) } })
    expect(tools.said.join().split('\n').at(-1)).toBe(String.raw`| Bash | off: off in a\|b c | 1,234 |`)
    const task = { taskId: 't1', sessionId: 's1', background: true, status: 'running', command: 'a\n\n# b' }
    const foreign = { ...task, taskId: 't2', sessionId: 's2' }
    const tasks = await run('/tasks', { tasks: { list: async () => [task, foreign, { ...task, background: false }] } })
    expect(tasks.said).toEqual(['- `t1` running: a # b'])
  })

  it('reports what /undo restored and what it left unchanged', async () => {
    const restored = {
      seq: 9,
      steps: [{ action: 'change', path: 'a.ts' }],
      kept: [{ path: 'b.ts', why: 'it was changed since' }],
      notCovered: [],
      messagesTaken: 1,
    }
    const asked: unknown[] = []
    const checkpoints = {
      points: async () => [{ seq: 3 }, { seq: 7 }],
      restore: async (...given: unknown[]) => {
        asked.push(given)
        return restored
      },
    }
    const { said } = await run('/undo', { checkpoints })
    expect(asked).toEqual([['s1', { to: 6, files: true, conversation: true }]])
    expect(said.join()).toContain('Restored 1 path. 1 of your messages is out of the conversation')
    expect(said.join()).toContain('- left b.ts: it was changed since')
    expect((await run('/undo', { checkpoints: { points: async () => [] } })).said).toEqual([
      'There is no message to undo.',
    ])
  })
})

describe('the list of commands', () => {
  const skill = (name: string, more = {}) => ({ name, description: `does ${name}`, arguments: [], ...more })
  const names = async (skills: unknown[], prompts: () => Promise<unknown[]> = async () => []) =>
    slashCommands(engineWith({ skills: { list: async () => ({ skills }) }, mcpContent: { prompts } }), 's1')

  it('has skills that are not hidden, and no skill can replace a command of Trestle', async () => {
    const skills = [
      skill('review', { arguments: ['file'] }),
      skill('plan'),
      skill('x', { hiddenBy: 'y' }),
      skill('constructor'),
    ]
    const list = await names(skills)
    expect(
      list.filter(({ name }) => !['plan', 'compact', 'context', 'tools', 'undo', 'redo', 'tasks'].includes(name)),
    ).toEqual([
      { name: 'review', description: 'does review', input: { hint: 'file' } },
      { name: 'constructor', description: 'does constructor' },
    ])
    expect(list.filter(({ name }) => name === 'plan')).toHaveLength(1)
  })

  it('has prompts of servers with their arguments, and is complete without a failing server', async () => {
    const prompt = {
      server: 'my server',
      name: 'triage',
      description: '',
      title: 'Triage',
      arguments: [
        { name: 'repo', required: true },
        { name: 'label', required: false },
      ],
    }
    expect((await names([], async () => [prompt])).at(-1)).toEqual({
      name: 'mcp:my_server:triage',
      description: 'Triage',
      input: { hint: 'repo [label]' },
    })
    expect(
      await names([], async () => {
        throw new Error('down')
      }),
    ).toHaveLength(7)
  })
})
