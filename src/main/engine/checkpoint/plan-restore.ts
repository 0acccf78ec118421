import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileState, KeptFile, RestoreStep, FileChange } from '../../../shared/model/session/checkpoint'
import { type BlobStore, captureFile, sameState } from './capture/file-state'

export interface RestorePlan {
  steps: RestoreStep[]
  kept: KeptFile[]
}

export interface PlanOptions {
  blobs: BlobStore
  maxBytes: number
  /** Whether a path may be restored although it was changed outside the session. */
  mayOverwrite(path: string): boolean
}

/** Plans the steps that restore each path to its state before its first change. Changes nothing. */
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
    const impossible = movedAway(path, movedFolders) ?? obstacle(from, to, blobs)
    if (impossible !== undefined) {
      kept.push({ path, kind: 'impossible', why: impossible })
      continue
    }
    const isForeign = foreign !== undefined || !sameState(from, expected)
    // A folder itself has no content to lose.
    if (isForeign && !isFolderOrNothing(from, to) && !mayOverwrite(path)) {
      kept.push({ path, kind: 'changed', why: foreignChangeReason(from, foreign !== undefined) })
      continue
    }
    steps.push({ path, action: actionOf(from, to), isFolder: from.kind === 'folder' || to.kind === 'folder', from, to })
  }
  return withoutFullFolders(withoutLoss({ steps, kept }, theirs, mayOverwrite))
}

/**
 * The agent may have moved a file that was changed outside the session: it is left in place, unless the restore puts
 * its content elsewhere.
 */
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
    .map(({ path }): KeptFile => ({ path, kind: 'changed', why: 'It contains changes made outside this session.' }))
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
  if (now.kind === 'absent') return 'It was deleted or moved outside this session.'
  return between
    ? 'It was changed outside this session between two changes of the agent.'
    : 'It was changed outside this session.'
}

/** Why a path cannot be restored at all. */
function obstacle(from: FileState, to: FileState, blobs: BlobStore): string | undefined {
  if (to.kind === 'unkept') return `Its earlier content was not kept: ${to.why}.`
  if (from.kind === 'unkept') return `Its current content could not be backed up: ${from.why}.`
  if (to.kind === 'file' && !blobs.has(to.hash)) return 'Its earlier content is no longer kept.'
  return undefined
}

/** Why a path cannot be restored if one of its folders is a link now. `known` caches the result by folder. */
function movedAway(path: string, known: Map<string, boolean>): string | undefined {
  const folder = dirname(path)
  const moved = known.get(folder) ?? leadsElsewhere(folder)
  known.set(folder, moved)
  return moved ? 'One of its parent folders is now a symbolic link.' : undefined
}

/** Whether a folder, or its nearest existing parent, now resolves to another path. */
function leadsElsewhere(folder: string): boolean {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    try {
      return realpathSync.native(at) !== at
    } catch {
      // Missing: it will be created again.
    }
  }
  return false
}

/** Deletes a folder only when everything in it is deleted; otherwise it is kept. */
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

/** The sum of several changes to one path. */
export interface PathHistory {
  path: string
  /** State before the first change. */
  before: FileState
  /** State after the last change: the expected current state. */
  after: FileState
  /** Hashes of contents written outside the session in between. Absent: no such change. */
  foreign?: readonly string[]
}

/** Sums up changes by path. `changes`: oldest first. */
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
