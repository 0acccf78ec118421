import { visibleRanges } from '../../../shared/model/checkpoint'
import type { RecordedEvent } from '../../../shared/events/event'
import { fileDiffs } from '../../../shared/model/preview'
import type { Message } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import { recentHistory, createRecordedTokenCounts } from '../context/history'
import { conveysFacts, knownFactsIn, knownTools } from '../context/facts/context-fact'
import type { CountedRequest } from '../context/tokens/token-count'
import type { ModelInfo } from '../model/provider'
import type { ReadState, SeenLines, Workspace } from '../workspace/workspace'
import type { Session } from '../session/session'
import type { Store } from '../store/store'
import type { ContextWindows } from './context-windows'
import type { RequestPrefix } from '../../../shared/model/context'

/** Of a conversation that was never compacted, so much is read for each token of the window; what is beyond that has no room anyway. */
const MAX_CHARS_PER_TOKEN = 12

/** A conversation as its model is to see it. */
export interface LoadedHistory {
  history: Message[]
  /** What has told the model of changes, oldest first. */
  telling: RecordedEvent[]
  /** The provider's latest count, as long as it is of this history. */
  known: CountedRequest | undefined
}

export interface HistoryDeps {
  store: Pick<Store, 'since' | 'historyBackwards'>
  workspaceOf(session: Session): Workspace
  windows: ContextWindows
}

/** Reads the conversation from the log. `marks`: the numbers of checkpoints are told to the model. */
export function loadHistory(
  { store, workspaceOf, windows }: HistoryDeps,
  session: Session,
  info: ModelInfo,
  { compacted, marks }: { compacted: ReturnType<typeof latestCompaction>; marks: boolean },
): LoadedHistory {
  const telling: RecordedEvent[] = []
  const events = restoringReads(store.historyBackwards(session.id), workspaceOf(session).reads, telling)
  const counts = createRecordedTokenCounts(info.id, windows.of(info).sizes)
  const trims = activeTrims(store, session.header)
  const history = recentHistory(events, info.contextWindow * MAX_CHARS_PER_TOKEN, { compacted, trims, marks, counts })
  return { history, telling: telling.toReversed(), known: counts.latest() }
}

/** The compaction that stands for the beginning of the conversation. */
export function latestCompaction(store: Pick<Store, 'since'>, { sessionId, compacted }: SessionHeader) {
  const event = compacted && store.since(sessionId, compacted.seq - 1, 1)[0]
  return event?.type === 'compaction.finished' ? event : undefined
}

/** The trims that the conversation has not gone back over. */
function activeTrims(store: Pick<Store, 'since'>, { sessionId, seq, cuts = [], trims = [] }: SessionHeader) {
  const stretches = visibleRanges(cuts, seq)
  return trims.flatMap((trim) => {
    if (!stretches.some(({ from, to }) => trim >= from && trim <= to)) return []
    const event = store.since(sessionId, trim - 1, 1)[0]
    return event?.type === 'context.trimmed' ? [event] : []
  })
}

function partOf({ line, lines, total }: { line: number; lines: number; total?: number }): SeenLines | 'part' {
  return total === undefined ? 'part' : { first: line, last: line + lines - 1, total }
}

/** Passes events on, newest first, and notes which file contents the agent has seen, and what has told it of changes: its memory survives a restart. */
function* restoringReads(
  events: Iterable<RecordedEvent>,
  reads: ReadState,
  telling: RecordedEvent[],
): Iterable<RecordedEvent> {
  for (const event of events) {
    if (conveysFacts(event)) telling.push(event)
    const details = event.type === 'tool.finished' ? event.details : undefined
    for (const { path, hash, part, ...shown } of details?.kind === 'file' ? [details] : fileDiffs(details)) {
      const latest = reads.lastRead(path)
      // Parts of one version, read one after the other, add up.
      if (hash === undefined || (latest !== undefined && latest !== hash)) continue
      reads.markRead(path, hash, part && 'line' in shown ? partOf(shown) : part ? 'part' : 'all')
    }
    yield event
  }
}

/** So many sessions' prefixes stay in memory; the others are read again. */
const MAX_KEPT = 20

/** What the log has of the prefixes of sessions. */
export interface FrozenPrefixes {
  /** The one that a session's requests begin with; the same objects as long as it is the same. Undefined when the next turn freezes one. */
  of(session: { header: SessionHeader }): { seq: number; prefix: RequestPrefix } | undefined
  /** Names of the tools whose schemas the model of a session has. */
  knownTools(session: { header: SessionHeader }): ReadonlySet<string> | undefined
}

export function createFrozenPrefixes(store: Pick<Store, 'since' | 'historyBackwards'>): FrozenPrefixes {
  const kept = new Map<string, { seq: number; prefix: RequestPrefix }>()

  function of({ header: { sessionId, prefixSeq: seq } }: { header: SessionHeader }) {
    if (seq === undefined) return undefined
    let known = kept.get(sessionId)
    if (known?.seq !== seq) {
      const event = store.since(sessionId, seq - 1, 1)[0]
      if (event?.type !== 'prefix.frozen') return undefined
      const { system, tools, facts } = event
      known = { seq, prefix: { system, tools, facts } }
    }
    // The one used last is the last to go.
    kept.delete(sessionId)
    kept.set(sessionId, known)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    return known
  }

  function tellingSince({ header }: { header: SessionHeader }, seq: number): RecordedEvent[] {
    const events: RecordedEvent[] = []
    for (const event of store.historyBackwards(header.sessionId)) {
      if (event.seq < seq) break
      if (conveysFacts(event)) events.push(event)
    }
    return events.toReversed()
  }

  return {
    of,
    knownTools(session) {
      const known = of(session)
      return known && knownTools(knownFactsIn(known.prefix, tellingSince(session, known.seq)))
    },
  }
}

/**
 * Makes call ids unique within a session: some servers count from `call_0` in every answer. Where the history has been compacted it does not show the ids
 * from before: then `since`, the place of that in the log, is put into every new one.
 */
export function createCallIds(history: readonly Message[], since?: number): (wireId: string) => string {
  const seen = new Set<string>()
  for (const message of history) if (message.role === 'tool') seen.add(message.callId)
  return (wireId) => {
    const base = `${wireId || 'call'}${since === undefined ? '' : `_c${since}`}`
    let id = base
    for (let n = 2; seen.has(id); n += 1) id = `${base}_${n}`
    seen.add(id)
    return id
  }
}
