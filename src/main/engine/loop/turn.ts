import type { EventBody, LiveEvent } from '../../../shared/model/event'
import { failureOf, type Failure } from '../../../shared/model/errors'
import type { Message, UserPart } from '../../../shared/model/message'
import type { StopReason } from '../../../shared/model/session'
import type { LoopSettings } from '../config/settings'
import type { Provider, ToolSchema } from '../model/provider'
import type { Gate } from './gate'
import { createGuards } from './guards'
import { runStep, type StepEnd } from './step'
import { runToolCalls } from './tool-calls'
import type { ToolLookup } from './tool-lookup'

/** A live event without the session it belongs to. */
export type TurnLiveEvent = LiveEvent extends infer Event ? (Event extends LiveEvent ? Omit<Event, 'sessionId'> : never) : never

/** Everything a turn needs. The loop keeps no state of its own between turns. */
export interface TurnContext {
  turnId: string
  provider: Provider
  model: { id: string; name: string; imagesIn: boolean; thinking: boolean; toolCalls: boolean; maxOutputTokens?: number }
  system: string
  tools: ToolLookup
  /** The conversation so far, the prompt of this turn included; the turn appends to it. */
  history: Message[]
  /** What of the history to send: cut to the model's window. */
  fit(history: readonly Message[], tools: readonly ToolSchema[]): readonly Message[]
  /** Stores events; when it returns they are safe. */
  record(...events: EventBody[]): void
  /** Tells who is watching. Cheap. */
  live(event: TurnLiveEvent): void
  gate: Gate
  /** Messages that joined the turn since the last step; each is handed out once. */
  takeSteering(): { parts: UserPart[]; promptId?: string }[]
  /** Keeps a result that is too long for the model; returns the path of the file. */
  saveResult(callId: string, text: string): Promise<string>
  maxResultChars(tool: string): number | undefined
  settings: LoopSettings
  cacheKey: string
  signal: AbortSignal
  /** Injected so that tests are exact: ms clock, random 0..1, abortable pause, ids. */
  now(): number
  random(): number
  pause(ms: number, signal: AbortSignal): Promise<void>
  newId(prefix: string): string
  /** A call id that is unique in the session, from the wire's own. */
  callId(wireId: string): string
}

export interface TurnEnd {
  stop: StopReason
  failure?: Failure
  steps: number
}

/** Asks the model and runs its calls until it answers without calling a tool. Never throws. */
export async function runTurn(ctx: TurnContext): Promise<TurnEnd> {
  const guards = createGuards()
  let steps = 0
  try {
    for (;;) {
      takeSteering(ctx)
      if (ctx.signal.aborted) return { stop: 'cancelled', steps }
      const ending = steps >= ctx.settings.maxSteps ? 'max_steps' : guards.ending()
      if (ending) ctx.record(...say(ctx, guards.lastWords(ending, ctx.settings.maxSteps)))
      steps += 1
      const step = await runStep(ctx, { n: steps, withTools: !ending })
      if (step.kind === 'stopped') return { stop: 'cancelled', steps }
      if (step.kind === 'failed') return { stop: 'error', failure: step.failure, steps }
      if (ending) return { stop: 'max_turn_requests', steps }
      if (step.calls.length === 0) {
        const steering = takeSteering(ctx)
        if (steering > 0) continue
        return { stop: stopOf(step), steps, ...(step.finish === 'refusal' && { failure: refusal() }) }
      }
      const results = await runToolCalls(ctx, step.stepId, step.calls)
      if (ctx.signal.aborted) return { stop: 'cancelled', steps }
      const reminder = guards.observe(step.calls, results)
      if (reminder) ctx.record(...say(ctx, reminder))
    }
  } catch (error) {
    return { stop: 'error', failure: failureOf(error), steps }
  }
}

function takeSteering(ctx: TurnContext): number {
  const joined = ctx.takeSteering()
  for (const { parts, promptId } of joined) {
    ctx.record({ type: 'turn.steered', turnId: ctx.turnId, parts, by: 'user', ...(promptId !== undefined && { promptId }) })
    ctx.history.push({ role: 'user', parts })
  }
  return joined.length
}

/** The loop's own word to the model, in the log like everything else. */
function say(ctx: TurnContext, text: string): EventBody[] {
  const parts: UserPart[] = [{ type: 'text', text }]
  ctx.history.push({ role: 'user', parts })
  return [{ type: 'turn.steered', turnId: ctx.turnId, parts, by: 'guard' }]
}

function stopOf(step: StepEnd & { kind: 'answered' }): StopReason {
  if (step.finish === 'length') return 'max_tokens'
  if (step.finish === 'refusal') return 'refusal'
  return 'end_turn'
}

function refusal(): Failure {
  return { code: 'model.refused', title: 'The provider withheld the answer', message: 'The answer was stopped by a content filter.', advice: 'Rephrase the request.', retryable: false }
}
