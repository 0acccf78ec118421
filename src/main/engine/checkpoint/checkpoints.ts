import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type {
  FileHunks,
  RestorePoint,
  RestorePreview,
  RestoreResult,
  SessionFile,
} from '../../../shared/model/session/checkpoint'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { failureOf } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { CheckpointSettings } from '../config/agent-settings/session-settings'
import type { CallCheckpoint } from '../loop/call-lifecycle'
import type { DMailCall } from '../loop/turn-context'
import type { BackgroundWork } from '../runtime/background-work'
import type { Store } from '../store/store'
import type { RestoreOutlook } from '../tool/session-services'
import type { Workspace } from '../workspace/workspace'
import { openBlobStore } from './capture/file-state'
import type { CallCheckpoints } from './capture/call-checkpoints'
import { changesNothing, type ScopedCall } from './capture/call-scope'
import type { RestoreDeps, RestoringSession, RestoreRequest } from './restore-session'
import type { KeepUserChange } from './user-change'
import { checkpointPaths } from './capture/checkpoint-files'

/** Garbage collection starts this long after the start. */
const COLLECT_AFTER_MS = 60_000

/** The parts of a session that checkpoints need. */
export interface CheckpointedSession extends RestoringSession {
  readonly header: SessionHeader
  readonly cutOffCalls: ReadonlySet<string>
  whileIdle<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface CheckpointsDeps {
  home: string
  store: Pick<Store, 'ofTypes' | 'historyBackwards' | 'header' | 'since' | 'list' | 'agents'>
  sessions: {
    withSession<Result>(sessionId: string, use: (session: CheckpointedSession) => Promise<Result>): Promise<Result>
    isLoaded(sessionId: string): boolean
  }
  settings(): CheckpointSettings
  newId(prefix: string): string
  background: Pick<BackgroundWork, 'add'>
  log(message: string): void
}

export interface CheckpointManager extends Checkpoints {
  /** Backs up what a call may change. Returns undefined synchronously for a call that obviously changes nothing. */
  before(
    session: CheckpointedSession,
    call: ScopedCall & { turnId: string; callId: string; workspace: Workspace; signal: AbortSignal },
  ): Promise<CallCheckpoint | undefined> | undefined
  /** What sending a D-Mail in the session's running turn would do. */
  lookBack(session: CheckpointedSession, mail: DMailCall): Promise<RestoreOutlook | { problem: string }>
  /** Sends the D-Mail; resolves with the problem when it cannot be sent. */
  sendDMail(session: CheckpointedSession, mail: DMailCall): Promise<{ problem: string } | undefined>
  /**
   * The files among `paths` whose current content was written by the session or another agent of its family. Never
   * rejects.
   */
  writtenByAgents(session: CheckpointedSession, paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Completes what a dead process left unfinished. Cheap if there is nothing to do. */
  recover(session: CheckpointedSession): Promise<void>
  keepUserChange: KeepUserChange
  removed(sessionId: string): void
  /** Finishes restores that dead processes left, and schedules garbage collection. */
  begin(): void
  close(): void
  /** For reviews, which undo changes as restores. */
  readonly access: CheckpointAccess
}

/** Access for other parts that restore files of a session. */
export interface CheckpointAccess {
  restoring: RestoreDeps
  /** Runs `use` while this process holds the session, once an interrupted restore has been finished. */
  whenRecovered<Result>(sessionId: string, use: (session: CheckpointedSession) => Promise<Result>): Promise<Result>
  /** The same while no turn runs; throws `session.busy` otherwise. */
  whenIdle<Result>(sessionId: string, use: (session: CheckpointedSession) => Promise<Result>): Promise<Result>
}

/** Checkpoints of all sessions. Most modules are loaded when the first call changes something. */
export function createCheckpoints(deps: CheckpointsDeps): CheckpointManager {
  const { home, store, sessions, settings, newId, background, log } = deps
  const place = checkpointPaths(home)
  const blobs = openBlobStore(place.blobs)
  const maxBytes = (): number => settings().maxFileBytes
  const restoring: RestoreDeps = { home, store, place, blobs, maxBytes, newId }
  const recovered = new WeakMap<object, Promise<void>>()
  let calls: Promise<CallCheckpoints> | undefined
  let timer: NodeJS.Timeout | undefined

  const callCheckpoints = (): Promise<CallCheckpoints> =>
    (calls ??= import('./capture/call-checkpoints').then(({ createCallCheckpoints }) =>
      createCallCheckpoints({ home, place, blobs, maxBytes }),
    ))

  async function finish(session: CheckpointedSession): Promise<void> {
    if (session.cutOffCalls.size > 0) {
      const recorded = new Set(store.ofTypes(session.id, ['checkpoint.changed']).map(({ callId }) => callId))
      const made = store.ofTypes(session.id, ['checkpoint.made'])
      for (const event of made.filter(({ callId }) => session.cutOffCalls.has(callId) && !recorded.has(callId))) {
        const changed: EventBody | undefined = await (await callCheckpoints()).cutOff(session.id, event)
        if (changed) session.record(changed)
      }
    }
    if (!existsSync(place.restore(session.id))) return
    const { finishRestore } = await import('./restore-session')
    await finishRestore(restoring, session)
  }

  function recover(session: CheckpointedSession): Promise<void> {
    const known = recovered.get(session)
    if (known) return known
    const work = finish(session)
    recovered.set(session, work)
    // Another attempt may succeed: the disk may have been full.
    work.catch(() => recovered.delete(session))
    return work
  }

  const whenRecovered = <Result>(
    sessionId: string,
    use: (session: CheckpointedSession) => Promise<Result>,
  ): Promise<Result> =>
    sessions.withSession(sessionId, async (session) => {
      await recover(session)
      return use(session)
    })
  const whenIdle = <Result>(
    sessionId: string,
    use: (session: CheckpointedSession) => Promise<Result>,
  ): Promise<Result> =>
    sessions.withSession(sessionId, (session) =>
      session.whileIdle(async () => {
        await recover(session)
        return use(session)
      }),
    )

  async function collect(): Promise<void> {
    const { collectGarbage } = await import('./collect-garbage')
    const rows = store.list({ limit: 1_000_000 }).concat(store.list({ archived: true, limit: 1_000_000 }))
    const running = new Set(
      rows
        .filter(({ elsewhere, sessionId }) => elsewhere !== undefined || sessions.isLoaded(sessionId))
        .map(({ sessionId }) => sessionId),
    )
    const { keepDays, maxBytes: maxTotalBytes } = settings()
    await collectGarbage({
      place,
      exists: (id) => store.header(id) !== undefined,
      isRunning: (id) => running.has(id),
      keepDays,
      maxBytes: maxTotalBytes,
    })
  }

  return {
    before(session, call) {
      if (changesNothing(call)) return undefined
      return callCheckpoints().then((made) => made.before({ sessionId: session.id, ...call }))
    },
    recover,
    lookBack: async (session, mail) => (await import('./d-mail')).lookBack(restoring, session, mail),
    sendDMail: async (session, mail) => (await import('./d-mail')).sendDMail(restoring, session, mail),
    async writtenByAgents({ id, header }, paths) {
      try {
        const { filesWritten } = await import('./session-files')
        return filesWritten(restoring, header.agent?.rootId ?? id, paths)
      } catch (error) {
        log(`Whether agents wrote ${paths.join(', ')} is unknown: ${failureOf(error).message}`)
        return new Set()
      }
    },
    async points(sessionId): Promise<RestorePoint[]> {
      const { restorePoints } = await import('./session-files')
      return restorePoints(store, sessionId)
    },
    preview: (sessionId, request): Promise<RestorePreview> =>
      whenRecovered(sessionId, async () =>
        (await import('./restore-session')).previewRestore(restoring, sessionId, request),
      ),
    restore: (sessionId, request): Promise<RestoreResult> =>
      whenIdle(sessionId, async (session) =>
        (await import('./restore-session')).restoreSession(restoring, session, request),
      ),
    async latestRestore(sessionId): Promise<(RecordedEvent & { type: 'checkpoint.restored' }) | undefined> {
      return store.ofTypes(sessionId, ['checkpoint.restored']).at(-1)
    },
    files: (sessionId): Promise<SessionFile[]> =>
      whenRecovered(sessionId, async () => (await import('./session-files')).sessionFiles(restoring, sessionId)),
    hunks: (sessionId, path): Promise<FileHunks> =>
      whenRecovered(sessionId, async () => (await import('./session-files')).fileHunks(restoring, sessionId, path)),
    undoHunk: (sessionId, path, hunkId) =>
      whenIdle(sessionId, async (session) =>
        (await import('./session-files')).undoHunk(restoring, session, path, hunkId),
      ),
    keepUserChange: (sessionId, paths, work) =>
      whenRecovered(sessionId, async (session) =>
        (await import('./user-change')).keepUserChange(restoring, session, paths, work),
      ),
    removed(sessionId) {
      rmSync(dirname(place.refs(sessionId)), { recursive: true, force: true })
    },
    begin() {
      for (const sessionId of foldersIn(join(place.folder, 'sessions'))) {
        if (!existsSync(place.restore(sessionId)) || !store.header(sessionId)) continue
        background.add(
          whenRecovered(sessionId, async () => undefined),
          (error) => log(`A restore could not be finished: ${failureOf(error).message}`),
        )
      }
      timer = setTimeout(() => {
        background.add(collect(), (error) => log(`Old checkpoints could not be collected: ${failureOf(error).message}`))
      }, COLLECT_AFTER_MS)
      timer.unref()
    },
    close: () => clearTimeout(timer),
    access: { restoring, whenRecovered, whenIdle },
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Restores a session's files, its conversation, or both. Every restore can itself be undone. */
export interface Checkpoints {
  /** The user's messages in the current conversation, oldest first. */
  points(sessionId: string): Promise<RestorePoint[]>
  /** What a restore would do. Changes nothing. */
  preview(sessionId: string, request: RestoreRequest): Promise<RestorePreview>
  /** Throws `session.busy` while a turn runs. */
  restore(sessionId: string, request: RestoreRequest): Promise<RestoreResult>
  latestRestore(sessionId: string): Promise<(RecordedEvent & { type: 'checkpoint.restored' }) | undefined>
  /** Files that differ from their state before the session changed them. */
  files(sessionId: string): Promise<SessionFile[]>
  hunks(sessionId: string, path: string): Promise<FileHunks>
  /** Undoes one hunk; throws `checkpoint.changed` when the file has changed since it was shown. */
  undoHunk(sessionId: string, path: string, hunkId: string): Promise<{ seq: number }>
}
