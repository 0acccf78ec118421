import type { RecordedEvent } from '../../../shared/events/event'
import type { AgentStart } from '../../../shared/model/session/agent'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Store } from '../store/store'

/** More subagents than any session has. */
const ALL = 100_000

const CHANGES = ['checkpoint.changed', 'checkpoint.restored'] as const
/** The changes, and the events that determine where the work of subagents belongs. */
const PLACED = [
  ...CHANGES,
  'subagent.started',
  'agent.started',
  'agent.moved',
  'agent.ended',
  'step.started',
  'turn.finished',
] as const

export type ChangeEvent = Extract<RecordedEvent, { type: (typeof CHANGES)[number] }>
type PlacedEvent = Extract<RecordedEvent, { type: (typeof PLACED)[number] }>

export type FamilyStore = Pick<Store, 'ofTypes' | 'header' | 'since' | 'agents'>

/**
 * Changes after the event `to`, in order: those of the session, and those of its direct and indirect subagents from
 * that moment on. A subagent's change belongs to the call that gave it the work, whatever its time: a clock may have
 * been set back, and a moved session was recorded with several clocks. Times matter only for background work, which
 * runs in parallel with the session. `endedOnly`: without subagents that are still running.
 */
export function changesAfter(
  store: FamilyStore,
  sessionId: string,
  to: number,
  { endedOnly = false } = {},
): ChangeEvent[] {
  const agents = descendants(store, sessionId)
  if (agents.length === 0) return store.ofTypes(sessionId, CHANGES, to)
  const from = store.since(sessionId, to, 1)[0]?.at ?? Number.POSITIVE_INFINITY
  const found = placedChanges(
    store.ofTypes(sessionId, PLACED),
    agents.flatMap(({ sessionId: id }) => worksOf(store.ofTypes(id, PLACED))),
    { isAfter: ({ seq }) => seq > to, isLate: ({ at }) => at >= from },
  )
  const left = new Set(endedOnly ? agents.filter(isRunning).map((one) => one.sessionId) : [])
  return found
    .filter(({ event, isAfter }) => isAfter && !left.has(event.sessionId))
    .toSorted((a, b) => a.at - b.at)
    .map(({ event }) => event)
}

/** Subagents of the session that are still running. */
export function workingAgents(store: FamilyStore, sessionId: string): SessionHeader[] {
  return descendants(store, sessionId).filter(isRunning)
}

function isRunning({ agent }: SessionHeader): boolean {
  return agent?.status === 'running'
}

function descendants(store: FamilyStore, sessionId: string): SessionHeader[] {
  const rootId = store.header(sessionId)?.agent?.rootId ?? sessionId
  const family = store.agents({ rootId, limit: ALL })
  const inside = new Set([sessionId])
  // Parents before children, so that one pass is enough.
  for (const { sessionId: id, agent } of family.toSorted((a, b) => (a.agent?.depth ?? 0) - (b.agent?.depth ?? 0)))
    if (agent && inside.has(agent.parentId)) inside.add(id)
  return family.filter(({ sessionId: id }) => id !== sessionId && inside.has(id))
}

/** The work that a call gave a subagent, and what the subagent recorded since. */
interface Work {
  start?: AgentStart
  events: PlacedEvent[]
}

/** All work of a subagent, oldest first. */
function worksOf(events: readonly PlacedEvent[]): Work[] {
  const works: Work[] = []
  for (const event of events) {
    if (event.type === 'agent.started') works.push({ start: event, events: [] })
    if (works.length === 0) works.push({ events: [] })
    works.at(-1)!.events.push(event)
  }
  return works
}

/** `at`: a time that orders the events of a family even if a clock was set back. */
interface PlacedChange {
  event: ChangeEvent
  at: number
  isAfter: boolean
}

type Judge = (event: PlacedEvent) => boolean

function placedChanges(
  own: readonly PlacedEvent[],
  works: readonly Work[],
  { isAfter, isLate }: { isAfter: Judge; isLate: Judge },
): PlacedChange[] {
  const found: PlacedChange[] = []
  const open = new Set(works)

  /** Returns the time of the last event. */
  function place(events: readonly PlacedEvent[], since: number, judge: Judge): number {
    let latest = since
    let awaited = since
    for (const [index, event] of events.entries()) {
      // A step follows the calls of the previous one, and everything they waited for.
      if (endsCalls(event)) latest = Math.max(latest, awaited)
      latest = Math.max(latest, event.at)
      if (event.type === 'subagent.started') {
        const work = workOf(event)
        if (!work) continue
        open.delete(work)
        const next = events.slice(index + 1).find(endsCalls)
        const isOver = next !== undefined && !judge({ ...next, seq: next.seq - 1 })
        const end = place(work.events, latest, judgeOf(work, judge(event), isOver))
        if (!event.background) awaited = Math.max(awaited, end)
      } else if (event.type === 'checkpoint.changed' || event.type === 'checkpoint.restored') {
        found.push({ event, at: latest, isAfter: judge(event) })
      }
    }
    return Math.max(latest, awaited)
  }

  function workOf({ agentId, callId }: PlacedEvent & { type: 'subagent.started' }): Work | undefined {
    return [...open].find(({ start, events }) => start?.callId === callId && events[0]?.sessionId === agentId)
  }

  /** Whether an event comes after the given point, based on the position of the call that gave the work. */
  function judgeOf({ start, events }: Work, isCallAfter: boolean, isCallOver: boolean): Judge {
    if (isCallAfter) return () => true
    const left = events.find(({ type }) => type === 'agent.moved' || type === 'agent.ended')
    return (event) => {
      // The call waited for it and has ended.
      const isBefore = isCallOver && start?.background === false && (left === undefined || event.seq < left.seq)
      return !isBefore && isLate(event)
    }
  }

  place(own, 0, isAfter)
  // The process ended before the call was recorded in the session that made it.
  for (const work of open) place(work.events, 0, isLate)
  return found
}

/** Whether the calls of the previous step have ended. */
function endsCalls({ type }: PlacedEvent): boolean {
  return type === 'step.started' || type === 'turn.finished'
}
