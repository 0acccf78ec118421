import { hash } from 'node:crypto'
import { isAbsolute, relative, sep } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { FileChange } from '../../../shared/model/session/checkpoint'
import type { ReviewedScope, ReviewFile } from '../../../shared/model/session/review'
import { listedChanges } from '../checkpoint/capture/call-checkpoints'
import { captureFile, sameState } from '../checkpoint/capture/file-state'
import { changesAfter, type ChangeEvent } from '../checkpoint/family-changes'
import { pathHistories, type PathHistory } from '../checkpoint/plan-restore'
import { isWithin } from '../workspace/path/real-path'
import { branchFiles } from './branch-files'
import type { Listing, ReviewDeps, ReviewedFile } from './reviewed-file'
import { WorkSlices } from '../runtime/work-slices'

/** Maximum number of files shown. */
const MAX_FILES = 5_000

/** The files that differ in a scope, by name. */
export async function reviewedFiles(deps: ReviewDeps, sessionId: string, scope: ReviewedScope): Promise<Listing> {
  const header = deps.store.header(sessionId)
  if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  const listing =
    scope.kind === 'branch'
      ? await branchFiles(deps, header.folder, scope.base)
      : { files: await recordedFiles(deps, sessionId, scope) }
  const work = listing.files.filter(({ path }) => !isWithin(path, deps.home))
  const files = withRenames(work).toSorted((a, b) => compareNames(a.path, b.path))
  if (files.length <= MAX_FILES) return { ...listing, files }
  const note =
    `Only the first ${MAX_FILES.toLocaleString('en-US')} of ` +
    `${files.length.toLocaleString('en-US')} files are shown.`
  return { ...listing, files: files.slice(0, MAX_FILES), note }
}

/** Files changed by calls and restores of the session, according to its checkpoints. */
async function recordedFiles(
  deps: ReviewDeps,
  sessionId: string,
  scope: Exclude<ReviewedScope, { kind: 'branch' }>,
): Promise<ReviewedFile[]> {
  const range = scope.kind === 'turn' ? turnRange(deps, sessionId, scope.turnId) : { from: 0, to: undefined }
  const after = range.to === undefined ? [] : changesAfter(deps.store, sessionId, range.to)
  const outside = new Set(after.map(nameOfEvent))
  const events = changesAfter(deps.store, sessionId, range.from)
  const changes = changesOf(
    deps,
    events.filter((event) => !outside.has(nameOfEvent(event))),
  )
  const later = pathHistories(changesOf(deps, after))
  const files: ReviewedFile[] = []
  const slices = new WorkSlices()
  for (const history of pathHistories(changes).values()) {
    const file = recordedFile(deps, history, range.to !== undefined, later.has(history.path))
    if (file) files.push(file)
    if (slices.isOver) await slices.next()
  }
  return files
}

function recordedFile(
  deps: ReviewDeps,
  { path, before, after, foreign }: PathHistory,
  isPast: boolean,
  changedLater: boolean,
): ReviewedFile | undefined {
  if (before.kind === 'folder' || after.kind === 'folder') return undefined
  const now = captureFile(path, { maxBytes: deps.maxBytes() })
  // After an earlier turn, the file is shown as it was then if this session has changed it since, otherwise as it is
  // now.
  const right = isPast && changedLater ? after : now
  if (sameState(before, right) || right.kind === 'folder') return undefined
  const elsewhere = foreign !== undefined || (!changedLater && !sameState(now, after))
  return { path, before, after: right, now, ...(elsewhere && { changedElsewhere: true as const }) }
}

function nameOfEvent({ sessionId, seq }: ChangeEvent): string {
  return `${sessionId} ${seq}`
}

/** The events right before the turn and right before the next one; `to` is undefined for the latest turn. */
function turnRange({ store }: ReviewDeps, sessionId: string, turnId: string): { from: number; to: number | undefined } {
  const turns = store.ofTypes(sessionId, ['turn.started'])
  const index = turns.findIndex((turn) => turn.turnId === turnId)
  const turn = turns[index]
  if (!turn) throw new CodedError('request.invalid', `turnId: this session has no turn ${turnId}.`)
  const next = turns[index + 1]
  return { from: turn.seq - 1, to: next && next.seq - 1 }
}

function changesOf({ blobs }: ReviewDeps, events: readonly ChangeEvent[]): FileChange[] {
  return events.flatMap((event) => {
    const listed = listedChanges(event, blobs)
    if (listed) return listed
    throw new CodedError('checkpoint.lost', `The list of ${event.count} changed files is damaged or gone.`)
  })
}

/** Combines a deleted file and a new one with the same content into a rename. */
function withRenames(files: readonly ReviewedFile[]): ReviewedFile[] {
  const gone = new Map<string, ReviewedFile>()
  for (const file of files)
    if (file.after.kind === 'absent' && file.before.kind === 'file' && file.before.size > 0)
      gone.set(file.before.hash, file)
  const renamed = new Set<ReviewedFile>()
  const found = files.map((file): ReviewedFile => {
    const old = file.before.kind === 'absent' && file.after.kind === 'file' ? gone.get(file.after.hash) : undefined
    if (!old || renamed.has(old)) return file
    renamed.add(old)
    return { ...file, from: old.path, before: old.before }
  })
  return found.filter((file) => !renamed.has(file))
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A key for the two versions of a file. */
export function keyOf({ before, after, from }: ReviewedFile): string {
  return hash('sha256', JSON.stringify([before, after, from]), 'hex').slice(0, 24)
}

/** The file as sent to clients. */
export function shownFile(file: ReviewedFile, folder: string): ReviewFile {
  const { path, from, before, after, now, changedElsewhere } = file
  return {
    path,
    name: nameIn(folder, path),
    status:
      from !== undefined
        ? 'renamed'
        : before.kind === 'absent'
          ? 'added'
          : after.kind === 'absent'
            ? 'deleted'
            : 'changed',
    ...(from !== undefined && { from: nameIn(folder, from) }),
    key: keyOf(file),
    ...(changedElsewhere && { changedElsewhere }),
    ...(!sameState(after, now) && { changedLater: true as const }),
  }
}

/** The path with `/`, relative to the project if it is inside. */
export function nameIn(folder: string, path: string): string {
  const name = relative(folder, path)
  return name.startsWith('..') || isAbsolute(name) || name === '' ? path : name.split(sep).join('/')
}
