import { isUserProvided } from '../../../shared/model/turn/message'
import { conversationBlocks } from './conversation-blocks'
import { describe, expect, test } from 'vitest'
import { FORMAT, FORMAT_VERSION, type ImportedEvent } from './exported-session'
import { readExportedSession } from './read-exported-session'

type Value = Record<string, unknown>
const started = (turnId: string, at = 1): Value => ({
  type: 'turn.started',
  at,
  turnId,
  parts: [{ type: 'text', text: 'Hello' }],
  model: 'm',
})
const step = (turnId: string, stepId: string): Value => ({
  type: 'step.started',
  at: 2,
  turnId,
  stepId,
  n: 1,
  model: 'm',
})
const answered = (turnId: string, stepId: string, parts: Value[] = []): Value => ({
  type: 'step.finished',
  at: 3,
  turnId,
  stepId,
  parts,
  finish: 'stop',
  durationMs: 1,
})
const toolCall = (callId: string): Value => ({ type: 'tool_call', callId, name: 'Bash', input: '{}' })
const called = (turnId: string, stepId: string, callId: string): Value => ({
  type: 'tool.started',
  at: 4,
  turnId,
  stepId,
  callId,
  name: 'Bash',
  input: '{}',
  summary: 'ls',
})
const result = (turnId: string, callId: string, text = 'done'): Value => ({
  type: 'tool.finished',
  at: 5,
  turnId,
  callId,
  name: 'Bash',
  content: [{ type: 'text', text }],
  isError: false,
  durationMs: 1,
})

const document = (events: unknown, more: Value = {}): string =>
  JSON.stringify({
    format: FORMAT,
    version: FORMAT_VERSION,
    session: { sessionId: 's', title: 'T', folder: '/p' },
    events,
    ...more,
  })
const read = (...events: Value[]): ImportedEvent[] => readExportedSession(document(events)).events
const typesOf = (events: readonly ImportedEvent[]): string[] => events.map(({ type }) => type)

describe('an exported session', () => {
  test('is read from a document and from lines, even with a byte order mark and CRLF', () => {
    const lines = [{ type: 'session.created', at: 0, sessionId: 's', title: 'T' }, started('a')]
    const text = `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\n\r\n`
    expect(readExportedSession(text)).toMatchObject({ info: { sessionId: 's', title: 'T' } })
    expect(readExportedSession(JSON.stringify(started('a'))).events).toHaveLength(2)
    expect(readExportedSession(document([started('a')])).info).toMatchObject({ title: 'T', folder: '/p' })
  })

  test('has its open turns closed, at the end and before the next one', () => {
    expect(typesOf(read(started('a'), started('b', 9)))).toEqual([
      'turn.started',
      'turn.finished',
      'turn.started',
      'turn.finished',
    ])
  })

  test('has a result for every call, because providers refuse calls without one', () => {
    const events = read(
      started('a'),
      step('a', '1'),
      answered('a', '1', [toolCall('x'), toolCall('y')]),
      called('a', '1', 'x'),
      result('a', 'x'),
    )
    const results = events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []))
    expect(results.map(({ callId, isError }) => [callId, isError])).toEqual([
      ['x', false],
      ['y', true],
    ])
    expect(typesOf(events).at(-1)).toBe('turn.finished')
  })

  test('has no second result of a call, because providers refuse that too', () => {
    const events = [started('a'), step('a', '1'), answered('a', '1', [toolCall('x')]), called('a', '1', 'x')]
    expect(() => read(...events, result('a', 'x'), result('a', 'x', 'other'))).toThrow('does not follow')
  })

  test("distinguishes text that Trestle added to a message from the user's", () => {
    const part = (of: Value): Value => ({ type: 'text', text: 'TEXT', ...of })
    const attached = { kind: 'resource', server: 'wiki', name: 'wiki:page' }
    const file = { name: 'a.txt', path: '/home/ada/a.txt', size: 3 }
    const message = {
      ...started('a'),
      parts: [part({ text: 'mine' }), part({ skill: 'pdf' }), part({ attached }), part({ file })],
    }
    const news = { ...started('b', 9), news: [{ taskId: 'task_1', command: 'npm test', status: 'exited' }] }
    const events = read(message, news).flatMap((event) => (event.type === 'turn.started' ? [event] : []))
    const [first, second] = events
    expect(first?.parts.filter(isUserProvided)).toEqual([part({ text: 'mine' }), part({ file: { ...file, path: '' } })])
    expect(first?.parts).toHaveLength(4)
    expect(first).not.toHaveProperty('news')
    // A turn that no person started is not the user's; its tasks are not on this machine.
    expect(second).toMatchObject({ news: [] })
    const blocks = conversationBlocks(events.map((event, seq) => ({ ...event, seq, sessionId: 's' })))
    expect(blocks.map(({ kind }) => kind)).toEqual(['you', 'trestle'])
  })

  test('contains no messages to the agent in the name of Trestle', () => {
    const steered = (by: string): Value => ({
      type: 'turn.steered',
      at: 2,
      turnId: 'a',
      by,
      parts: [{ type: 'text', text: by }],
    })
    const events = read(started('a'), ...['user', 'guard', 'task', 'd-mail'].map(steered))
    expect(events.flatMap((event) => (event.type === 'turn.steered' ? [event.by] : []))).toEqual(['user'])
  })

  test('omits events and fields that are not part of a conversation', () => {
    const events = read({ ...started('a'), env: 'SECRET' }, { type: 'session.changed', at: 2, folder: '/etc' })
    expect(typesOf(events)).toEqual(['turn.started', 'turn.finished'])
    expect(JSON.stringify(events)).not.toContain('SECRET')
  })
})

describe('a file that is not an exported session is refused with the reason', () => {
  const cases: [what: string, text: string, why: string][] = [
    ['an empty one', ' \n', 'The file is empty.'],
    ['other text', 'hello', 'It is neither JSON nor a list of events.'],
    ['other JSON', '{"a":1}', 'not a session exported by Trestle'],
    ['a list', '[]', 'It is neither JSON nor a list of events.'],
    ['a newer format', document([], { version: 99 }), 'newer version of Trestle (format 99)'],
    ['no events', document(undefined), 'Its list of events is missing.'],
    ['an odd event', document([7]), 'Event 1 is not an event.'],
    ['no message', document([]), 'It has no messages.'],
    ['a damaged line', `${JSON.stringify(started('a'))}\n{"type":"turn.sta`, 'Line 2 is not an event'],
    ['a damaged event', document([{ ...started('a'), parts: 'x' }]), 'Event 1 (turn.started) is damaged: parts'],
    ['a time that cannot be', document([{ ...started('a'), at: -1 }]), 'Event 1 (turn.started) is damaged'],
    ['an answer to no question', document([step('a', '1')]), 'Event 1 (step.started) does not follow'],
    ['another turn', document([started('a'), step('b', '1')]), 'Event 2 (step.started) does not follow'],
    ['a step that was not started', document([started('a'), answered('a', '1')]), 'Event 2 (step.finished)'],
    ['a result of no call', document([started('a'), result('a', 'x')]), 'Event 2 (tool.finished)'],
  ]
  test.each(cases)('%s', (_, text, why) => {
    expect(() => readExportedSession(text)).toThrow(why)
    expect(() => readExportedSession(text)).toThrow(expect.objectContaining({ code: 'request.invalid' }))
  })
})
