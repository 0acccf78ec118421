import { hash } from 'node:crypto'
import { CodedError } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import type { FileChange, FileState } from '../../../shared/model/session/checkpoint'
import type { ReplayFile, ReplayOverview, ReplayStep } from '../../../shared/model/session/history'
import { textOf } from '../../../shared/model/turn/message'
import { listedChanges } from '../checkpoint/capture/call-checkpoints'
import type { BlobStore } from '../checkpoint/capture/file-state'
import { placedChanges } from '../checkpoint/moved-paths'
import type { HistoryRows } from '../store/chain/history-rows'
import type { Store } from '../store/store'
import { readPlainFile } from '../workspace/path/plain-file'
import { unifiedDiff } from '../workspace/unified-diff'
import { cutText } from '../../../shared/cut-text'

/** Maximum number of files per event for which diffs are computed. */
const MAX_FILES = 30
/** Larger contents are not compared. */
const MAX_BYTES = 1_000_000
/** Characters of a prompt in the list of turns. */
const MAX_PROMPT = 120

export interface ReplayDeps {
  store: Pick<Store, 'header' | 'since' | 'ofTypes'>
  rows: Pick<HistoryRows, 'chunk'>
  blobs: Pick<BlobStore, 'get'>
}

/** The number of events, and where turns start. */
export function replayOverview({ store }: ReplayDeps, sessionId: string): ReplayOverview {
  const header = headerOf(store, sessionId)
  const turns = store.ofTypes(sessionId, ['turn.started']).map(({ seq, at, parts }, index) => ({
    turn: index + 1,
    seq,
    at,
    text: cutText(textOf(parts).replaceAll(/\s+/g, ' ').trim(), MAX_PROMPT).toWellFormed(),
  }))
  return { sessionId, title: header.title, total: header.seq, turns }
}

/** Events starting at `from`, in readable form. */
export async function replaySteps(
  deps: ReplayDeps,
  sessionId: string,
  from: number,
  limit: number,
): Promise<ReplayStep[]> {
  const { store, rows } = deps
  const { seq: total } = headerOf(store, sessionId)
  const starts = store.ofTypes(sessionId, ['turn.started']).map(({ seq }) => seq)
  const events = store.since(sessionId, from - 1, limit)
  const placed = placedChanges(store, sessionId)
  const hashes = new Map(
    rows.chunk(sessionId, from - 1).map((row) => [row.place, row.seq === undefined ? undefined : row.hash]),
  )
  return Promise.all(
    events.map(async (event) => {
      const changes = placed(event, changesOf(deps, event))
      const shown = recordedDiffs(event)
      const ownHash = hashes.get(event.seq)
      return {
        seq: event.seq,
        total,
        at: event.at,
        type: event.type,
        turn: starts.filter((start) => start <= event.seq).length,
        ...describeEvent(event),
        files: shown ?? (await Promise.all(changes.slice(0, MAX_FILES).map(async (change) => fileOf(deps, change)))),
        moreFiles: Math.max(0, changes.length - MAX_FILES),
        ...(typeof ownHash === 'string' && { hash: ownHash }),
      }
    }),
  )
}

function headerOf(store: Pick<Store, 'header'>, sessionId: string): { title: string; seq: number } {
  const header = store.header(sessionId)
  if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  return header
}

function changesOf({ blobs }: ReplayDeps, event: RecordedEvent): FileChange[] {
  if (event.type !== 'checkpoint.changed' && event.type !== 'checkpoint.restored') return []
  return listedChanges(event, blobs as BlobStore) ?? []
}

/** The diffs in the result of a call. */
function recordedDiffs(event: RecordedEvent): ReplayFile[] | undefined {
  const details = event.type === 'tool.finished' ? event.details : undefined
  const diffs = details?.kind === 'diff' ? [details] : details?.kind === 'diffs' ? details.files : undefined
  return diffs?.map(({ path, diff, added, removed, note }) => ({
    path,
    action: 'changed',
    diff,
    added,
    removed,
    ...(note !== undefined && { note }),
  }))
}

async function fileOf({ blobs }: ReplayDeps, { path, before, after }: FileChange): Promise<ReplayFile> {
  const action = before.kind === 'absent' ? 'created' : after.kind === 'absent' ? 'deleted' : 'changed'
  const [old, now] = [contentOf(path, before, blobs), contentOf(path, after, blobs)]
  if (typeof old === 'object' || typeof now === 'object') {
    const { note } = [old, now].find((one) => typeof one === 'object')!
    return { path, action, note }
  }
  const { diff, added, removed, note } = await unifiedDiff(path, old, now)
  return { path, action, diff, added, removed, ...(note !== undefined && { note }) }
}

/** The text, or why it cannot be shown; undefined for a file that didn't exist. */
function contentOf(
  path: string,
  state: FileState,
  blobs: Pick<BlobStore, 'get'>,
): string | undefined | { note: string } {
  switch (state.kind) {
    case 'absent':
      return undefined
    case 'link':
      return `link to ${state.target}\n`
    case 'folder':
      return { note: 'It is a folder.' }
    case 'unkept':
      return { note: `The content was not kept: ${state.why}.` }
    default: {
      if (state.size > MAX_BYTES) return { note: 'It is too large to compare here.' }
      // The result of a change is saved only when something else changes the file; until then, it is the file itself.
      const bytes = blobs.get(state.hash) ?? presentContent(path, state.hash)
      if (!bytes) return { note: 'The content is no longer kept. The result of the call may show what was changed.' }
      if (bytes.includes(0)) return { note: 'It is not text.' }
      return bytes.toString('utf8')
    }
  }
}

/** The current file, if it still has this content. */
function presentContent(path: string, wanted: string): Buffer | undefined {
  const bytes = readPlainFile(path, MAX_BYTES)
  return bytes && hash('sha256', bytes, 'hex') === wanted ? bytes : undefined
}

/** Characters of the text of one event. */
const MAX_TEXT = 20_000

/** Describes an event for readers of the history. */
export function describeEvent(event: RecordedEvent): { title: string; text: string } {
  const { title, text } = described(event)
  return {
    title,
    text: text.length > MAX_TEXT ? `${cutText(text, MAX_TEXT).toWellFormed()}\n… shortened` : text,
  }
}

function described(event: RecordedEvent): { title: string; text: string } {
  switch (event.type) {
    case 'session.created':
      return { title: 'The session was created', text: event.folder }
    case 'turn.started':
      return { title: event.news ? 'Background tasks started a turn' : 'You asked', text: textOf(event.parts) }
    case 'turn.steered':
      return {
        title: event.by === 'user' ? 'You added a message' : 'Trestle added a message',
        text: textOf(event.parts),
      }
    case 'turn.finished':
      return { title: `The turn ended: ${event.stop.replaceAll('_', ' ')}`, text: event.failure?.message ?? '' }
    case 'step.started':
      return { title: `Request ${event.n} was sent`, text: event.model }
    case 'step.finished':
      return {
        title: event.partial === true ? 'The model was cut off' : 'The model answered',
        text: event.parts
          .map((part) => (part.type === 'tool_call' ? `→ ${part.name}` : 'text' in part ? part.text : ''))
          .filter((text) => text !== '')
          .join('\n\n'),
      }
    case 'step.retried':
      return { title: `Attempt ${event.attempt} failed`, text: event.failure.message }
    case 'tool.started':
      return { title: `Call: ${event.name}`, text: event.summary === '' ? event.input : event.summary }
    case 'tool.judged':
      return { title: `Decided without asking: ${event.decision}`, text: event.reason }
    case 'approval.requested':
      return { title: 'Approval was requested', text: `${event.approval.summary}\n${event.approval.reason}` }
    case 'approval.resolved':
      return {
        title: `The request was answered: ${event.outcome.replaceAll('_', ' ')}`,
        text: event.feedback ?? event.reason ?? '',
      }
    case 'tool.finished':
      return {
        title: event.isError ? `${event.name} failed` : `${event.name} finished`,
        text: event.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n'),
      }
    case 'checkpoint.made':
      return { title: 'A checkpoint was made', text: event.files.map(({ path }) => path).join('\n') }
    case 'checkpoint.changed':
      return {
        title: event.count === 1 ? 'A file was changed' : `${event.count} files were changed`,
        text: (event.notCovered ?? []).join('\n'),
      }
    case 'checkpoint.restored':
      return { title: `Restored to event ${event.to}`, text: event.conversation ? 'The conversation as well.' : '' }
    case 'prompt.queued':
    case 'prompt.edited':
      return {
        title: event.type === 'prompt.queued' ? 'A prompt was queued' : 'A queued prompt was changed',
        text: textOf(event.parts),
      }
    case 'todos.changed':
      return {
        title: 'The to-do list changed',
        text: event.todos.map(({ title, status }) => `${status.replace('_', ' ')}: ${title}`).join('\n'),
      }
    case 'compaction.finished':
      return { title: 'The conversation was compacted', text: event.note }
    case 'subagent.started':
      return { title: `A subagent was started: ${event.agentType}`, text: event.description }
    case 'task.started':
      return { title: 'A background task was started', text: event.task.command }
    case 'title.made':
      return { title: 'The session was named', text: event.title ?? '' }
    default:
      return { title: OTHER[event.type] ?? event.type, text: fieldsOf(event) }
  }
}

/** Titles of rarely viewed events, whose content is shown as fields. */
const OTHER: Readonly<Record<string, string>> = {
  'session.changed': 'Settings of the session changed',
  'sandbox.changed': 'The sandbox changed',
  'sandbox.allowed': 'The sandbox was opened to something',
  'prompt.removed': 'A queued prompt was removed',
  'prompt.moved': 'The queue was reordered',
  'prompt.joins': 'A queued prompt joins the turn',
  'prefix.frozen': 'The system prompt and tools were set',
  'model.fell_back': 'Another model took over',
  'sampling.finished': 'A server used the model',
  'context.trimmed': 'Old results were trimmed',
  'compaction.started': 'A compaction started',
  'compaction.retried': 'A compaction was tried again',
  'compaction.failed': 'A compaction failed',
  'compaction.undone': 'A compaction was undone',
  'plan.entered': 'Plan mode was turned on',
  'plan.submitted': 'A plan was submitted',
  'plan.resolved': 'The plan was answered',
  'plan.left': 'Plan mode was turned off',
  'news.requested': 'A task was sent to the agent',
  'agent.started': 'The subagent was given work',
  'agent.ended': 'The subagent ended',
  'agent.moved': 'The subagent moved to the background',
  'subagent.defined': 'A type of subagents was defined',
  'rules.allowed': 'Permissions were given for the session',
}

function fieldsOf({ type: _type, sessionId: _session, seq: _seq, at: _at, ...fields }: RecordedEvent): string {
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields, undefined, 2)
}
