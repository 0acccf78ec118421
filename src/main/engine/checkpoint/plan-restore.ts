import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileState, KeptFile, RestoreStep, FileChange } from '../../../shared/model/checkpoint'
import { type BlobStore, captureFile, sameState } from './file-state'
import type { RecordedEvent } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Store } from '../store/store'

export interface RestorePlan {
  steps: RestoreStep[]
  kept: KeptFile[]
}

export interface PlanOptions {
  blobs: BlobStore
  maxBytes: number
  /** Whether a path may be restored although someone else has changed it since. */
  mayOverwrite(path: string): boolean
}

/** What has to be done so that each path is again what it was before its first change; nothing is changed here. */
export function planRestore(histories: Iterable<PathHistory>, options: PlanOptions): RestorePlan {
  const { blobs, maxBytes, mayOverwrite } = options
  const steps: RestoreStep[] = []
  const kept: KeptFile[] = []
  const theirs = new Set<string>()
  const movedFolders = new Map<string, boolean>()
  for (const { path, before: to, after: expected, foreign } of histories) {
    for (const hash of foreign ?? []) theirs.add(hash)
    const from = captureFile(path, { maxBytes })
    if (sameState(from, to)) continue
    const impossible = obstacle(from, to, blobs) ?? movedAway(path, movedFolders)
    if (impossible !== undefined) {
      kept.push({ path, kind: 'impossible', why: impossible })
      continue
    }
    const isForeign = foreign !== undefined || !sameState(from, expected)
    // A folder has nothing that could be lost.
    if (isForeign && !isFolderOrNothing(from, to) && !mayOverwrite(path)) {
      kept.push({ path, kind: 'changed', why: foreignChangeReason(from, foreign !== undefined) })
      continue
    }
    steps.push({ path, action: actionOf(from, to), isFolder: from.kind === 'folder' || to.kind === 'folder', from, to })
  }
  return withoutFullFolders(withoutLoss({ steps, kept }, theirs, mayOverwrite))
}

/** What someone else wrote may have been moved by the agent meanwhile: where it lies now it stays, unless it comes back elsewhere. */
function withoutLoss(
  { steps, kept }: RestorePlan,
  theirs: ReadonlySet<string>,
  mayOverwrite: (path: string) => boolean,
): RestorePlan {
  const returning = new Set(steps.flatMap(({ to }) => (to.kind === 'file' ? [to.hash] : [])))
  const isLoss = ({ path, from }: RestoreStep): boolean =>
    from.kind === 'file' && theirs.has(from.hash) && !returning.has(from.hash) && !mayOverwrite(path)
  const losses = steps
    .filter(isLoss)
    .map(({ path }): KeptFile => ({ path, kind: 'changed', why: 'It holds what someone else wrote.' }))
  return losses.length === 0
    ? { steps, kept }
    : { steps: steps.filter((step) => !isLoss(step)), kept: [...kept, ...losses] }
}

function actionOf(from: FileState, to: FileState): RestoreStep['action'] {
  return from.kind === 'absent' ? 'create' : to.kind === 'absent' ? 'delete' : 'change'
}

function isFolderOrNothing(from: FileState, to: FileState): boolean {
  return [from, to].every(({ kind }) => kind === 'folder' || kind === 'absent')
}

function foreignChangeReason(now: FileState, between: boolean): string {
  if (now.kind === 'absent') return 'It was deleted or moved by someone else.'
  return between ? 'Someone else changed it between two changes of the agent.' : 'Someone else has changed it since.'
}

/** Why a path cannot be restored at all. */
function obstacle(from: FileState, to: FileState, blobs: BlobStore): string | undefined {
  if (to.kind === 'unkept') return `What it was is not kept: ${to.why}.`
  if (from.kind === 'unkept') return `What it is now could not be kept: ${from.why}.`
  if (to.kind === 'file' && !blobs.has(to.hash)) return 'What it was is not kept any more.'
  return undefined
}

/** `known`: what was found out of folders before. */
function movedAway(path: string, known: Map<string, boolean>): string | undefined {
  const folder = dirname(path)
  const moved = known.get(folder) ?? leadsElsewhere(folder)
  known.set(folder, moved)
  return moved ? 'A folder on the way to it is a symbolic link by now.' : undefined
}

/** Whether a folder, or the nearest above it that is there, is not the one it was. */
function leadsElsewhere(folder: string): boolean {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    try {
      return realpathSync.native(at) !== at
    } catch {
      // It is to be made again.
    }
  }
  return false
}

/** A folder goes only when all that is in it goes: what Trestle does not know stays, and with it the folder. */
function withoutFullFolders({ steps, kept }: RestorePlan): RestorePlan {
  const going = new Set(steps.filter(({ to }) => to.kind === 'absent').map(({ path }) => path))
  const folders = steps.filter(({ from, to }) => from.kind === 'folder' && to.kind !== 'folder')
  const full = new Map<string, string>()
  for (const { path } of folders.toSorted((a, b) => b.path.length - a.path.length)) {
    const left = entriesOf(path).find((name) => full.has(join(path, name)) || !going.has(join(path, name)))
    if (left !== undefined) full.set(path, left)
  }
  for (const [path, left] of full)
    kept.push({
      path,
      kind: 'impossible',
      why: `The folder stays: it holds ${JSON.stringify(left)}, which is not the agent's or stays too.`,
    })
  return { steps: steps.filter(({ path }) => !full.has(path)), kept }
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** What became of one path over several changes. */
export interface PathHistory {
  path: string
  /** Before the first of them. */
  before: FileState
  /** After the last of them: what should be there now. */
  after: FileState
  /** Somebody else changed it in between: these are contents (hashes) of theirs. Absent: nobody did. */
  foreign?: readonly string[]
}

/** Sums up changes, oldest first, by path. */
export function pathHistories(changes: Iterable<FileChange>): Map<string, PathHistory> {
  const histories = new Map<string, PathHistory>()
  for (const { path, before, after } of changes) {
    const known = histories.get(path)
    if (!known) histories.set(path, { path, before, after })
    else if (sameState(known.after, before)) histories.set(path, { ...known, after })
    else
      histories.set(path, {
        ...known,
        after,
        foreign: [...(known.foreign ?? []), ...(before.kind === 'file' ? [before.hash] : [])],
      })
  }
  return histories
}

/** More subagents than any family has. */
const ALL = 100_000

export type ChangeEvent = Extract<RecordedEvent, { type: 'checkpoint.changed' | 'checkpoint.restored' }>

type FamilyStore = Pick<Store, 'ofTypes' | 'header' | 'since' | 'agents'>

/**
 * What was changed after the event `to`: by the session itself, and from that moment on by its subagents and theirs, in the order it happened. Calls of a
 * family that meet wait for each other, so their times tell the order. `endedOnly`: without subagents that are still at work.
 */
export function changesAfter(
  store: FamilyStore,
  sessionId: string,
  to: number,
  { endedOnly = false } = {},
): ChangeEvent[] {
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
