import { effortName, nearestEffort, type Effort } from './effort'
import type { SessionHeader } from './session'
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

export function sessionEffort({ models, defaultModel }: Pick<SettingsView, 'models' | 'defaultModel'>, header: Header): SessionEffort {
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
