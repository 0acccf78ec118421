import { effortName, nearestEffort, type Effort } from '../model/effort'
import type { SessionHeader } from '../model/session'
import type { SettingsView } from './settings'

/** How hard the model of a session is asked to think, and what else it can be asked. */
export interface SessionEffort {
  /** What can be chosen, from least to most; empty: nothing. */
  offered: readonly Effort[]
  /** What counts for the session, in the model's terms; absent: nothing is chosen for it. */
  chosen?: Effort
  /** What happens where nothing is chosen: a level and its name, as far as is known. */
  usual?: Effort
}

type Header = Pick<SessionHeader, 'model' | 'effort'>

export function sessionEffort(
  { models, defaultModel }: Pick<SettingsView, 'models' | 'defaultModel'>,
  header: Header,
): SessionEffort {
  const model = models.find(({ id }) => id === (header.model ?? defaultModel))
  const offered = model?.efforts ?? []
  const chosen = header.effort && nearestEffort(header.effort, offered)
  return {
    offered,
    ...(chosen !== undefined && { chosen }),
    ...(model?.usualEffort !== undefined && { usual: model.usualEffort }),
  }
}

/** What the default is called: with its level where that is known. */
export function defaultEffortName({ usual, offered }: Pick<SessionEffort, 'usual' | 'offered'>): string {
  return usual === undefined ? 'Default' : `Default (${effortName(usual, offered).toLowerCase()})`
}

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

/** How full the model's window was at the latest request; undefined before the first request, or when the window is unknown. */
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
