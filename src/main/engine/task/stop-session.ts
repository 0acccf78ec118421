import { setTimeout as sleep } from 'node:timers/promises'
import { sessionProcesses, signalGroup } from './session-processes'

/** Whom to stop. */
export interface SessionToStop {
  /** The process that began the session. */
  leader: number
  /** Whether the leader only waits for the command: it then ends by itself, with the command's exit code. */
  leaderOnlyWaits: boolean
  /** Whether the leader has exited; only what is found in its session is signalled then, because its number may be somebody else's by now. */
  leaderIsGone: () => boolean
  /** Process groups known so far, the leader's left out. */
  groups: () => readonly number[]
}

const POLL_MS = 40
/** How often the leader may be found alone before it is asked to end, too. */
const ROUNDS_ALONE = 5
/** After SIGKILL only a process stuck in the kernel is left; it is not waited for longer than this. */
const KILL_WAIT_MS = 2_000

/** SIGTERM to every process group of the session now, SIGKILL to what is left after `graceMs`. Resolves when nothing is left. */
export async function stopSession(session: SessionToStop, graceMs: number): Promise<void> {
  const asked = new Set<number>()
  const ask = (group: number): void => {
    if (asked.has(group)) return
    asked.add(group)
    signalGroup(group, 'SIGTERM')
  }
  // At once, before anything is looked up.
  if (!session.leaderIsGone()) {
    session.groups().forEach(ask)
    if (!session.leaderOnlyWaits) ask(session.leader)
  }
  const killAt = performance.now() + graceMs
  const giveUpAt = killAt + KILL_WAIT_MS
  let roundsAlone = 0
  while (performance.now() < giveUpAt) {
    const kill = performance.now() >= killAt
    const left = await sessionProcesses(session.leader, session.groups())
    if (left.length === 0) return
    const groups = new Set(left.map(({ group }) => group))
    if (kill) for (const group of groups) signalGroup(group, 'SIGKILL')
    else {
      // The leader is spared as long as it waits for somebody, and for a moment afterwards: it is about to end with the command's exit code.
      if (groups.size > 1) roundsAlone = 0
      else roundsAlone++
      if (session.leaderOnlyWaits && roundsAlone < ROUNDS_ALONE) groups.delete(session.leader)
      groups.forEach(ask)
    }
    await sleep(kill ? 10 : Math.min(POLL_MS, Math.max(1, killAt - performance.now())))
  }
}
