import { create } from 'zustand'
import { browserStorage } from './page/browser-storage'

const KEY = 'trestle.models'
const MAX_RECENT = 5

interface ModelChoices {
  /** Ids, in the order they were added. */
  favorites: readonly string[]
  /** Ids, latest first. */
  recent: readonly string[]
  toggleFavorite(id: string): void
  /** Remembers that this model was chosen. */
  use(id: string): void
}

/** The user's favorite and recent models, kept in this browser. */
export const useModelChoices = create<ModelChoices>()((set) => {
  const keep = (change: (now: ModelChoices) => Partial<ModelChoices>): void =>
    set((shown) => {
      // Another window may have changed them.
      const now = { ...shown, ...stored() }
      const changed = { favorites: now.favorites, recent: now.recent, ...change(now) }
      browserStorage.write(KEY, JSON.stringify({ favorites: changed.favorites, recent: changed.recent }))
      return changed
    })
  return {
    ...(stored() ?? { favorites: [], recent: [] }),
    toggleFavorite: (id) =>
      keep(({ favorites }) => ({
        favorites: favorites.includes(id) ? favorites.filter((one) => one !== id) : [...favorites, id],
      })),
    use: (id) => keep(({ recent }) => ({ recent: [id, ...recent.filter((one) => one !== id)].slice(0, MAX_RECENT) })),
  }
})

/** Undefined if storage is disabled, and before the first choice. */
function stored(): Pick<ModelChoices, 'favorites' | 'recent'> | undefined {
  const written = browserStorage.read(KEY)
  if (written === undefined) return undefined
  try {
    const value: unknown = JSON.parse(written)
    const list = (name: 'favorites' | 'recent'): string[] => {
      const ids: unknown = (value as Record<string, unknown> | null)?.[name]
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
    }
    return { favorites: list('favorites'), recent: list('recent') }
  } catch {
    return { favorites: [], recent: [] }
  }
}
