import { create } from 'zustand'
import { failureFrom } from '../client/failure-from'

export interface Toast {
  id: number
  tone: 'plain' | 'fail'
  title: string
  message?: string
}

const MOST = 4
let lastId = 0

/** Short messages about what was just done or could not be done. */
export const useToasts = create<{ toasts: readonly Toast[] }>()(() => ({ toasts: [] }))

function show(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  const id = lastId
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts, { ...toast, id }].slice(-MOST) }))
}

/** Says that something was done, e.g. `Session id copied`. */
export function tell(title: string): void {
  show({ tone: 'plain', title })
}

/** Says why something could not be done. */
export function tellFailure(error: unknown): void {
  const { title, message, advice } = failureFrom(error)
  show({ tone: 'fail', title, message: [message, advice].filter((text) => text && text !== title).join(' ') })
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }))
}
