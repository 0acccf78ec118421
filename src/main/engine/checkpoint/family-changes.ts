import type { RecordedEvent } from '../../../shared/model/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Store } from '../session/store'

/** More subagents than any family has. */
const ALL = 100_000

export type ChangeEvent = Extract<RecordedEvent, { type: 'checkpoint.changed' | 'checkpoint.restored' }>

type FamilyStore = Pick<Store, 'ofTypes' | 'header' | 'since' | 'agents'>

/**
 * What was changed after the event `to`: by the session itself, and from that moment on by its subagents and theirs, in the order it happened. Calls of a
 * family that meet wait for each other, so their times tell the order. `endedOnly`: without subagents that are still at work.
 */
export function changesAfter(store: FamilyStore, sessionId: string, to: number, { endedOnly = false } = {}): ChangeEvent[] {
  const own: ChangeEvent[] = store.ofTypes(sessionId, ['checkpoint.changed', 'checkpoint.restored'], to)
  const agents = descendants(store, sessionId).filter(({ agent }) => !endedOnly || agent?.status !== 'running')
  if (agents.length === 0) return own
  const from = store.since(sessionId, to, 1)[0]?.at ?? Number.POSITIVE_INFINITY
  const theirs = agents.flatMap((one): ChangeEvent[] =>
    store.ofTypes(one.sessionId, ['checkpoint.changed', 'checkpoint.restored']).filter(({ at }) => at >= from),
  )
  return [...own, ...theirs].toSorted((a, b) => a.at - b.at)
}

/** Subagents of the session that are still at work. */
export function workingAgents(store: FamilyStore, sessionId: string): SessionHeader[] {
  return descendants(store, sessionId).filter(({ agent }) => agent?.status === 'running')
}

function descendants(store: FamilyStore, sessionId: string): SessionHeader[] {
  const rootId = store.header(sessionId)?.agent?.rootId ?? sessionId
  const family = store.agents({ rootId, limit: ALL })
  const inside = new Set([sessionId])
  // Those nearer to the top first, so that one passage is enough.
  for (const { sessionId: id, agent } of family.toSorted((a, b) => (a.agent?.depth ?? 0) - (b.agent?.depth ?? 0)))
    if (agent && inside.has(agent.parentId)) inside.add(id)
  return family.filter(({ sessionId: id }) => id !== sessionId && inside.has(id))
}
