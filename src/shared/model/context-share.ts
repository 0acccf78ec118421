import type { SessionHeader } from './session'
import type { SettingsView } from './settings'

/** How full the window of a session's model is. */
export interface ContextShare {
  /** Tokens. */
  used: number
  window: number
  /** At most 1. */
  share: number
  /** In whole percents, without the sign. */
  percent: string
}

/** How full the model's window was at the latest request; undefined while there was none, or where the window is not known. */
export function contextShare(
  { context, model, learnedWindow }: Pick<SessionHeader, 'context' | 'model' | 'learnedWindow'>,
  { models, defaultModel }: Pick<SettingsView, 'models' | 'defaultModel'>,
): ContextShare | undefined {
  const window = learnedWindow ?? models.find(({ id }) => id === (model ?? defaultModel))?.contextWindow
  if (!context || window === undefined || window <= 0) return undefined
  const used = context.input + context.output
  const share = Math.min(1, used / window)
  return { used, window, share, percent: share > 0 && share < 0.01 ? '< 1' : String(Math.round(share * 100)) }
}
