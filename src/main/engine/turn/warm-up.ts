import { usedForCalls } from '../runtime/code-cache'
import type { Session } from '../session/session'
import type { TurnTasks } from './turn-material'

/**
 * How long the first answer is waited for before terminals are prepared: the first one takes 50 ms, and a model that
 * answers at once would be kept waiting for something that it may not need.
 */
const PATIENCE_MS = 50

export interface WarmUpDeps {
  /** Calls the listener whenever a command has changed; the first call says that the agent does run commands. */
  onCommand(listener: () => void): void
  usesOwnTerminals(session: Session): boolean
  /** Prepares a terminal. A failure shows with the first command. */
  prepare(session: Session): Promise<void>
}

/** Uses the time in which a model thinks: loads what its calls need, and has a terminal ready for its commands. */
export function createWarmUp({ onCommand, usesOwnTerminals, prepare }: WarmUpDeps): TurnTasks['warmUp'] {
  let [runsCommands, isWarm] = [false, false]
  onCommand(() => (runsCommands = true))
  const prepareNow = (session: Session): void =>
    void Promise.all([prepare(session), import('../approval/command/inspect-command')]).catch(() => undefined)
  return (session, answering) => {
    // Most requests after the first follow calls.
    if (isWarm) usedForCalls()
    isWarm = true
    void Promise.all([import('../approval/judging'), import('../loop/tool-calls')]).catch(() => undefined)
    if (!usesOwnTerminals(session)) return
    if (runsCommands) return prepareNow(session)
    const timer = setTimeout(prepareNow, PATIENCE_MS, session).unref()
    answering.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
}
