import type { BackgroundWork } from '../runtime/background-work'
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
  /** Resolves when the environment of commands is known. */
  ready(): Promise<unknown>
  /** Prepares a terminal. A failure shows with the first command. */
  prepare(session: Session): Promise<void>
  /** Gets what is loaded and prepared, so that none of it keeps running after the engine has closed. */
  background: Pick<BackgroundWork, 'add' | 'isClosed'>
}

/** Uses the time in which a model thinks: loads what its calls need, and has a terminal ready for its commands. */
export function createWarmUp(deps: WarmUpDeps): TurnTasks['warmUp'] {
  const { onCommand, usesOwnTerminals, ready, prepare, background } = deps
  let [runsCommands, isWarm] = [false, false]
  onCommand(() => (runsCommands = true))
  const prepareNow = (session: Session): void => {
    if (background.isClosed) return
    background.add(import('../approval/command/inspect-command'))
    // The environment may take seconds, which closing does not wait for.
    void ready().then(
      () => background.isClosed || background.add(prepare(session)),
      () => undefined,
    )
  }
  return (session, answering) => {
    // Most requests after the first follow calls.
    if (isWarm) usedForCalls()
    isWarm = true
    background.add(Promise.all([import('../approval/judging'), import('../loop/tool-calls')]))
    if (!usesOwnTerminals(session)) return
    if (runsCommands) return prepareNow(session)
    const timer = setTimeout(prepareNow, PATIENCE_MS, session).unref()
    answering.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
}
