import type { HistoryActions, VerifyDeps } from './audit/verify-history'
import type { ReplayDeps } from './audit/replay-steps'
import type { CheckpointAccess } from './checkpoint/checkpoints'
import type { EngineFoundation } from './foundation/engine-foundation'

/** Loads the code and prepares the statements on first use. */
export function createEngineHistory(
  { store, database }: Pick<EngineFoundation, 'store' | 'database'>,
  { restoring }: Pick<CheckpointAccess, 'restoring'>,
): HistoryActions {
  let made: Promise<VerifyDeps & ReplayDeps> | undefined
  const deps = (): Promise<VerifyDeps & ReplayDeps> =>
    (made ??= import('./store/chain/history-rows').then(({ createHistoryRows }) => ({
      store,
      rows: createHistoryRows(database),
      blobs: restoring.blobs,
    })))
  return {
    verify: async (...given) => (await import('./audit/verify-history')).verifyHistory(await deps(), ...given),
    verifyAll: async () => (await import('./audit/verify-history')).verifyHistories(await deps()),
    replay: async (sessionId) => (await import('./audit/replay-steps')).replayOverview(await deps(), sessionId),
    steps: async (...given) => (await import('./audit/replay-steps')).replaySteps(await deps(), ...given),
  }
}
