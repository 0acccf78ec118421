import { expect, it } from 'vitest'
import type { SessionEvent } from '../../../../shared/events/event'
import { PromptTracker } from './prompt'

const event = (fields: object): SessionEvent => ({ seq: 1, at: 0, ...fields }) as unknown as SessionEvent
const started = (turnId: string, promptId?: string): SessionEvent =>
  event({ type: 'turn.started', turnId, parts: [], ...(promptId !== undefined && { promptId }) })
const finished = (turnId: string): SessionEvent => event({ type: 'turn.finished', turnId, stop: 'end_turn' })

it('gives each prompt the end of its own turn, even if a later prompt starts first', async () => {
  const tracker = new PromptTracker(() => undefined)
  const ends: string[] = []
  const follow = (name: string) => {
    const prompt = tracker.track()
    const done = prompt.outcome.then((end) => ends.push(`${name} ${end === 'removed' ? end : end.turnId}`))
    return { ...prompt, done }
  }
  const slow = follow('slow')
  const quick = follow('quick')
  tracker.onEvent(started('turn-1'))
  slow.queued('prompt-1')
  tracker.onEvent(finished('turn-1'))
  await quick.done
  expect(ends).toEqual(['quick turn-1'])
  tracker.onEvent(started('turn-2', 'prompt-1'))
  tracker.onEvent(finished('turn-2'))
  await slow.done
  expect(ends).toEqual(['quick turn-1', 'slow turn-2'])
})

it('ends the turn of a prompt that was cancelled before its turn was known', () => {
  let stops = 0
  const tracker = new PromptTracker(() => (stops += 1))
  const slow = tracker.track()
  const quick = tracker.track()
  tracker.onEvent(started('turn-1'))
  tracker.cancel()
  slow.queued('prompt-1')
  expect([quick.isCancelled(), stops]).toEqual([true, 1])
})
