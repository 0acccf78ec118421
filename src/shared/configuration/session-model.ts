import { effortName, nearestEffort, type Effort } from '../model/turn/effort'
import type { SessionHeader } from '../model/session/session'
import type { SettingsView } from './settings'

/** The reasoning effort of a session, and the levels its model supports. */
export interface SessionEffort {
  /** The levels to choose from, in ascending order. */
  offered: readonly Effort[]
  /** The level chosen for the session, as the model supports it; absent: none chosen. */
  chosen?: Effort
  /** The default level; absent: unknown. */
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

/** The label of the default, with its level if known. */
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

/**
 * How full the model's window was at the latest request; undefined before the first request, or when the window is
 * unknown.
 */
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
