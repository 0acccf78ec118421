import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tool, turnFixture } from '../../../../test/support/turn-fixture'
import { textOf } from '../../../shared/model/turn/message'
import { ok, type CallAnswer, type CallQuestion } from '../tool/tool'
import { runWithTimeout } from './call-timeout'

const QUESTION: CallQuestion = {
  asks: 'link',
  summary: '',
  reason: '',
  preview: { kind: 'text', text: '' },
  options: [],
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('pauses the timeout while the user answers, and does not reset it afterwards', async () => {
  const answers = [Promise.withResolvers<CallAnswer>(), Promise.withResolvers<CallAnswer>()]
  let asked = 0
  let own: AbortSignal | undefined
  const { ctx } = turnFixture({ answers: [], ask: async () => answers[asked++]!.promise })
  const slow = tool({
    name: 'Slow',
    timeoutMs: 1000,
    run: async (_input, { ask, signal }) => {
      own = signal
      await Promise.all([ask(QUESTION), ask(QUESTION)])
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return ok('so far')
    },
  })
  const prepared = await slow.prepare({})
  if ('refused' in prepared) throw new Error('refused')
  const result = runWithTimeout(ctx, slow, prepared, { callId: 'c' })
  await vi.advanceTimersByTimeAsync(60_000)
  answers[0]!.resolve({ none: 'unattended', why: '' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(own?.aborted).toBe(false)
  answers[1]!.resolve({ none: 'unattended', why: '' })
  await vi.advanceTimersByTimeAsync(990)
  expect(own?.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(10)
  expect(textOf((await result).content)).toMatch(/^so far\nSlow took longer than 1 s/)
})

it('closes an open question when its call ends', async () => {
  let question: AbortSignal | undefined
  const { ctx } = turnFixture({
    answers: [],
    ask: async (_call, _question, _turn, signal) => {
      question = signal
      return { none: 'unattended', why: '' }
    },
  })
  const quick = tool({ name: 'Quick', run: (_input, { ask }) => (void ask(QUESTION), ok('')) })
  const prepared = await quick.prepare({})
  if ('refused' in prepared) throw new Error('refused')
  await runWithTimeout(ctx, quick, prepared, { callId: 'c' })
  expect(question?.reason).toMatchObject({ message: 'The call has already ended.' })
})
