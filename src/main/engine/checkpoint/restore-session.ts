import { rmSync } from 'node:fs'
import type {
  ConversationCut,
  FileChange,
  KeptFile,
  RestorePreview,
  RestoreResult,
  RestoreStep,
  DMail,
} from '../../../shared/model/session/checkpoint'
import { CodedError } from '../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import type { Store } from '../store/store'
import { applyRestore, removeTemporaries } from './apply-restore'
import { isWithin } from '../workspace/path/real-path'
import { type BlobStore, captureFile, sameState } from './capture/file-state'
import { changeList, listedChanges } from './capture/call-checkpoints'
import { changesAfter, workingAgents } from './family-changes'
import { pathHistories, type PathHistory, planRestore } from './plan-restore'
import { undoableChanges } from './moved-paths'
import { addRefs, type CheckpointPaths, readJson, writeAtomically } from './capture/checkpoint-files'

/** Maximum number of notes about files that are not covered. */
const MAX_SENTENCES = 20
const FOLDED_AT_ONCE = 2000

export interface RestoreDeps {
  /** Files in it are not part of the work: a plan is restored with its session, but not listed among the files. */
  home: string
  store: Pick<Store, 'ofTypes' | 'historyBackwards' | 'header' | 'since' | 'agents'>
  place: CheckpointPaths
  blobs: BlobStore
  maxBytes(): number
  newId(prefix: string): string
}

/** The session of a restore: this process holds its lease, and it is idle during the restore. */
export interface RestoringSession {
  readonly id: string
  record(...events: EventBody[]): RecordedEvent[]
}

/** What a restore would do. Changes nothing. Throws `request.invalid` when `to` is not a restore point. */
export function previewRestore(deps: RestoreDeps, sessionId: string, request: RestoreRequest): RestorePreview {
  return withoutHomeFiles(deps, wholeRestore(deps, sessionId, request))
}

function withoutHomeFiles<Lists extends { steps: readonly RestoreStep[]; kept: readonly KeptFile[] }>(
  { home }: Pick<RestoreDeps, 'home'>,
  lists: Lists,
): Lists {
  const isWork = ({ path }: { path: string }): boolean => !isWithin(path, home)
  return { ...lists, steps: lists.steps.filter(isWork), kept: lists.kept.filter(isWork) }
}

function wholeRestore(deps: RestoreDeps, sessionId: string, request: RestoreRequest): RestorePreview {
  const { to, files, conversation } = request
  const header = deps.store.header(sessionId)
  if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  if (request.paths === undefined) requirePoint(deps, sessionId, to)
  const { steps, kept } = files
    ? planRestore(historiesAfter(deps, sessionId, request).values(), planOptions(deps, request))
    : NO_PLAN
  return {
    to,
    steps,
    kept,
    notCovered: files ? notCoveredAfter(deps, sessionId, to) : [],
    ...(conversation && { messagesTaken: messagesAfter(deps, sessionId, to) }),
  }
}

/** Performs and records a restore. Backs up the current state first. */
export async function restoreSession(
  deps: RestoreDeps,
  session: RestoringSession,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const preview = wholeRestore(deps, session.id, request)
  const { to } = preview
  const conversation = request.conversation ? conversationAt(deps, session.id, to) : undefined
  const safe = backUpPresent(deps, session.id, preview)
  if (safe.steps.length === 0 && !conversation) return withoutHomeFiles(deps, { ...preview, ...safe })
  const journal: RestoreJournal = {
    restoreId: deps.newId('restore'),
    to,
    steps: safe.steps,
    kept: safe.kept,
    ...(request.paths && { part: 'file' as const }),
    ...(conversation && { conversation }),
  }
  const { seq, kept } = await executeRestore(deps, session, journal)
  return withoutHomeFiles(deps, {
    ...preview,
    steps: safe.steps.filter(({ path }) => !kept.some((one) => one.path === path)),
    kept,
    seq,
  })
}

/** Executes the journal, which may already be partly done, and records the restore. */
export async function executeRestore(
  deps: RestoreDeps,
  session: RestoringSession,
  journal: RestoreJournal,
): Promise<{ seq: number; kept: KeptFile[] }> {
  const { place, blobs } = deps
  const { restoreId, to, steps, conversation, part, dMail, after = [] } = journal
  const path = place.restore(session.id)
  writeJournal(path, journal)
  const applied = await applyRestore(steps, { blobs, maxBytes: deps.maxBytes(), restoreId })
  const kept = [...journal.kept, ...applied.kept]
  const [event] = session.record(
    {
      type: 'checkpoint.restored',
      restoreId,
      to,
      kept: kept.slice(0, MAX_SENTENCES),
      ...changeList({ place, blobs }, session.id, applied.changes),
      ...(part && { part }),
      ...(conversation && { conversation }),
      ...(dMail && { dMail }),
    },
    ...after,
  )
  removeJournal(path)
  return { seq: event!.seq, kept }
}

/** Finishes a restore that was interrupted by the end of its process. */
export async function finishRestore(deps: RestoreDeps, session: RestoringSession): Promise<void> {
  const path = deps.place.restore(session.id)
  const journal = readJournal(path)
  if (!journal) return
  const { restoreId, steps } = journal
  const recorded = deps.store
    .ofTypes(session.id, ['checkpoint.restored'])
    .some((event) => event.restoreId === restoreId)
  removeTemporaries(steps, restoreId)
  if (recorded) removeJournal(path)
  else await executeRestore(deps, session, journal)
}

/** The changes of the session and its subagents after the event `to`, summed up by path. */
export function historiesAfter(
  deps: Pick<RestoreDeps, 'store' | 'blobs' | 'home'>,
  sessionId: string,
  { to, paths, endedOnly = false }: { to: number; paths?: readonly string[]; endedOnly?: boolean },
): Map<string, PathHistory> {
  const changes: FileChange[] = []
  const undoable = undoableChanges(deps.store, sessionId, deps.home)
  for (const event of changesAfter(deps.store, sessionId, to, { endedOnly })) {
    const listed = listedChanges(event, deps.blobs)
    if (!listed)
      throw new CodedError(
        'checkpoint.lost',
        `The list of ${event.count} changed files (event ${event.seq}) is damaged or gone.`,
      )
    for (const change of undoable(event, listed)) if (!paths || paths.includes(change.path)) changes.push(change)
  }
  return pathHistories(changes)
}

const NO_PLAN = { steps: [], kept: [] }

function planOptions(deps: RestoreDeps, { overwrite = [] }: RestoreRequest): Parameters<typeof planRestore>[1] {
  const all = overwrite === 'all'
  const named = new Set(all ? [] : overwrite)
  return { blobs: deps.blobs, maxBytes: deps.maxBytes(), mayOverwrite: (path) => all || named.has(path) }
}

/** Throws `request.invalid` unless `to` is right before a message of the user or a restore. */
function requirePoint({ store }: RestoreDeps, sessionId: string, to: number): void {
  const [next] = store.ofTypes(sessionId, ['turn.started', 'turn.steered', 'checkpoint.restored'], to).slice(0, 1)
  if (next?.seq !== to + 1)
    throw new CodedError(
      'request.invalid',
      `to: nothing can go back to ${to}, which is not right before a message or a restore.`,
    )
}

/**
 * Backs up the current state, so that the restore can be undone; skips files that have changed since the restore was
 * planned.
 */
export function backUpPresent(
  deps: RestoreDeps,
  sessionId: string,
  { steps, kept }: Pick<RestorePreview, 'steps' | 'kept'>,
): { steps: RestoreStep[]; kept: KeptFile[] } {
  const safe: RestoreStep[] = []
  const changed: KeptFile[] = []
  for (const step of steps) {
    // Already backed up after a call. The file itself is checked again right before it is changed.
    if (step.from.kind === 'file' && deps.blobs.touch(step.from.hash)) {
      safe.push(step)
      continue
    }
    const now = captureFile(step.path, { keepIn: deps.blobs, maxBytes: deps.maxBytes() })
    if (sameState(now, step.from)) safe.push(step)
    else changed.push({ path: step.path, kind: 'changed', why: 'Another program changed it just now.' })
  }
  addRefs(
    deps.place,
    sessionId,
    safe.map(({ from }) => from),
  )
  return { steps: safe, kept: [...kept, ...changed] }
}

function notCoveredAfter({ store }: RestoreDeps, sessionId: string, to: number): string[] {
  const all = changesAfter(store, sessionId, to).flatMap((event) =>
    event.type === 'checkpoint.changed' ? (event.notCovered ?? []) : [],
  )
  const working = workingAgents(store, sessionId).map(
    ({ agent }) =>
      `The subagent “${agent?.description ?? ''}” is still running: ` +
      'changes it makes from now on are not undone. Stop it first to undo them.',
  )
  return [...new Set([...working, ...all])].slice(0, MAX_SENTENCES)
}

function messagesAfter({ store }: RestoreDeps, sessionId: string, to: number): number {
  let count = 0
  for (const event of store.historyBackwards(sessionId)) {
    if (event.seq <= to) break
    if (isUserMessage(event)) count += 1
  }
  return count
}

export function isUserMessage(
  event: RecordedEvent,
): event is Extract<RecordedEvent, { type: 'turn.started' | 'turn.steered' }> {
  if (event.type === 'turn.started') return event.news === undefined
  return event.type === 'turn.steered' && event.by === 'user'
}

/** The conversation state of the header right after the event `to`, folded again from the log. */
export function conversationAt({ store }: RestoreDeps, sessionId: string, to: number): ConversationCut {
  let header = emptyHeader(sessionId)
  while (header.seq < to) {
    const events = store.since(sessionId, header.seq, Math.min(FOLDED_AT_ONCE, to - header.seq))
    if (events.length === 0) break
    header = events.reduce(applyHeader, header)
  }
  const { todos, context, compacted, prefixSeq, plan } = header
  return {
    to,
    todos,
    ...(context && { context }),
    ...(compacted && { compacted }),
    ...(prefixSeq !== undefined && { prefixSeq }),
    ...(plan && { plan }),
  }
}

/** What is needed to finish a running restore if the process dies. */
interface RestoreJournal {
  restoreId: string
  to: number
  part?: 'hunk' | 'file'
  steps: RestoreStep[]
  kept: KeptFile[]
  conversation?: ConversationCut
  dMail?: DMail
  /** Events recorded right after the restore, in the same transaction. */
  after?: EventBody[]
}

export function writeJournal(path: string, journal: RestoreJournal): void {
  writeAtomically(path, JSON.stringify(journal))
}

function readJournal(path: string): RestoreJournal | undefined {
  const found = readJson(path) as RestoreJournal | undefined
  return found && typeof found.restoreId === 'string' && Array.isArray(found.steps) ? found : undefined
}

function removeJournal(path: string): void {
  rmSync(path, { force: true })
}

/** The request for a restore; see `RestorePreview`. */
export interface RestoreRequest {
  /**
   * Restores the state right after this event, which must be right before a message of the user or a restore. May be 0
   * with `paths`.
   */
  to: number
  files: boolean
  conversation: boolean
  /** Only these files; then `to` can be any event. */
  paths?: readonly string[]
  /** Files to restore even if they were changed outside the session; their current content is backed up. */
  overwrite?: readonly string[] | 'all'
}
