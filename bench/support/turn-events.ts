import type { EventBody } from '../../src/shared/events/event.ts'

/** Number of events that `turn` returns. */
export const EVENTS_PER_TURN = 10

/** A typical turn with two calls. */
export function turn(n: number): EventBody[] {
  const turnId = `turn-${n}`
  const text = `This is what the model says in turn ${n}, in a few words. `.repeat(4)
  const usage = { input: 1000, output: 100, cached: 900, thinking: 0 }
  const step = (index: number, callId?: string): EventBody[] => [
    { type: 'step.started', turnId, stepId: `${turnId}-${index}`, n: index, model: 'bench/scripted' },
    {
      type: 'step.finished',
      turnId,
      stepId: `${turnId}-${index}`,
      parts: [
        { type: 'text', text },
        ...(callId === undefined
          ? []
          : [{ type: 'tool_call' as const, callId, name: 'Read', input: '{"path":"src/a.ts"}' }]),
      ],
      usage,
      finish: callId === undefined ? 'stop' : 'tool_calls',
      durationMs: 1000,
    },
  ]
  const call = (index: number): EventBody[] => [
    {
      type: 'tool.started',
      turnId,
      stepId: `${turnId}-${index}`,
      callId: `${turnId}-c${index}`,
      name: 'Read',
      input: '{"path":"src/a.ts"}',
      summary: 'src/a.ts',
    },
    {
      type: 'tool.finished',
      turnId,
      callId: `${turnId}-c${index}`,
      name: 'Read',
      content: [{ type: 'text', text: text.repeat(5) }],
      isError: false,
      durationMs: 2,
    },
  ]
  return [
    { type: 'turn.started', turnId, parts: [{ type: 'text', text: `Please do thing ${n}` }], model: 'bench/scripted' },
    ...step(1, `${turnId}-c1`),
    ...call(1),
    { type: 'turn.steered', turnId, parts: [{ type: 'text', text: 'and then the docs' }], by: 'user' },
    ...step(2),
    { type: 'turn.finished', turnId, stop: 'end_turn', steps: 2, durationMs: 2000 },
    { type: 'session.changed', title: `After turn ${n}` },
  ]
}
