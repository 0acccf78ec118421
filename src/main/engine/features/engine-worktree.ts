import { sep } from 'node:path'
import type { RecordedEvent } from '../../../shared/events/event'
import { textOf } from '../../../shared/model/turn/message'
import { NOTIFICATION_LIMITS } from '../../../shared/model/assistant/notification'
import type { NewWorktree, SessionWorktree } from '../../../shared/model/project/worktree'
import { failureOf } from '../../../shared/errors'
import { projectOf, worktreeOf } from '../config/worktree-record'
import type { EngineDevice } from './engine-device'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { ProgramSandboxes } from '../sandbox/program-sandboxes'
import type { Session } from '../session/session'
import type { TaskSupervisor } from '../task/task-supervisor'
import type { WorktreeActions } from '../worktree/worktree-actions'
import type { Worktrees } from '../worktree/worktrees'
import { cutText } from '../../../shared/cut-text'

/** What worktrees need from the complete engine. */
export interface WorktreeHost {
  supervisor: Pick<TaskSupervisor, 'list'>
  sandboxes: Pick<ProgramSandboxes, 'policy'>
}

export interface EngineWorktrees {
  connect(host: WorktreeHost): void
  actions(): Promise<WorktreeActions>
  /** Creates a worktree of a folder for a new session; returns the folder to work in. */
  make(folder: string, wanted: NewWorktree): Promise<string>
  /** The list view of the worktree that contains a folder. Free for other folders. */
  of(folder: string): SessionWorktree | undefined
  /** The project folder that a folder belongs to. */
  projectOf(folder: string): string
  /** Waits until the worktree of a session is prepared. */
  prepared(session: Session, signal: AbortSignal): Promise<void>
  /** Call after events of a session were recorded. */
  recorded(session: Session, events: readonly RecordedEvent[]): void
  close(): Promise<void>
}

const MAX_TASKS = 10_000

/** The worktrees of an engine. The code is loaded on first use. */
export function createEngineWorktrees(
  foundation: EngineFoundation,
  { device }: { device: Pick<EngineDevice, 'notifyUser'> },
): EngineWorktrees {
  const { home, store, now, notify, log, env, environment, settingsFor, catalog } = foundation
  const closing = new AbortController()
  const naming = new Set<string>()
  let host: WorktreeHost | undefined
  let loading: Promise<Worktrees> | undefined

  const loaded = (): Promise<Worktrees> =>
    (loading ??= import('../worktree/worktrees').then(({ createWorktrees }) =>
      createWorktrees({
        home,
        now,
        log,
        env: async () => {
          await environment.ready()
          return env()
        },
        async settingsFor(folder) {
          const { settings, trust } = await settingsFor(folder)
          return { settings: settings.worktree, trusted: trust.state === 'trusted' || trust.state === 'nothing' }
        },
        sessions: () => store.list({}),
        async runningIn(folder) {
          const tasks = (await host?.supervisor.list({ activeOnly: true, limit: MAX_TASKS })) ?? []
          return tasks.find(({ cwd }) => cwd === folder || cwd.startsWith(folder + sep))?.command
        },
        sandboxOf: async (root, scope) => host?.sandboxes.policy({ root, network: 'open', scope }),
        changed: () => notify({ kind: 'worktrees' }),
        notify(title, body, isKept) {
          if (isKept)
            device.notifyUser({ title, body: cutText(body, NOTIFICATION_LIMITS.bodyChars), source: 'worktree' })
          else notify({ kind: 'notice', text: body, tone: 'info' })
        },
      }),
    ))

  async function nameBranch(folder: string, model: string | undefined, task: string): Promise<void> {
    const { draftBranchName } = await import('../worktree/branch-name')
    const drafted = await draftBranchName(catalog, { model, task, signal: closing.signal }).catch((error: unknown) => {
      if (!closing.signal.aborted) log(`The small model named no branch: ${failureOf(error).message}`)
      return undefined
    })
    if (closing.signal.aborted) return
    await (await loaded()).nameBranch(folder, drafted ?? task)
  }

  return {
    connect: (given) => void (host = given),
    actions: loaded,
    async make(folder, wanted) {
      const { folder: made, notes } = await (await loaded()).create(folder, wanted)
      for (const text of notes) notify({ kind: 'notice', text, tone: 'info' })
      return made
    },
    of(folder) {
      const record = worktreeOf(home, folder)
      if (!record) return undefined
      const { id, project, branch } = record
      return { worktreeId: id, project, ...(branch !== undefined && { branch }) }
    },
    projectOf: (folder) => projectOf(home, folder),
    async prepared(session, signal) {
      if (loading && worktreeOf(home, session.header.folder))
        await (await loading).prepared(session.header.folder, signal)
    },
    recorded(session, events) {
      const started = events.find((event) => event.type === 'turn.started')
      if (started?.type !== 'turn.started' || !worktreeOf(home, session.header.folder)?.drafted) return
      const { folder, model } = session.header
      if (naming.has(folder)) return
      naming.add(folder)
      // The turn does not wait for the name: the branch is renamed when the name is ready.
      nameBranch(folder, model, textOf(started.parts))
        .catch((error: unknown) => log(`The branch was not named: ${failureOf(error).message}`))
        .finally(() => naming.delete(folder))
    },
    async close() {
      closing.abort()
      await (await loading)?.close()
    },
  }
}
