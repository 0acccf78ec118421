import { expect, test } from 'vitest'
import { type AnswerItem, type TranscriptItem, type UserItem, turnFigures } from './transcript-item'

const user = (turnId: string): UserItem => ({
  kind: 'user',
  id: 'u2',
  turnId,
  at: 1,
  parts: [{ type: 'text', text: 'hello' }],
  steered: false,
})
const answer = (turnId: string, more: Partial<AnswerItem> = {}): AnswerItem => ({
  kind: 'answer',
  id: `s:${turnId}`,
  turnId,
  stepId: 's',
  at: 2,
  model: 'p/one',
  segments: [],
  streaming: false,
  partial: false,
  attempts: [],
  ...more,
})
const usage = (input: number, cost?: number) => ({
  input,
  output: 10,
  cached: 0,
  thinking: 0,
  ...(cost !== undefined && { cost }),
})
const ended = { seq: 9, at: 50, durationMs: 40 }

test("a turn has the tokens, costs and models of all its steps, and none of the previous turn's", () => {
  const items: TranscriptItem[] = [
    user('a'),
    answer('a', { usage: usage(1000), ended }),
    user('b'),
    answer('b', { usage: usage(100, 0.5) }),
    answer('b', { usage: usage(200, 0.25), model: 'p/two', ended }),
  ]
  expect(turnFigures(items, 4)).toEqual({
    prompt: items[2],
    endedAt: 50,
    durationMs: 40,
    models: ['p/one', 'p/two'],
    usage: { ...usage(300, 0.75), output: 20 },
  })
  expect(turnFigures(items, 3)).toBeUndefined()
  expect(turnFigures(items, 2)).toBeUndefined()
})

test('tokens are shown only when the start of the turn is loaded', () => {
  const last = answer('b', { usage: usage(200), ended })
  expect(turnFigures([last], 0)).toEqual({ endedAt: 50, durationMs: 40, models: ['p/one'] })
  expect(turnFigures([user('b'), answer('b', { usage: usage(1) }), last], 2)?.usage?.input).toBe(201)
})
