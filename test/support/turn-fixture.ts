import { z } from 'zod'
import type { EventBody } from '../../src/shared/events/event'
import type { Message } from '../../src/shared/model/turn/message'
import type { Gate } from '../../src/main/engine/loop/call-lifecycle'
import { createCallIds } from '../../src/main/engine/turn/session-history'
import type { TurnContext, TurnLiveEvent } from '../../src/main/engine/loop/turn-context'
import type { ModelChunk, ModelRequest } from '../../src/main/engine/model/provider'
import { createRegistry } from '../../src/main/engine/tool/registry'
import { ok, type Access, type CallContext, type Tool, type ToolResult } from '../../src/main/engine/tool/tool'

/** One answer of the scripted model: its chunks, or an error. */
export type Answer = ModelChunk[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelChunk>)

/** A text answer that ends properly. */
export function text(words: string): ModelChunk[] {
  return [
    { type: 'text', text: words },
    { type: 'text.end' },
    { type: 'finish', reason: 'stop', usage: { input: 10, output: 5, cached: 0, thinking: 0 } },
  ]
}

/** An answer that calls tools: `[name, input, id?]`. */
export function calls(...list: [name: string, input: unknown, id?: string][]): ModelChunk[] {
  const parts = list.map(([name, input, id], index): ModelChunk => ({
    type: 'tool.call',
    callId: id ?? `c${index}`,
    name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }))
  return [...parts, { type: 'finish', reason: 'tool_calls' }]
}

export interface ToolSpec {
  name: string
  accesses?: (input: Record<string, unknown>) => Access[]
  run?: (input: Record<string, unknown>, ctx: CallContext) => Promise<ToolResult> | ToolResult
  timeoutMs?: number | null
  /** It changes something; default: it only reads. */
  changes?: boolean
}

/** A tool that accepts any object and does what the test specifies. */
export function tool({
  name,
  accesses = () => [],
  run = (input) => ok(`${name} ${JSON.stringify(input)}`),
  timeoutMs,
  changes = false,
}: ToolSpec): Tool {
  const input = z.looseObject({})
  return {
    name,
    description: `The tool ${name}.`,
    input: () => input,
    annotations: { readOnly: !changes, destructive: changes, idempotent: !changes, openWorld: false },
    ...(timeoutMs !== undefined && { timeoutMs }),
    async prepare(value) {
      const fields = input.parse(value)
      return { summary: name, accesses: accesses(fields), run: async (ctx) => run(fields, ctx) }
    },
  }
}

export interface TurnFixture {
  ctx: TurnContext
  events: EventBody[]
  live: TurnLiveEvent[]
  requests: ModelRequest[]
  pauses: number[]
  stop(reason?: Error): void
  /** Sends a message to the running turn. */
  steer(words: string): void
  /** Resolves when an event of this type has been recorded. */
  recorded(type: EventBody['type']): Promise<void>
}

/** A turn with a model that gives prepared answers; fails when there are no more. */
export function turnFixture({
  answers,
  tools = [],
  gate,
  ask,
  ...more
}: {
  answers: Answer[]
  tools?: Tool[]
  gate?: Gate
  ask?: TurnContext['calls']['ask']
  maxSteps?: number
  maxAttempts?: number
  idleTimeoutMs?: number
}): TurnFixture {
  const abort = new AbortController()
  const events: EventBody[] = []
  const live: TurnLiveEvent[] = []
  const requests: ModelRequest[] = []
  const pauses: number[] = []
  const waiting: { type: string; resolve: () => void }[] = []
  const history: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }]
  let steering: string[] = []
  let clock = 0
  let ids = 0
  let checkpoints = 0
  const script = [...answers]
  const registry = createRegistry(tools)
  const ctx: TurnContext = {
    turnId: 'turn',
    signal: abort.signal,
    settings: {
      maxSteps: more.maxSteps ?? 50,
      maxAttempts: more.maxAttempts ?? 3,
      idleTimeoutMs: more.idleTimeoutMs ?? 5000,
      retryBaseMs: 100,
      retryMaxMs: 1000,
    },
    record(...bodies) {
      events.push(...bodies)
      for (const { type, resolve } of waiting) if (bodies.some((body) => body.type === type)) resolve()
    },
    live: (event) => live.push(event),
    model: {
      provider: {
        async *stream(request, signal) {
          requests.push({ ...request, messages: [...request.messages] })
          const answer = script.shift()
          if (!answer) throw new Error('the script has no further answer')
          yield* typeof answer === 'function' ? answer(request, signal) : answer
        },
      },
      info: { id: 'p/m', name: 'm', imagesIn: false, thinking: false, toolCalls: true },
      cacheKey: 'session',
      cache: 'short',
    },
    conversation: {
      prefix: {
        system: 'system',
        tools: registry.schemas(),
        renew: async () => undefined,
        pendingChanges: () => undefined,
      },
      history,
      budget: {
        enforce: async () => undefined,
        outputLimit: () => undefined,
        remainingTokens: () => 100_000,
        recordUsage: () => undefined,
        historyReplaced: () => undefined,
        onOverflow: () => false,
      },
      takeSteering() {
        const taken = steering.map((words) => ({ parts: [{ type: 'text' as const, text: words }] }))
        steering = []
        return taken
      },
      planNotice: () => undefined,
    },
    tools: registry,
    calls: {
      gate: gate ?? (async () => ({ allowed: true })),
      ask: ask ?? (async () => ({ none: 'unattended', why: 'No user is available.' })),
      withdraw: (asked, reason) =>
        void events.push({
          type: 'approval.resolved',
          approvalId: asked.approvalId,
          callId: asked.callId,
          outcome: 'cancelled',
          reason,
        }),
      saveResult: async (callId) => `/saved/${callId}.txt`,
      maxResultChars: () => undefined,
      warmUp: () => {},
      callId: createCallIds(history),
    },
    checkpoints: {
      next: () => (checkpoints += 1),
      areMarked: false,
      backUp: () => undefined,
      goBack: async () => ({ problem: 'There is no way back in this test.' }),
    },
    clock: {
      now: () => (clock += 1),
      random: () => 0.5,
      async pause(ms, signal) {
        pauses.push(ms)
        signal.throwIfAborted()
      },
      newId: (prefix) => `${prefix}-${(ids += 1)}`,
    },
  }
  return {
    ctx,
    events,
    live,
    requests,
    pauses,
    stop: (reason) => abort.abort(reason),
    steer: (words) => void steering.push(words),
    recorded: (type) =>
      events.some((event) => event.type === type)
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ type, resolve })),
  }
}

/** The types of events in order, for short comparisons. */
export function types(events: readonly EventBody[]): string[] {
  return events.map((event) => event.type)
}
