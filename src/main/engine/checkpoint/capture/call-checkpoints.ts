import { renameSync, rmSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import type { ChangeList, FileChange, FileState } from '../../../../shared/model/session/checkpoint'
import type { EventBody } from '../../../../shared/events/event'
import type { CallCheckpoint } from '../../loop/call-lifecycle'
import type { Workspace } from '../../workspace/workspace'
import { type BlobStore, captureFile, sameState } from './file-state'
import { scopeOf, type ScopedCall } from './call-scope'
import { listingDifference, listWorkspace, type ListedFile, type Listing } from './workspace-listing'
import { addRefs, readListing, writeListing, type CheckpointPaths } from './checkpoint-files'
import { FileProblem } from '../../workspace/path/file-problem'
import { type EditorFiles, loadCurrentFile } from '../../workspace/file/editor-files'

/** A longer list of changes is stored as a blob, not in the event. */
const MAX_INLINE = 200
/** Number of workspace listings kept in memory. */
const MAX_LISTINGS = 3

export interface CallCheckpointsDeps {
  home: string
  place: CheckpointPaths
  blobs: BlobStore
  maxBytes(): number
  /** How long a command waits for a listing of its folders, in ms; what was not listed by then cannot be restored. */
  maxListingMs?: number
}

export interface CallCheckpoints {
  /** Backs up what the call may change; undefined when it changes nothing. Rejects when the backup fails. */
  before(
    call: ScopedCall & {
      sessionId: string
      turnId: string
      callId: string
      workspace: Workspace
      signal?: AbortSignal
    },
  ): Promise<CallCheckpoint | undefined>
  /** The changes of a call whose process died before they were recorded. */
  cutOff(sessionId: string, made: EventBody & { type: 'checkpoint.made' }): Promise<EventBody | undefined>
}

export function createCallCheckpoints({
  home,
  place,
  blobs,
  maxBytes,
  maxListingMs,
}: CallCheckpointsDeps): CallCheckpoints {
  /** By workspace, least recently used first. */
  const listings = new Map<string, Listing>()

  const known = (key: string): ReadonlyMap<string, ListedFile> | undefined => {
    const inMemory = listings.get(key)
    if (inMemory) return inMemory.files
    const stored = readListing(key)
    // Contents that were garbage-collected have to be read again.
    return (
      stored && new Map([...stored.files].filter(([, { state }]) => state.kind !== 'file' || blobs.has(state.hash)))
    )
  }
  const list = async (roots: readonly string[], signal?: AbortSignal): Promise<Listing> => {
    const key = place.listing(roots)
    const files = known(key)
    const listing = await listWorkspace({
      roots,
      except: home,
      blobs,
      maxBytes: maxBytes(),
      ...(files && { known: files }),
      ...(maxListingMs !== undefined && { maxMs: maxListingMs }),
      ...(signal && { signal }),
    })
    listings.delete(key)
    listings.set(key, listing)
    for (const oldest of [...listings.keys()].slice(0, -MAX_LISTINGS)) listings.delete(oldest)
    return listing
  }
  const changedEvent = (
    sessionId: string,
    ids: { turnId: string; callId: string },
    changes: readonly FileChange[],
    uncovered: string[],
  ) => {
    if (changes.length === 0 && uncovered.length === 0) return undefined
    // Content may have been garbage-collected before this session referred to it.
    const kept = changes.map((change): FileChange => {
      const { before } = change
      if (before.kind !== 'file' || blobs.has(before.hash)) return change
      return { ...change, before: { kind: 'unkept', why: 'its content was not kept', mark: before.hash } }
    })
    const notCovered = [...uncovered, ...sentences(kept)]
    return {
      type: 'checkpoint.changed' as const,
      ...ids,
      ...changeList({ place, blobs }, sessionId, kept),
      ...(notCovered.length > 0 && { notCovered }),
    }
  }

  return {
    async before({ sessionId, turnId, callId, workspace, signal, ...scoped }) {
      const scope = await scopeOf(scoped, workspace)
      if (!scope) return undefined
      const ids = { turnId, callId }
      if (scope.kind === 'files') {
        const limit = maxBytes()
        const files = await Promise.all(
          scope.paths.map(async (path) => {
            const before = captureFile(path, { keepIn: blobs, maxBytes: limit })
            return { path, before: (await unsavedState(workspace.editor, path, before, blobs, signal)) ?? before }
          }),
        )
        addRefs(
          place,
          sessionId,
          files.map(({ before }) => before),
        )
        return {
          made: { type: 'checkpoint.made', ...ids, files },
          changed: reportingFailure(ids, async () => changedEvent(sessionId, ids, changesOf(files, limit), [])),
        }
      }
      const roots = [workspace.root, ...workspace.addedFolders]
      const startedMs = Date.now()
      const listing = await list(roots, signal)
      const open = place.openListing(sessionId)
      writeListing(open, listing, { startedMs, roots })
      return {
        made: { type: 'checkpoint.made', ...ids, files: [], listing: true },
        changed: reportingFailure(ids, async () => {
          const after = await list(roots)
          const { changes, uncovered } = listingDifference(listing, after, { startedMs, maxBytes: maxBytes() })
          const event = changedEvent(sessionId, ids, changes, coverageWarnings(uncovered, listing.complete))
          keepListing(open, place.listing(roots))
          return event
        }),
      }
    },
    async cutOff(sessionId, { turnId, callId, files, listing }) {
      const ids = { turnId, callId }
      if (!listing) return changedEvent(sessionId, ids, changesOf(files, maxBytes()), [])
      const open = place.openListing(sessionId)
      const before = readListing(open)
      if (!before) return undefined
      const after = await list(before.roots)
      const { changes, uncovered } = listingDifference(before, after, {
        startedMs: before.startedMs,
        maxBytes: maxBytes(),
      })
      const event = changedEvent(sessionId, ids, changes, coverageWarnings(uncovered, before.complete))
      keepListing(open, place.listing(before.roots))
      return event
    },
  }
}

type Changed = (EventBody & { type: 'checkpoint.changed' }) | undefined

/**
 * The call has already run, so a failure to find its changes is recorded as not covered instead of failing the call.
 */
function reportingFailure(
  ids: { turnId: string; callId: string },
  look: () => Promise<Changed>,
): () => Promise<Changed> {
  return () =>
    look().catch((error: unknown): Changed => {
      const why = errorText(error)
      return {
        type: 'checkpoint.changed',
        ...ids,
        changes: [],
        count: 0,
        notCovered: [`What a call changed could not be recorded: ${why}`],
      }
    })
}

/**
 * A list of changes in the form that events hold; adds references to the contents it needs. Never throws: the changes
 * have been made, and what is not recorded cannot be undone.
 */
export function changeList(
  { place, blobs }: { place: CheckpointPaths; blobs: BlobStore },
  sessionId: string,
  changes: readonly FileChange[],
): ChangeList {
  const count = changes.length
  const befores = changes.map(({ before }) => before)
  try {
    if (count > MAX_INLINE) {
      const listHash = blobs.put(Buffer.from(JSON.stringify(changes)))
      addRefs(place, sessionId, befores, [listHash])
      return { changes: [], listHash, count }
    }
    addRefs(place, sessionId, befores)
  } catch {
    // The disk may be full. The event can hold any number of changes, and contents without a reference are kept for
    // some time.
  }
  return { changes: [...changes], count }
}

/** The changes of an event; undefined when the stored list is lost. */
export function listedChanges({ changes, listHash }: ChangeList, blobs: BlobStore): FileChange[] | undefined {
  if (listHash === undefined) return changes
  const bytes = blobs.get(listHash)
  return bytes && (JSON.parse(bytes.toString('utf8')) as FileChange[])
}

function changesOf(files: readonly { path: string; before: FileState }[], maxBytes: number): FileChange[] {
  return files.flatMap(({ path, before }) => {
    const after = captureFile(path, { maxBytes })
    return sameState(before, after) ? [] : [{ path, before, after }]
  })
}

/** Keeps the listing for the next process. */
function keepListing(open: string, path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(open, path)
  } catch {
    rmSync(open, { force: true })
  }
}

function coverageWarnings(uncovered: number, complete: boolean): string[] {
  return [
    ...(complete ? [] : ['The workspace has too many files: new files and changes beyond the limit are not covered.']),
    ...(uncovered > 0 && complete
      ? [
          `${uncovered} ${uncovered === 1 ? 'path came into view that was' : 'paths came into view that were'} ` +
            'there before, ignored or elsewhere.',
        ]
      : []),
  ]
}

function sentences(changes: readonly FileChange[]): string[] {
  const unkept = changes.filter(({ before }) => before.kind === 'unkept')
  return unkept
    .slice(0, 20)
    .map(
      ({ path, before }) =>
        `The earlier content of ${path} was not kept: ${before.kind === 'unkept' ? before.why : ''}.`,
    )
}

const DEFAULT_MODE = 0o644

/**
 * Backs up a file's unsaved content in the editor, so that a restore does not lose it. Undefined when nothing is
 * unsaved. Rejects when the backup fails.
 */
async function unsavedState(
  editor: EditorFiles | undefined,
  path: string,
  disk: FileState,
  blobs: BlobStore,
  signal?: AbortSignal,
): Promise<FileState | undefined> {
  if (!editor?.read || (disk.kind !== 'file' && disk.kind !== 'absent')) return undefined
  const current = await loadCurrentFile(editor, path, path, signal).catch((error: unknown) => {
    if (error instanceof FileProblem) return undefined
    throw error
  })
  if (!current?.unsaved || !current.bytes) return undefined
  return {
    kind: 'file',
    hash: blobs.put(current.bytes),
    size: current.size,
    mode: disk.kind === 'file' ? disk.mode : DEFAULT_MODE,
  }
}
