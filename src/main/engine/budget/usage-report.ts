import { textOf } from '../../../shared/model/turn/message'
import {
  addUsage,
  NO_USAGE,
  type AgentUsage,
  type PriceTable,
  type SessionUsage,
  type TurnUsage,
  type UsageGroup,
  type UsageReport,
  type UsageRow,
  type UsageSum,
} from '../../../shared/model/turn/usage'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { SpendingRows } from '../store/rows/spending-rows'
import type { Store } from '../store/store'
import { cutText } from '../../../shared/cut-text'

/** Characters of a prompt in a list of turns. */
const PROMPT_CHARS = 120

export interface UsageReportDeps {
  rows: SpendingRows
  store: Pick<Store, 'header' | 'ofTypes'>
  now(): number
  prices(): PriceTable
}

/** Usage reports for all hosts. */
export interface UsageActions {
  report(by: UsageGroup, days: number): UsageReport
  session(sessionId: string, withTurns: boolean): SessionUsage
}

/** Totals for the last days. */
export function usageReport(deps: UsageReportDeps, by: UsageGroup, days: number): UsageReport {
  const { rows, store, now } = deps
  const at = now()
  const { from, to } = rows.range(days, at)
  const sums = new Map(rows.report('day', days, at).map((row) => [row.key, row]))
  const each = daysBetween(from, to).map((day): UsageRow => ({ ...NO_USAGE, ...sums.get(day), key: day, label: day }))
  const label = (key: string): string => {
    if (by === 'session') return store.header(key)?.title || 'Deleted session'
    if (by === 'project') return isScratchFolder(key) ? 'No project' : key
    return key === '' ? 'Unknown model' : key
  }
  return {
    by,
    from,
    to,
    rows: by === 'day' ? each : rows.report(by, days, at).map((row) => ({ ...row, label: label(row.key) })),
    days: each,
    total: each.reduce<UsageSum>(addUsage, NO_USAGE),
    prices: deps.prices(),
  }
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  // Noon, so that no daylight saving change skips or repeats a day.
  for (let at = new Date(`${from}T12:00:00Z`); ; at = new Date(at.getTime() + 86_400_000)) {
    const day = at.toISOString().slice(0, 10)
    days.push(day)
    if (day >= to) return days
  }
}

/** The usage of a session, including its subagents. */
export function sessionUsage(
  { rows, store }: Pick<UsageReportDeps, 'rows' | 'store'>,
  sessionId: string,
  withTurns: boolean,
): Omit<SessionUsage, 'limits'> {
  const rootId = store.header(sessionId)?.agent?.rootId ?? sessionId
  const family = new Map(rows.family(rootId).map(({ sessionId: id, ...sum }) => [id, sum]))
  const own = family.get(sessionId) ?? NO_USAGE
  const agents = [...family].flatMap(([id, sum]): AgentUsage[] => {
    if (id === sessionId) return []
    const depth = depthBelow(store, id, sessionId)
    return depth === undefined ? [] : [{ ...sum, sessionId: id, depth, title: titleOf(store, id) }]
  })
  return {
    sessionId,
    own,
    total: agents.reduce<UsageSum>(addUsage, own),
    agents: agents.toSorted((one, other) => other.cost - one.cost || other.output - one.output),
    ...(withTurns && { turns: turnsOf(store, sessionId) }),
  }
}

/** How many levels an agent is below a session; undefined if it is not one of its subagents. */
function depthBelow(store: Pick<Store, 'header'>, id: string, ancestor: string): number | undefined {
  let depth = 0
  for (let at = store.header(id); at?.agent; at = store.header(at.agent.parentId)) {
    depth += 1
    if (at.agent.parentId === ancestor) return depth
  }
  return undefined
}

function titleOf(store: Pick<Store, 'header'>, id: string): string {
  const header = store.header(id)
  return header?.agent ? `${header.agent.agentType}: ${header.agent.description}` : (header?.title ?? 'Deleted session')
}

function turnsOf(store: Pick<Store, 'ofTypes'>, sessionId: string): TurnUsage[] {
  const turns = new Map<string, TurnUsage>()
  for (const event of store.ofTypes(sessionId, ['turn.started', 'step.finished', 'compaction.finished'])) {
    if (event.type === 'turn.started') {
      const text = cutText(textOf(event.parts).trim(), PROMPT_CHARS).toWellFormed()
      turns.set(event.turnId, { ...NO_USAGE, turnId: event.turnId, at: event.at, text })
      continue
    }
    const turn = event.turnId === undefined ? undefined : turns.get(event.turnId)
    if (!turn || !event.usage) continue
    const { input, output, cached, thinking, written = 0, cost } = event.usage
    const sum = { requests: 1, input, output, cached, thinking, written }
    turns.set(turn.turnId, {
      ...turn,
      ...addUsage(turn, { ...sum, cost: cost ?? 0, unpriced: cost === undefined ? 1 : 0 }),
    })
  }
  return [...turns.values()].toReversed()
}
