import {
  type ConversationCut,
  type FileChange,
  type KeptFile,
  type RestorePreview,
  type RestoreResult,
  type RestoreStep,
} from '../../../shared/model/checkpoint'
import { CodedError } from '../../../shared/model/errors'
import type { EventBody, RecordedEvent } from '../../../shared/model/event'
import { applyHeader, emptyHeader } from '../../../shared/model/fold'
import type { RestoreRequest } from '../engine-api'
import type { Store } from '../session/store'
import { applyRestore, removeTemporaries } from './apply-restore'
import { isWithin } from '../workspace/real-path'
import type { BlobStore } from './blob-store'
import { changeList, listedChanges } from './call-checkpoints'
import { changesAfter, workingAgents } from './family-changes'
import { captureFile, sameState } from './file-state'
import { pathHistories, type PathHistory } from './path-history'
import { planRestore } from './plan-restore'
import { readJournal, removeJournal, writeJournal, type RestoreJournal } from './restore-journal'
import { noteRefs, type CheckpointPlace } from './session-place'

/** Enough to know that something was not covered. */
const MOST_SENTENCES = 20
const FOLDED_AT_ONCE = 2000

export interface RestoreDeps {
  /** What lies in it is no part of the work: a plan goes back with its session, but is not listed among the files. */
  home: string
  store: Pick<Store, 'ofTypes' | 'historyBackwards' | 'header' | 'since' | 'agents'>
  place: CheckpointPlace
  blobs: BlobStore
  maxBytes(): number
  newId(prefix: string): string
}

/** A session as a restore needs it: held by this process, and idle meanwhile. */
export interface RestoringSession {
  readonly id: string
  record(...events: EventBody[]): RecordedEvent[]
}

/** What a restore would do. Changes nothing. Throws `request.invalid` where nothing can go back to. */
export function previewRestore(deps: RestoreDeps, sessionId: string, request: RestoreRequest): RestorePreview {
  return withoutOwn(deps, wholeRestore(deps, sessionId, request))
}

function withoutOwn<Lists extends { steps: readonly RestoreStep[]; kept: readonly KeptFile[] }>(
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
  const { steps, kept } = files ? planRestore(historiesAfter(deps, sessionId, request).values(), planOptions(deps, request)) : NO_PLAN
  return {
    to,
    steps,
    kept,
    notCovered: files ? notCoveredAfter(deps, sessionId, to) : [],
    ...(conversation && { messagesTaken: messagesAfter(deps, sessionId, to) }),
  }
}

/** Carries it out, and records it. What is there now is kept first. */
export async function restoreSession(deps: RestoreDeps, session: RestoringSession, request: RestoreRequest): Promise<RestoreResult> {
  const preview = wholeRestore(deps, session.id, request)
  const { to } = preview
  const conversation = request.conversation ? cutAt(deps, session.id, to) : undefined
  const safe = keepPresent(deps, session.id, preview)
  if (safe.steps.length === 0 && !conversation) return withoutOwn(deps, { ...preview, ...safe })
  const journal: RestoreJournal = {
    restoreId: deps.newId('restore'),
    to,
    steps: safe.steps,
    kept: safe.kept,
    ...(request.paths && { part: 'file' as const }),
    ...(conversation && { conversation }),
  }
  const { seq, kept } = await carryOut(deps, session, journal)
  return withoutOwn(deps, { ...preview, steps: safe.steps.filter(({ path }) => !kept.some((one) => one.path === path)), kept, seq })
}

/** Does what the journal says, also when a part of it is done already, and records it. */
export async function carryOut(
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
      kept: kept.slice(0, MOST_SENTENCES),
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

/** Finishes a restore that was cut off by the end of its process. */
export async function finishRestore(deps: RestoreDeps, session: RestoringSession): Promise<void> {
  const path = deps.place.restore(session.id)
  const journal = readJournal(path)
  if (!journal) return
  const { restoreId, steps } = journal
  const recorded = deps.store.ofTypes(session.id, ['checkpoint.restored']).some((event) => event.restoreId === restoreId)
  removeTemporaries(steps, restoreId)
  if (recorded) removeJournal(path)
  else await carryOut(deps, session, journal)
}

/** What the session and its subagents have made of each path after the event `to`. */
export function historiesAfter(
  deps: Pick<RestoreDeps, 'store' | 'blobs'>,
  sessionId: string,
  { to, paths, endedOnly = false }: { to: number; paths?: readonly string[]; endedOnly?: boolean },
): Map<string, PathHistory> {
  const changes: FileChange[] = []
  for (const event of changesAfter(deps.store, sessionId, to, { endedOnly })) {
    const listed = listedChanges(event, deps.blobs)
    if (!listed)
      throw new CodedError('checkpoint.lost', `The list of ${event.count} changed files (event ${event.seq}) is damaged or gone.`)
    for (const change of listed) if (!paths || paths.includes(change.path)) changes.push(change)
  }
  return pathHistories(changes)
}

const NO_PLAN = { steps: [], kept: [] }

function planOptions(deps: RestoreDeps, { overwrite = [] }: RestoreRequest): Parameters<typeof planRestore>[1] {
  const all = overwrite === 'all'
  const named = new Set(all ? [] : overwrite)
  return { blobs: deps.blobs, maxBytes: deps.maxBytes(), mayOverwrite: (path) => all || named.has(path) }
}

/** Right before a message of the user, or before a restore, and nowhere else. */
function requirePoint({ store }: RestoreDeps, sessionId: string, to: number): void {
  const [next] = store.ofTypes(sessionId, ['turn.started', 'turn.steered', 'checkpoint.restored'], to).slice(0, 1)
  if (next?.seq !== to + 1)
    throw new CodedError('request.invalid', `to: nothing can go back to ${to}, which is not right before a message or a restore.`)
}

/** Keeps what is there now, so that the restore can be taken back; what has changed since it was planned is left alone. */
export function keepPresent(
  deps: RestoreDeps,
  sessionId: string,
  { steps, kept }: Pick<RestorePreview, 'steps' | 'kept'>,
): { steps: RestoreStep[]; kept: KeptFile[] } {
  const safe: RestoreStep[] = []
  const changed: KeptFile[] = []
  for (const step of steps) {
    // Kept before, as what a call left behind: the file itself is looked at again right before it is changed.
    if (step.from.kind === 'file' && deps.blobs.keeps(step.from.hash)) {
      safe.push(step)
      continue
    }
    const now = captureFile(step.path, { keepIn: deps.blobs, maxBytes: deps.maxBytes() })
    if (sameState(now, step.from)) safe.push(step)
    else changed.push({ path: step.path, kind: 'changed', why: 'Someone else changed it at this very moment.' })
  }
  noteRefs(
    deps.place,
    sessionId,
    safe.map(({ from }) => from),
  )
  return { steps: safe, kept: [...kept, ...changed] }
}

function notCoveredAfter({ store }: RestoreDeps, sessionId: string, to: number): string[] {
  const all = changesAfter(store, sessionId, to).flatMap((event) => (event.type === 'checkpoint.changed' ? (event.notCovered ?? []) : []))
  const working = workingAgents(store, sessionId).map(
    ({ agent }) =>
      `The subagent “${agent?.description ?? ''}” is still at work: what it changes from now on stays. Stop it first if it should not.`,
  )
  return [...new Set([...working, ...all])].slice(0, MOST_SENTENCES)
}

function messagesAfter({ store }: RestoreDeps, sessionId: string, to: number): number {
  let count = 0
  for (const event of store.historyBackwards(sessionId)) {
    if (event.seq <= to) break
    if (isUserMessage(event)) count += 1
  }
  return count
}

export function isUserMessage(event: RecordedEvent): event is Extract<RecordedEvent, { type: 'turn.started' | 'turn.steered' }> {
  if (event.type === 'turn.started') return event.news === undefined
  return event.type === 'turn.steered' && event.by === 'user'
}

/** What the header had right after the event `to`: folded anew from the log, whatever went back and forth before. */
export function cutAt({ store }: RestoreDeps, sessionId: string, to: number): ConversationCut {
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
