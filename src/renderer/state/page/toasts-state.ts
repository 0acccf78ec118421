import { create } from 'zustand'
import { failureFrom } from '../../client/failure-from'

export interface Toast {
  id: number
  /** `notice`: the engine wants it known now. */
  tone: 'plain' | 'notice' | 'fail'
  title: string
  message?: string
  /** ms since the epoch. */
  at: number
}

const MAX_TOASTS = 4
/** So many are kept to be read again. */
const KEPT = 100
let lastId = 0

interface Toasts {
  toasts: readonly Toast[]
  /** Notices and failures since the page was opened, newest first: they can be read again after their toast has gone. */
  history: readonly Toast[]
}

/** Short messages about what was just done or could not be done. */
export const useToasts = create<Toasts>()(() => ({ toasts: [], history: [] }))

function show(toast: Omit<Toast, 'id' | 'at'>): void {
  lastId += 1
  const shown = { ...toast, id: lastId, at: Date.now() }
  useToasts.setState(({ toasts, history }) => ({
    toasts: [...toasts, shown].slice(-MAX_TOASTS),
    history: toast.tone === 'plain' ? history : [shown, ...history].slice(0, KEPT),
  }))
}

/** Says that something was done, e.g. `Session id copied`. */
export function showToast(title: string): void {
  show({ tone: 'plain', title })
}

/** Says what the engine wants the user to know now; `warning` in red. */
export function showNoticeToast(text: string, tone: 'info' | 'warning'): void {
  show({ tone: tone === 'warning' ? 'fail' : 'notice', title: text })
}

/** Says why something could not be done. */
export function showFailureToast(error: unknown): void {
  const { title, message, advice } = failureFrom(error)
  show({ tone: 'fail', title, message: [message, advice].filter((text) => text && text !== title).join(' ') })
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }))
}
