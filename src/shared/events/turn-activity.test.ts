import { expect, it } from 'vitest'
import { newCallRow } from './transcript-rows'
import type { AnswerItem, ToolItem, TranscriptItem } from './transcript-item'
import { activityText, latestTurn } from './turn-activity'

const user: TranscriptItem = { kind: 'user', id: 'u1', turnId: 't', at: 7, parts: [], steered: false }
const answer = (segments: AnswerItem['segments'], streaming = true): AnswerItem => ({
  kind: 'answer',
  id: 's:s',
  turnId: 't',
  stepId: 's',
  at: 8,
  model: 'm',
  segments,
  streaming,
  partial: false,
  attempts: [],
})
const call = (name: string, state: ToolItem['state']): ToolItem => ({
  ...newCallRow({ turnId: 't', stepId: 's' }, name, name),
  state,
})
const words = (items: TranscriptItem[], waits = false): string => activityText(latestTurn([user, ...items], waits))

it('says that a command is running, not that the model is thinking', () => {
  expect(words([answer([], false), call('Bash', 'running'), call('Edit', 'ready')])).toBe('Running command')
  expect(words([answer([], false), call('Read', 'running')])).toBe('Running Read')
  expect(words([answer([], false), call('Read', 'running'), call('Bash', 'running')])).toBe('Running 2 tools')
})

it('says that it waits for the user, even for a subagent or a command that asks', () => {
  expect(words([answer([], false), call('Edit', 'waiting'), call('Read', 'running')])).toBe('Waiting for you')
  expect(words([answer([], false), call('Agent', 'running')], true)).toBe('Waiting for you')
})

it('says what the model is doing: nothing yet, thinking, writing, or preparing a call', () => {
  expect(words([answer([])])).toBe('Waiting for model')
  expect(words([answer([{ type: 'thinking', text: 'Hm' }])])).toBe('Thinking')
  expect(
    words([
      answer([
        { type: 'thinking', text: 'Hm' },
        { type: 'text', text: 'So' },
      ]),
    ]),
  ).toBe('Writing')
  expect(words([answer([]), call('Write', 'drafting')])).toBe('Preparing a tool call')
  expect(latestTurn([user, answer([])], false).startedAt).toBe(7)
})

it('says only that it is working when nothing more is known', () => {
  expect(latestTurn([user, answer([{ type: 'text', text: 'So' }], false)], false).activity).toEqual({ kind: 'between' })
  expect(words([])).toBe('Working')
})
