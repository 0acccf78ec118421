import { below, inSession, signalGroup, type KeptBelow } from './session-processes'
import { endProcesses } from './watch/end-marked'
import type { ProcessEntry } from './watch/process-entry'

/** Whom to stop. */
export interface SessionToStop {
  /** What carries its mark is stopped wherever it went. */
  taskId: string
  /** The process that began the session. */
  leader: number
  /** Whether the leader only waits for the command: it then ends by itself, with the command's exit code. */
  leaderOnlyWaits: boolean
  /** Whether the leader has exited: its number may be somebody else's by now. */
  leaderIsGone: () => boolean
  /** Process groups known so far, the leader's left out. */
  groups: () => readonly number[]
  /** What is below it is stopped, too. */
  keeper?: () => KeptBelow | undefined
}

/** How often the leader may be found alone before it is asked to end, too. */
const ROUNDS_ALONE = 5

/**
 * SIGTERM to the whole session and to all that carries the task's mark, SIGKILL to what is left after `graceMs`. Resolves when nothing is
 * left. Many stops at once are cheap: they share one search.
 */
export async function stopSession(
  { taskId, leader, leaderOnlyWaits, leaderIsGone, groups, keeper }: SessionToStop,
  graceMs: number,
): Promise<void> {
  // At once, before anything is looked up.
  const asked = leaderIsGone() ? [] : leaderOnlyWaits ? groups() : [...groups(), leader]
  for (const group of asked) signalGroup(group, 'SIGTERM')
  let roundsAlone = 0
  await endProcesses(
    {
      asked,
      isMine: (mark) => mark.taskId === taskId,
      find: ({ table, byTask }) => {
        const marked = (byTask.get(taskId) ?? []).map(({ entry }) => entry)
        const session = leaderIsGone() && table.has(leader) ? [] : inSession(table, leader, groups())
        return [...new Set<ProcessEntry>([...marked, ...session, ...below(table, keeper?.())])]
      },
      // It is spared as long as it waits for somebody, and for a moment afterwards: it is about to end with the command's exit code.
      spare: (left) => {
        roundsAlone = left.some(({ pid }) => pid !== leader) ? 0 : roundsAlone + 1
        return leaderOnlyWaits && roundsAlone < ROUNDS_ALONE ? left.find(({ pid }) => pid === leader) : undefined
      },
    },
    graceMs,
  )
}
