import { visibleRanges } from '../../../shared/model/session/checkpoint'
import type { RecordedEvent } from '../../../shared/events/event'
import { fileDiffs } from '../../../shared/model/approval/preview'
import type { Message } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import { recentHistory, createRecordedTokenCounts } from '../context/compaction/history'
import { conveysFacts, knownFactsIn, knownTools } from '../context/facts/context-fact'
import type { CountedRequest } from '../context/tokens/token-count'
import type { ModelInfo } from '../model/provider'
import type { ReadState, SeenLines, Workspace } from '../workspace/workspace'
import type { Session } from '../session/session'
import type { Store } from '../store/store'
import type { ContextWindows } from './context-windows'
import type { RequestPrefix } from '../../../shared/model/turn/context'

/** How much of an uncompacted conversation is read, in characters per token of the window; more would not fit. */
const MAX_CHARS_PER_TOKEN = 12

/** A conversation as the model sees it. */
export interface LoadedHistory {
  history: Message[]
  /** Events that told the model about changed facts, oldest first. */
  telling: RecordedEvent[]
  /** The provider's latest token count, if it applies to this history. */
  known: CountedRequest | undefined
}

export interface HistoryDeps {
  store: Pick<Store, 'since' | 'historyBackwards'>
  workspaceOf(session: Session): Workspace
  windows: ContextWindows
}

/** Reads the conversation from the log. `marks`: whether the model sees checkpoint numbers. */
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
  const { undone = [] } = session.header
  const source = { compacted, trims, marks, counts, undone }
  const history = recentHistory(events, info.contextWindow * MAX_CHARS_PER_TOKEN, source)
  return { history, telling: telling.toReversed(), known: counts.latest() }
}

/** The compaction that replaces the start of the conversation. */
export function latestCompaction(store: Pick<Store, 'since'>, { sessionId, compacted }: SessionHeader) {
  const event = compacted && store.since(sessionId, compacted.seq - 1, 1)[0]
  return event?.type === 'compaction.finished' ? event : undefined
}

/** The trims that no restore has undone. */
function activeTrims(store: Pick<Store, 'since'>, { sessionId, seq, cuts = [], trims = [] }: SessionHeader) {
  const ranges = visibleRanges(cuts, seq)
  return trims.flatMap((trim) => {
    if (!ranges.some(({ from, to }) => trim >= from && trim <= to)) return []
    const event = store.since(sessionId, trim - 1, 1)[0]
    return event?.type === 'context.trimmed' ? [event] : []
  })
}

function partOf({ line, lines, total }: { line: number; lines: number; total?: number }): SeenLines | 'part' {
  return total === undefined ? 'part' : { first: line, last: line + lines - 1, total }
}

/**
 * Yields the events, newest first, and collects from them which file contents the agent has read and which changed
 * facts it knows, so that both survive a restart.
 */
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
      // Reads of several parts of the same version are combined.
      if (hash === undefined || (latest !== undefined && latest !== hash)) continue
      reads.markRead(path, hash, part && 'line' in shown ? partOf(shown) : part ? 'part' : 'all')
    }
    yield event
  }
}

/** How many sessions' prefixes are cached. */
const MAX_KEPT = 20

/** The recorded request prefixes of sessions. */
export interface FrozenPrefixes {
  /**
   * The prefix of a session's requests; the same objects while it does not change. Undefined when the next turn freezes
   * a new one.
   */
  of(session: { header: SessionHeader }): { seq: number; prefix: RequestPrefix } | undefined
  /** Names of the tools whose schemas the session's model has received. */
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
    // Moves the entry to the end: the least recently used one is evicted.
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
 * Makes call ids unique within a session: some servers start from `call_0` in every answer. A compacted history does
 * not contain the earlier ids, so every new id then includes `since`, the sequence number of the compaction.
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
