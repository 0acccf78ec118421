import { create } from 'zustand'
import { tell } from './toasts-state'

/** More than these at once are not read: the newest stay. */
const MOST = 4

/** Warnings of the engine since the page was opened, e.g. that the task host died; each stays until it is put away. */
export const useNotices = create<{ notices: readonly string[] }>()(() => ({ notices: [] }))

/** Says what the engine wants the user to know now: a warning stays in sight, anything else passes. */
export function tellNotice(text: string, tone: 'info' | 'warning'): void {
  if (tone === 'info') tell(text)
  else useNotices.setState(({ notices }) => ({ notices: [...notices.filter((notice) => notice !== text), text].slice(-MOST) }))
}

export function dismissNotice(text: string): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice !== text) }))
}
