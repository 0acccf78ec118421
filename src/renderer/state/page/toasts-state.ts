import { create } from 'zustand'
import { failureFrom } from '../../client/failure-from'

export interface Toast {
  id: number
  /** `notice`: a notification from the engine. */
  tone: 'plain' | 'notice' | 'fail'
  title: string
  message?: string
  /** A button on it, e.g. Undo. */
  action?: { label: string; run: () => void }
  /** ms since the epoch. */
  at: number
}

const MAX_TOASTS = 4
/** Maximum number of messages kept. */
const KEPT = 100
let lastId = 0

interface Toasts {
  toasts: readonly Toast[]
  /**
   * Notices and failures since the page was opened, newest first: they stay readable after their toast has disappeared.
   */
  history: readonly Toast[]
}

/** Short messages about the result of an action. */
export const useToasts = create<Toasts>()(() => ({ toasts: [], history: [] }))

function show(toast: Omit<Toast, 'id' | 'at'>): number {
  lastId += 1
  const shown = { ...toast, id: lastId, at: Date.now() }
  useToasts.setState(({ toasts, history }) => ({
    toasts: [...toasts, shown].slice(-MAX_TOASTS),
    history: toast.tone === 'plain' ? history : [shown, ...history].slice(0, KEPT),
  }))
  return shown.id
}

/** Reports that an action succeeded, e.g. `Session id copied`; `action`: how to undo it. */
export function showToast(title: string, action?: Toast['action']): void {
  show({ tone: 'plain', title, ...(action && { action }) })
}

/** Like `showToast`, for an undo with a time limit: returns a function that dismisses the toast. */
export function showUndoToast(title: string, undo: () => void): () => void {
  const id = show({ tone: 'plain', title, action: { label: 'Undo', run: undo } })
  return () => dismissToast(id)
}

/** Shows a notification from the engine; `warning` in red. */
export function showNoticeToast(text: string, tone: 'info' | 'warning'): void {
  show({ tone: tone === 'warning' ? 'fail' : 'notice', title: text })
}

/** Shows a notification from an agent or an alarm. */
export function showUserToast(title: string, message: string, action: NonNullable<Toast['action']>): void {
  show({ tone: 'notice', title, ...(message !== '' && { message }), action })
}

/** Shows why an action failed. */
export function showFailureToast(error: unknown): void {
  const { title, message, advice } = failureFrom(error)
  show({ tone: 'fail', title, message: [message, advice].filter((text) => text && text !== title).join(' ') })
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }))
}
