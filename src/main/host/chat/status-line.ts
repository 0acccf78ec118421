import { contextShare } from '../../../shared/model/context-share'
import { MODE_NAMES } from '../../../shared/model/sandbox-words'
import type { SessionHeader } from '../../../shared/model/session'
import type { SettingsView } from '../../../shared/model/settings'

type Header = Pick<SessionHeader, 'model' | 'mode' | 'plan' | 'context' | 'learnedWindow'>

/** Model, mode and how full the model's window is, e.g. `Claude Sonnet 5 · Ask first · 12% of context`. */
export function statusLine(header: Header, settings: Pick<SettingsView, 'models' | 'defaultModel'>): string {
  const id = header.model ?? settings.defaultModel
  const model = id === undefined ? 'No model' : (settings.models.find((one) => one.id === id)?.label ?? id)
  const mode = MODE_NAMES[header.plan?.active ? 'plan' : header.mode]
  const context = contextShare(header, settings)
  return [model, mode, ...(context ? [`${context.percent}% of context`] : [])].join(' · ')
}
