import { expect, test } from 'vitest'
import type { QueuedPrompt } from '../../../shared/model/session/session'
import type { TranscriptItem } from '../../../shared/events/transcript-item'
import type { SessionView } from '../../../shared/events/session-view'
import { hasArrived, linesOf, messagesIn, sentMessage } from './sent-messages'

const parts = (text: string) => [{ type: 'text' as const, text }]
const user = (id: string, text: string) => ({ kind: 'user', id, parts: parts(text) }) as TranscriptItem
const queued = (promptId: string, text: string): QueuedPrompt => ({ promptId, parts: parts(text) })

function view(items: TranscriptItem[], queue: QueuedPrompt[] = []): SessionView {
  return { items, header: { queue } as unknown as SessionView['header'], hasMore: false, firstSeq: 1 }
}

const sent = (text: string, at: SessionView, before: Parameters<typeof sentMessage>[2] = []) =>
  sentMessage({ text, files: [] }, at, before)

test('a message has arrived once it is in the transcript or in the queue', () => {
  const before = view([user('u1', 'earlier')])
  const message = sent(' next step\n', before)
  expect(hasArrived(message, before)).toBe(false)
  expect(hasArrived(message, view([user('u1', 'earlier'), user('u5', 'other')]))).toBe(false)
  expect(hasArrived(message, view([user('u1', 'earlier'), user('u5', 'next step')]))).toBe(true)
  expect(hasArrived(message, view([user('u1', 'earlier')], [queued('p', 'next step')]))).toBe(true)
  expect(hasArrived(sent('first', view([])), view([user('u1', 'first')]))).toBe(true)
})

test('an equal message from before is not mistaken for it', () => {
  const again = view([user('u1', 'again')])
  expect(hasArrived(sent('again', again), again)).toBe(false)

  const waiting = view([user('u1', 'start')], [queued('p', 'again')])
  const message = sent('again', waiting)
  expect(hasArrived(message, view([user('u1', 'start'), user('u4', 'again')]))).toBe(false)
  expect(hasArrived(message, view([user('u1', 'start'), user('u4', 'again')], [queued('q', 'again')]))).toBe(true)
})

test('only one of two equal messages on their way has arrived if the session has one', () => {
  const empty = view([])
  const first = sent('again', empty)
  const second = sent('again', empty, [first])
  const now = view([user('u1', 'again')])
  expect([first, second].map((message) => hasArrived(message, now))).toEqual([true, false])
})

test('a message is kept if the message before it is gone from the conversation', () => {
  const message = sent('again', view([user('u1', 'again'), user('u4', 'more')]))
  expect(hasArrived(message, view([user('u1', 'again')]))).toBe(false)
})

test('messages are stored as lines, and damaged lines are skipped', () => {
  const messages = [sent('one\nline', view([user('u1', 'x')])), sent('two', view([]))]
  expect(messagesIn(`${linesOf(messages)}\n\n{"text":3}\n{`)).toEqual(messages)
})
