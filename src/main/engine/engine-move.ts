import type { CheckpointAccess } from './checkpoint/checkpoints'
import type { EngineFoundation } from './foundation/engine-foundation'
import type { SessionMoves } from './session-move/session-moves'
import type { SessionManager } from './session/sessions'
import type { TaskSupervisor } from './task/task-supervisor'

/** Moves of sessions between homes. The code is loaded on first use. */
export function createEngineMoves(
  foundation: EngineFoundation,
  parts: {
    sessions: SessionManager
    checkpoints: Pick<CheckpointAccess, 'restoring'>
    supervisor: Pick<TaskSupervisor, 'list'>
    makeScratchFolder(): Promise<string>
  },
): SessionMoves {
  const { home, database, store, now, newId, log, env, environment, settings } = foundation
  const { sessions, checkpoints, supervisor, makeScratchFolder } = parts
  let loading: Promise<SessionMoves> | undefined
  const load = async (): Promise<SessionMoves> => {
    const [{ createSessionMoves }, { createReceivedSessions }, { createWorktreePlace }] = await Promise.all([
      import('./session-move/session-moves'),
      import('./store/received-sessions'),
      import('./worktree/worktree-place'),
    ])
    const place = createWorktreePlace({
      home,
      now,
      log,
      env: async () => {
        await environment.ready()
        return env()
      },
    })
    return createSessionMoves({
      home,
      store,
      sessions,
      checkpoints: checkpoints.restoring,
      rows: createReceivedSessions(database),
      place,
      mode: () => settings().defaultPermissionMode,
      async runningTask(sessionId) {
        const tasks = await supervisor.list({ activeOnly: true, sessionId })
        return tasks[0]?.command
      },
      makeScratchFolder,
      newId,
      now,
    })
  }
  const moves = (): Promise<SessionMoves> => (loading ??= load())
  return {
    address: async () => (await moves()).address(),
    out: async (...given) => (await moves()).out(...given),
    in: async (...given) => (await moves()).in(...given),
    refuse: async (...given) => (await moves()).refuse(...given),
    cancel: async (...given) => (await moves()).cancel(...given),
  }
}
