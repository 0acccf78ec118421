import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from './event'
import { applyHeader, emptyHeader } from './fold-header'
import type { SessionHeader } from '../model/session/session'
import type { TaskNotification } from '../model/task/task'
import type { TranscriptItem } from './transcript-item'
import {
  applyEvent,
  applyEvents,
  leavesGap,
  prependWindow,
  restartedView,
  initialView,
  type SessionView,
} from './session-view'

const S = 'session'
const text = (value: string) => [{ type: 'text' as const, text: value }]
const failure = {
  code: 'model.server' as const,
  title: 'The model server failed',
  message: '500',
  advice: 'Try again',
  retryable: true,
}

const NEWS: TaskNotification[] = [{ taskId: 'bash-1', command: 'npm test', status: 'completed', startedAt: 1 }]

/** Writes a log as the loop does: everything that starts is finished, with live events in between. */
class Log {
  readonly events: SessionEvent[] = []
  #seq = 0
  #id = 0

  record(body: EventBody): void {
    this.#seq += 1
    this.events.push({ ...body, sessionId: S, seq: this.#seq, at: 1000 + this.#seq })
  }
  live(event: LiveEvent extends infer E ? (E extends LiveEvent ? Omit<E, 'sessionId'> : never) : never): void {
    this.events.push({ ...event, sessionId: S })
  }
  id(prefix: string): string {
    this.#id += 1
    return `${prefix}${this.#id}`
  }
}

interface StepPlan {
  says: string[]
  thinks: string[]
  retries: number
  calls: { approve?: 'allow_once' | 'reject_once'; fails: boolean; progress: string[] }[]
  steer?: 'user' | 'guard' | 'task'
  /** A compaction before the step, and how it ends. */ compacts?: 'done' | 'failed' | 'stopped'
}
interface TurnPlan {
  /** Whether a notification of a task started it instead of the user. */ byNews?: boolean
  steps: StepPlan[]
  stop: 'end_turn' | 'cancelled' | 'error' | 'interrupted'
  /** A manual compaction after it; a finished one is undone. */ compacts?: 'done' | 'failed' | 'stopped'
}

function write(turns: readonly TurnPlan[]): SessionEvent[] {
  const log = new Log()
  log.record({ type: 'session.created', folder: '/p', title: 't', mode: 'ask', addedFolders: [] })
  for (const turn of turns) writeTurn(log, turn)
  return log.events
}

function writeTurn(log: Log, turn: TurnPlan): void {
  const turnId = log.id('turn')
  log.record({ type: 'turn.started', turnId, parts: text('do it'), model: 'm', ...(turn.byNews && { news: NEWS }) })
  turn.steps.forEach((step, n) => {
    if (step.steer)
      log.record({
        type: 'turn.steered',
        turnId,
        parts: text('and this'),
        by: step.steer,
        ...(step.steer === 'task' && { news: NEWS }),
      })
    if (step.compacts) writeCompaction(log, step.compacts, turnId)
    const stepId = log.id('step')
    log.record({ type: 'step.started', turnId, stepId, n: n + 1, model: 'm' })
    const speak = (): void => {
      for (const said of step.thinks) log.live({ type: 'thinking.delta', stepId, text: said })
      for (const said of step.says) log.live({ type: 'text.delta', stepId, text: said })
    }
    for (let attempt = 1; attempt <= step.retries; attempt += 1) {
      speak()
      log.live({ type: 'tool.drafting', stepId, callId: log.id('lost'), name: 'Read', chars: 3 })
      log.record({
        type: 'step.retried',
        turnId,
        stepId,
        attempt,
        of: 10,
        delayMs: 5,
        failure,
        superseded: { text: step.says.join(''), thinking: step.thinks.join('') },
      })
    }
    speak()
    const calls = step.calls.map((call) => ({ ...call, callId: log.id('call') }))
    for (const { callId } of calls)
      log.live({ type: 'tool.drafting', stepId, callId, name: 'Bash', chars: 9, subject: 'other' })
    const last = n === turn.steps.length - 1
    if (last && turn.stop === 'interrupted') return
    const parts = [
      ...(step.thinks.length > 0 ? [{ type: 'thinking' as const, text: step.thinks.join('') }] : []),
      ...(step.says.length > 0 ? [{ type: 'text' as const, text: step.says.join('') }] : []),
      ...calls.map(({ callId }) => ({ type: 'tool_call' as const, callId, name: 'Bash', input: '{"command":"ls"}' })),
    ]
    log.record({ type: 'step.finished', turnId, stepId, parts, finish: 'stop', durationMs: 1 })
    for (const { callId } of calls)
      log.record({
        type: 'tool.started',
        turnId,
        stepId,
        callId,
        name: 'Bash',
        input: '{"command":"ls"}',
        summary: 'ls',
      })
    for (const call of calls) writeCall(log, turnId, call)
  })
  log.record({
    type: 'turn.finished',
    turnId,
    stop: turn.stop,
    steps: turn.steps.length,
    durationMs: 1,
    ...(turn.stop === 'error' && { failure }),
  })
  if (turn.compacts) writeCompaction(log, turn.compacts)
}

function writeCompaction(log: Log, end: 'done' | 'failed' | 'stopped', turnId?: string): void {
  const turn = turnId === undefined ? {} : { turnId }
  const compactionId = log.id('compaction')
  log.record({ type: 'compaction.started', compactionId, ...turn, reason: 'window', tokens: 9 })
  log.record({ type: 'compaction.retried', compactionId, attempt: 1, of: 10, delayMs: 5, failure })
  if (end !== 'done')
    return log.record({
      type: 'compaction.failed',
      compactionId,
      ...turn,
      why: end,
      ...(end === 'failed' && { failure }),
    })
  const dropped = { answers: 1, results: 0, messages: 0 }
  const result = {
    kept: [text('do it')],
    note: 'n',
    summary: 's',
    files: [],
    dropped,
    before: 9,
    after: 3,
    durationMs: 1,
  }
  log.record({ type: 'compaction.finished', compactionId, ...turn, ...result })
  if (turnId === undefined) log.record({ type: 'compaction.undone', compactionId, tokens: 9 })
}

function writeCall(log: Log, turnId: string, call: StepPlan['calls'][number] & { callId: string }): void {
  const { callId } = call
  if (call.approve) {
    const approvalId = log.id('approval')
    log.record({
      type: 'approval.requested',
      approval: {
        approvalId,
        turnId,
        callId,
        tool: 'Bash',
        summary: 'ls',
        reason: 'asks',
        options: [],
        requestedAt: 1,
      },
    })
    log.record({ type: 'approval.resolved', approvalId, callId, outcome: call.approve })
  } else
    log.record({
      type: 'tool.judged',
      turnId,
      callId,
      decision: 'allow',
      reason: 'It only reads.',
      sandbox: 'read-only',
    })
  for (const said of call.progress) log.live({ type: 'tool.progress', callId, text: said })
  const isError = call.fails || call.approve === 'reject_once'
  log.record({ type: 'tool.finished', turnId, callId, name: 'Bash', content: text('ok'), isError, durationMs: 1 })
}

const words = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 3 })
const stepPlan: fc.Arbitrary<StepPlan> = fc.record(
  {
    says: words,
    thinks: words,
    retries: fc.nat(2),
    calls: fc.array(
      fc.record(
        {
          approve: fc.constantFrom('allow_once' as const, 'reject_once' as const),
          fails: fc.boolean(),
          progress: words,
        },
        { requiredKeys: ['fails', 'progress'] },
      ),
      { maxLength: 3 },
    ),
    steer: fc.constantFrom('user' as const, 'guard' as const, 'task' as const),
    compacts: fc.constantFrom('done' as const, 'failed' as const, 'stopped' as const),
  },
  { requiredKeys: ['says', 'thinks', 'retries', 'calls'] },
)
const turnPlan: fc.Arbitrary<TurnPlan> = fc.record(
  {
    byNews: fc.boolean(),
    steps: fc.array(stepPlan, { minLength: 1, maxLength: 4 }),
    stop: fc.constantFrom('end_turn' as const, 'cancelled' as const, 'error' as const, 'interrupted' as const),
    compacts: fc.constantFrom('done' as const, 'failed' as const, 'stopped' as const),
  },
  { requiredKeys: ['byNews', 'steps', 'stop'] },
)
const logs = fc.array(turnPlan, { minLength: 1, maxLength: 4 }).map(write)

const empty = (): SessionView => initialView(emptyHeader(S), [], false)
const recordedOf = (events: readonly SessionEvent[]): RecordedEvent[] => events.filter((event) => 'seq' in event)
const headerOf = (events: readonly RecordedEvent[]): SessionHeader => events.reduce(applyHeader, emptyHeader(S))

/** Cuts a log into windows as the store does: each starts at a turn or a step. */
function windows(events: readonly RecordedEvent[], size: number): RecordedEvent[][] {
  const cuts: RecordedEvent[][] = []
  let end = events.length
  while (end > 0) {
    let start = Math.max(0, end - size)
    while (start > 0 && events[start]?.type !== 'turn.started' && events[start]?.type !== 'step.started') start -= 1
    cuts.push(events.slice(start, end))
    end = start
  }
  return cuts
}

describe('the view of a session', () => {
  it('is the same after a live run and after reading the log', () => {
    fc.assert(
      fc.property(logs, (events) => {
        const live = applyEvents(empty(), events)
        const recorded = recordedOf(events)
        expect(initialView(headerOf(recorded), recorded, false).items).toEqual(live.items)
        expect(live.header).toEqual(headerOf(recorded))
      }),
    )
  })

  it('is the same for single events and for batches', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 7 }), (events, size) => {
        const single = events.reduce(applyEvent, empty())
        let batched = empty()
        for (let start = 0; start < events.length; start += size)
          batched = applyEvents(batched, events.slice(start, start + size))
        expect(batched).toEqual(single)
      }),
    )
  })

  it('loses only what was streaming when live events are dropped', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, at) => {
        const prefix = events.slice(0, at % (events.length + 1))
        expect(calm(applyEvents(empty(), prefix).items)).toEqual(calm(applyEvents(empty(), recordedOf(prefix)).items))
      }),
    )
  })

  it('is the same when built from windows as when read at once', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 30 }), (events, size) => {
        const recorded = recordedOf(events)
        const [latest = [], ...older] = windows(recorded, size)
        let view = initialView(headerOf(recorded), latest, older.length > 0)
        older.forEach((window, n) => (view = prependWindow(view, window, n < older.length - 1)))
        expect(view.items).toEqual(initialView(headerOf(recorded), recorded, false).items)
        expect(view.hasMore).toBe(false)
      }),
    )
  })

  it('catches up after a reconnect without repeated or lost deltas', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (events, away, back) => {
        const from = away % (events.length + 1)
        const to = from + (back % (events.length - from + 1))
        const before = applyEvents(empty(), events.slice(0, from))
        const missed = recordedOf(events.slice(from, to))
        const seq = recordedOf(events.slice(0, to)).length
        // What is streaming at `to`: all live events since the last recorded event, or more; here from the start of the
        // log.
        const streaming = events.slice(0, to).filter((event): event is LiveEvent => !('seq' in event))
        const view = applyEvents(restartedView(before, seq, openOnly(events.slice(0, to), streaming)), missed)
        expect(view.items).toEqual(applyEvents(empty(), events.slice(0, to)).items)
      }),
    )
  })

  it('ignores recorded events it already has', () => {
    fc.assert(
      fc.property(logs, (events) => {
        const view = applyEvents(empty(), events)
        expect(applyEvents(view, recordedOf(events))).toBe(view)
      }),
    )
  })

  it('keeps the reason why a call ran without asking', () => {
    const events = write([
      {
        byNews: false,
        steps: [{ says: [], thinks: [], retries: 0, calls: [{ fails: false, progress: [] }] }],
        stop: 'end_turn',
      },
    ])
    const { items } = applyEvents(empty(), events)
    expect(items).toContainEqual(
      expect.objectContaining({
        kind: 'tool',
        judged: { decision: 'allow', reason: 'It only reads.', sandbox: 'read-only' },
      }),
    )
  })

  it('attributes notifications of tasks to Trestle, never to the user', () => {
    const step = { says: ['ok'], thinks: [], retries: 0, calls: [] }
    const events = write([{ byNews: true, steps: [step, { ...step, steer: 'task' }], stop: 'end_turn' }])
    const { items } = initialView(emptyHeader(S), recordedOf(events), false)
    expect(items.filter((item) => item.kind === 'user')).toEqual([])
    expect(items.filter((item) => item.kind === 'news')).toMatchObject([
      { tasks: NEWS, text: 'do it', steered: false },
      { tasks: NEWS, text: 'and this', steered: true },
    ])
  })

  it('ignores live events of unknown or finished steps and calls', () => {
    const events = write([
      {
        byNews: false,
        steps: [{ says: ['a'], thinks: [], retries: 0, calls: [{ fails: false, progress: [] }] }],
        stop: 'end_turn',
      },
    ])
    const view = applyEvents(empty(), events)
    const step = events.find((event) => event.type === 'step.started')
    const call = events.find((event) => event.type === 'tool.started')
    const late: LiveEvent[] = [
      { type: 'text.delta', sessionId: S, stepId: step?.type === 'step.started' ? step.stepId : '', text: 'late' },
      { type: 'thinking.delta', sessionId: S, stepId: 'nowhere', text: 'late' },
      { type: 'tool.drafting', sessionId: S, stepId: 'nowhere', callId: 'x', name: 'Read', chars: 1 },
      { type: 'tool.progress', sessionId: S, callId: call?.type === 'tool.started' ? call.callId : '', text: 'late' },
      { type: 'tool.progress', sessionId: S, callId: 'nowhere', text: 'late' },
    ]
    expect(applyEvents(view, late)).toBe(view)
  })

  it('keeps the identity of unchanged items', () => {
    const step = { says: ['a'], thinks: [], retries: 0, calls: [{ fails: false, progress: ['x'] }] }
    const events = write(Array.from({ length: 5 }, () => ({ steps: [step], stop: 'end_turn' as const })))
    const view = applyEvents(empty(), events.slice(0, -4))
    const next = applyEvents(view, events.slice(-4))
    const changed = next.items.filter((item, index) => item !== view.items[index])
    expect(changed.length).toBeLessThanOrEqual(2)
  })

  it('folds 20,000 chunks into 10,000 messages, independent of the length of the transcript', () => {
    const plain = { says: ['hello'], thinks: [], retries: 0, calls: [] }
    const history = recordedOf(
      write(Array.from({ length: 5000 }, () => ({ steps: [plain], stop: 'end_turn' as const }))),
    )
    const at = history.length
    const fresh = (bodies: EventBody[]): RecordedEvent[] =>
      bodies.map((body, n) => ({ ...body, sessionId: S, seq: at + n + 1, at: 1 }))
    let view = initialView(headerOf(history), history, false)
    view = applyEvents(
      view,
      fresh([
        { type: 'turn.started', turnId: 't', parts: text('go'), model: 'm' },
        { type: 'step.started', turnId: 't', stepId: 'st', n: 1, model: 'm' },
      ]),
    )
    expect(view.items.length).toBe(10_002)
    const took: number[] = []
    for (let frame = 0; frame < 500; frame += 1) {
      const begin = performance.now()
      view = applyEvents(
        view,
        Array.from({ length: 40 }, () => ({
          type: 'text.delta' as const,
          sessionId: S,
          stepId: 'st',
          text: 'word word ',
        })),
      )
      took.push(performance.now() - begin)
    }
    // The median excludes frames that other programs interrupted.
    const perFrame = took.toSorted((a, b) => a - b)[250]
    const last = view.items.at(-1)
    expect(last?.kind === 'answer' && last.segments[0]?.text.length).toBe(200_000)
    expect(perFrame).toBeLessThan(2)
  })

  it('shows the subject of a call while the model is writing its arguments', () => {
    const call = { fails: false, progress: [] }
    const events = write([{ steps: [{ says: [], thinks: [], retries: 0, calls: [call] }], stop: 'end_turn' }])
    const draft = events.findIndex((event) => event.type === 'tool.drafting')
    const summaries = [draft + 1, events.length].map((end) =>
      applyEvents(empty(), events.slice(0, end)).items.flatMap((item) => (item.kind === 'tool' ? [item.summary] : [])),
    )
    expect(summaries).toEqual([['other'], ['ls']])
  })

  it('detects a gap in the log', () => {
    const events = recordedOf(
      write([{ steps: [{ says: ['a'], thinks: [], retries: 0, calls: [] }], stop: 'end_turn' }]),
    )
    const view = applyEvents(empty(), events.slice(0, 2))
    expect(leavesGap(view, events[2]!)).toBe(false)
    expect(leavesGap(view, events[3]!)).toBe(true)
  })
})

/** Items without their live state. */
function calm(items: readonly TranscriptItem[]): TranscriptItem[] {
  return items
    .filter((item) => item.kind !== 'tool' || item.state !== 'drafting')
    .map((item) => {
      if (item.kind === 'tool') return { ...item, progress: '', chars: 0 }
      if (item.kind !== 'answer' || !item.streaming) return item
      const { retry: _waiting, ...rest } = item
      return { ...rest, segments: [] }
    })
}

/**
 * The live events of what is still open at the end of `events`: those of the step since its last retry, and those of
 * running calls.
 */
function openOnly(events: readonly SessionEvent[], live: readonly LiveEvent[]): LiveEvent[] {
  const lastMark = events.findLastIndex(
    (event) => event.type === 'step.started' || event.type === 'step.retried' || event.type === 'step.finished',
  )
  const after = new Set<SessionEvent>(events.slice(lastMark + 1))
  const finished = new Set(events.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : [])))
  return live.filter((event) => (event.type === 'tool.progress' ? !finished.has(event.callId) : after.has(event)))
}
