import type { BackgroundWork } from '../runtime/background-work'
import { usedForCalls } from '../runtime/code-cache'
import type { Session } from '../session/session'
import type { TurnTasks } from './turn-material'

/**
 * How long to wait for the first answer before preparing terminals: preparing the first one takes 50 ms, which would
 * delay a model that answers immediately and may not need it.
 */
const PATIENCE_MS = 50

export interface WarmUpDeps {
  /** Calls the listener whenever a command has changed; the first call shows that the agent runs commands. */
  onCommand(listener: () => void): void
  usesOwnTerminals(session: Session): boolean
  /** Resolves when the environment of commands is known. */
  ready(): Promise<unknown>
  /** Prepares a terminal. A failure is reported by the first command. */
  prepare(session: Session): Promise<void>
  /** Tracks loading and preparation, so that nothing keeps running after the engine has closed. */
  background: Pick<BackgroundWork, 'add' | 'isClosed'>
}

/** Uses the time while a model thinks to load what its calls need and to prepare a terminal for its commands. */
export function createWarmUp(deps: WarmUpDeps): TurnTasks['warmUp'] {
  const { onCommand, usesOwnTerminals, ready, prepare, background } = deps
  let [runsCommands, isWarm] = [false, false]
  onCommand(() => (runsCommands = true))
  const prepareNow = (session: Session): void => {
    if (background.isClosed) return
    background.add(import('../approval/command/inspect-command'))
    // Reading the environment may take seconds, and closing does not wait for it.
    void ready().then(
      () => background.isClosed || background.add(prepare(session)),
      () => undefined,
    )
  }
  return (session, answering) => {
    // Most requests after the first one follow tool calls.
    if (isWarm) usedForCalls()
    isWarm = true
    background.add(Promise.all([import('../approval/judging'), import('../loop/tool-calls')]))
    if (!usesOwnTerminals(session)) return
    if (runsCommands) return prepareNow(session)
    const timer = setTimeout(prepareNow, PATIENCE_MS, session).unref()
    answering.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
}
