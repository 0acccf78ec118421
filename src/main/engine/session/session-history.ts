import { visibleStretches } from '../../../shared/model/checkpoint'
import type { RecordedEvent } from '../../../shared/model/event'
import { fileDiffs } from '../../../shared/model/file-diffs'
import type { Message } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import { recentHistory } from '../context/history'
import { createLoggedCounts } from '../context/logged-counts'
import { isTelling } from '../context/prefix/told'
import type { CountedRequest } from '../context/token-count'
import type { ModelInfo } from '../model/provider'
import type { ReadState, SeenLines, Workspace } from '../workspace/workspace'
import type { Session } from './session'
import type { Store } from './store'
import type { Windows } from './windows'

/** Of a conversation that was never compacted, so much is read for each token of the window; what is beyond that has no room anyway. */
const MOST_CHARS_PER_TOKEN = 12

/** A conversation as its model is to see it. */
export interface HistoryNow {
  history: Message[]
  /** What has told the model of changes, oldest first. */
  telling: RecordedEvent[]
  /** The provider's latest count, as long as it is of this history. */
  known: CountedRequest | undefined
}

export interface HistoryDeps {
  store: Pick<Store, 'since' | 'historyBackwards'>
  workspaceOf(session: Session): Workspace
  windows: Windows
}

/** Reads the conversation from the log. `marks`: the numbers of checkpoints are told to the model. */
export function historyNow(
  { store, workspaceOf, windows }: HistoryDeps,
  session: Session,
  info: ModelInfo,
  { compacted, marks }: { compacted: ReturnType<typeof compactionOf>; marks: boolean },
): HistoryNow {
  const telling: RecordedEvent[] = []
  const events = remembering(store.historyBackwards(session.id), workspaceOf(session).reads, telling)
  const counts = createLoggedCounts(info.id, windows.of(info).sizes)
  const trims = trimsOf(store, session.header)
  const history = recentHistory(events, info.contextWindow * MOST_CHARS_PER_TOKEN, { compacted, trims, marks, counts })
  return { history, telling: telling.toReversed(), known: counts.latest() }
}

/** The compaction that stands for the beginning of the conversation. */
export function compactionOf(store: Pick<Store, 'since'>, { sessionId, compacted }: SessionHeader) {
  const event = compacted && store.since(sessionId, compacted.seq - 1, 1)[0]
  return event?.type === 'compaction.finished' ? event : undefined
}

/** The trims that the conversation has not gone back over. */
function trimsOf(store: Pick<Store, 'since'>, { sessionId, seq, cuts = [], trims = [] }: SessionHeader) {
  const stretches = visibleStretches(cuts, seq)
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
function* remembering(events: Iterable<RecordedEvent>, reads: ReadState, telling: RecordedEvent[]): Iterable<RecordedEvent> {
  for (const event of events) {
    if (isTelling(event)) telling.push(event)
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
