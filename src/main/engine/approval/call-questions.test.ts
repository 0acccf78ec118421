import { expect, it } from 'vitest'
import type { Approval } from '../../../shared/model/approval/approval'
import type { EventBody } from '../../../shared/events/event'
import { TurnStopped, TurnSuspended } from '../loop/turn-context'
import type { CallQuestion } from '../tool/tool'
import { CallQuestions } from './call-questions'

const QUESTION: CallQuestion = {
  asks: 'form',
  summary: 'Your name',
  reason: 'It wants to know.',
  preview: { kind: 'form', server: 's', message: 'Your name', fields: [] },
  options: [
    { optionId: 'send', kind: 'allow_once', name: 'Send' },
    { optionId: 'decline', kind: 'reject_once', name: 'Decline' },
  ],
  problemOf: ({ optionId, values }) => (optionId === 'send' && !values ? 'values: fill in the form.' : undefined),
  kept: ({ values }) => values && { name: 'kept' },
}
const CALL = { turnId: 't', callId: 'c', tool: 'mcp__s__x' }

function fixture(canAsk = true) {
  const events: EventBody[] = []
  const disk = { isFull: false }
  let ids = 0
  const questions = new CallQuestions({
    record(...bodies) {
      if (disk.isFull) throw new Error('The disk is full.')
      events.push(...bodies)
    },
    canAsk: () => canAsk,
    now: () => 7,
    newId: (prefix) => `${prefix}-${(ids += 1)}`,
  })
  const turn = new AbortController()
  const own = new AbortController()
  const ask = () => questions.ask(CALL, QUESTION, turn.signal, own.signal)
  const asked = (): Approval[] =>
    events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval] : []))
  const ends = () => events.filter((event) => event.type === 'approval.resolved')
  return { questions, turn, own, ask, asked, ends, events, disk }
}

it('declines immediately when no user is available, and records no request', async () => {
  const { ask, events } = fixture(false)
  expect(await ask()).toMatchObject({ none: 'unattended' })
  expect(events).toEqual([])
})

it('rejects invalid and repeated answers, and records only what may be kept', async () => {
  const { ask, asked, ends, questions } = fixture()
  const answer = ask()
  const [approval] = asked()
  expect(approval).toMatchObject({ ...CALL, asks: 'form', requestedAt: 7, preview: { kind: 'form' } })
  const { approvalId } = approval!
  expect(() => questions.reply({ approvalId, optionId: 'send' })).toThrowError('values: fill in the form.')
  expect(() => questions.reply({ approvalId, optionId: 'allow_once' })).toThrowError('optionId: one of send, decline')
  expect(ends()).toEqual([])
  expect(questions.reply({ approvalId, optionId: 'send', values: { name: 'secret' } })).toBe(true)
  expect(await answer).toEqual({ optionId: 'send', kind: 'allow_once', values: { name: 'secret' } })
  expect(ends()).toEqual([
    {
      type: 'approval.resolved',
      approvalId,
      callId: 'c',
      outcome: 'allow_once',
      chosen: 'send',
      values: { name: 'kept' },
    },
  ])
  expect(questions.reply({ approvalId, optionId: 'decline' })).toBe(false)
})

it.each([
  [
    'the turn is stopped',
    (all: ReturnType<typeof fixture>) => all.turn.abort(new TurnStopped()),
    'The turn was stopped.',
  ],
  [
    'the app is closed',
    (all: ReturnType<typeof fixture>) => all.turn.abort(new TurnSuspended()),
    'Trestle was closed before it was answered.',
  ],
  [
    'the server withdraws it',
    (all: ReturnType<typeof fixture>) => all.own.abort(new Error('The server withdrew the question.')),
    'The server withdrew the question.',
  ],
])('closes the request with a reason when %s', async (_what, end, why) => {
  const all = fixture()
  const answer = all.ask()
  end(all)
  expect(await answer).toEqual({ none: 'ended', why })
  expect(all.ends()).toMatchObject([{ outcome: 'cancelled', reason: why }])
  expect(all.questions.reply({ approvalId: all.asked()[0]!.approvalId, optionId: 'decline' })).toBe(false)
  expect(await all.ask()).toEqual({ none: 'ended', why })
  expect(all.asked()).toHaveLength(1)
})

it('keeps a question pending when its answer cannot be recorded', async () => {
  const { ask, asked, disk, questions } = fixture()
  const answer = ask()
  const { approvalId } = asked()[0]!
  disk.isFull = true
  expect(() => questions.reply({ approvalId, optionId: 'decline' })).toThrowError('The disk is full.')
  disk.isFull = false
  expect(questions.reply({ approvalId, optionId: 'decline' })).toBe(true)
  expect(await answer).toMatchObject({ optionId: 'decline' })
})

it('closes the request when the turn is stopped, even if that cannot be recorded', async () => {
  const { ask, disk, turn } = fixture()
  const answer = ask()
  disk.isFull = true
  turn.abort(new TurnStopped())
  expect(await answer).toMatchObject({ none: 'ended' })
})
