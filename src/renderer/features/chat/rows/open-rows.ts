import { create } from 'zustand'

interface OpenRows {
  /** Ids of expanded items, with their session: `session/item`. */
  open: ReadonlySet<string>
  toggle(key: string): void
  show(key: string): void
}

/** The key of the thoughts of an answer. */
export function thinkingKey(itemId: string): string {
  return `${itemId}/thinking`
}

/** Which rows are expanded: kept outside the rows, which mount and unmount while scrolling. */
export const useOpenRows = create<OpenRows>()((set) => ({
  open: new Set(),
  toggle: (key) =>
    set(({ open }) => {
      const next = new Set(open)
      if (!next.delete(key)) next.add(key)
      return { open: next }
    }),
  show: (key) => set(({ open }) => (open.has(key) ? { open } : { open: new Set(open).add(key) })),
}))
