import type { EngineChange } from './engine-api'

/** What happens in an engine, for those who listen. */
export interface EngineChanges {
  notify(change: EngineChange): void
  /** Tells the user, once for each text. */
  warn(text: string): void
  /** Returns the function that ends it. */
  onChange(listener: (change: EngineChange) => void): () => void
}

export function createEngineChanges(log: (message: string) => void): EngineChanges {
  const listeners = new Set<(change: EngineChange) => void>()
  const warned = new Set<string>()
  const notify = (change: EngineChange): void => {
    for (const listener of listeners) listener(change)
  }
  return {
    notify,
    warn(text) {
      if (warned.has(text)) return
      warned.add(text)
      log(text)
      notify({ kind: 'notice', text, tone: 'warning' })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
