/** Unsent text by window: two windows that write to the same session each keep their own draft. */

/** The part of the browser's storage that drafts need. */
export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

const PREFIX = 'trestle.window-draft '

interface StoredDraft {
  text: string
  /** When it was written. */
  at: number
  /** Its window was closed, or is loading its page again. */
  left?: true
}

/** A draft of another window, as stored at the time it was read. */
interface OtherDraft extends StoredDraft {
  key: string
  raw: string
}

/**
 * The drafts of one window, by session or page. They outlive the page and the window: the next window that requests a
 * draft gets those of closed windows. If storage is disabled or full, they last as long as the page.
 */
export class WindowDrafts {
  readonly #windowId: string
  readonly #storage: () => DraftStorage
  readonly #now: () => number
  readonly #own = new Map<string, string>()
  #isLeft = false
  /** The drafts of other windows that are continued here; they are removed once this window's draft is stored. */
  readonly #continued = new Map<string, readonly OtherDraft[]>()

  /** `storage`: called each time, because the getter throws if storage is disabled. */
  constructor(windowId: string, storage: () => DraftStorage = () => localStorage, now: () => number = Date.now) {
    this.#windowId = windowId
    this.#storage = storage
    this.#now = now
  }

  /** The draft of this window itself. */
  own(id: string): string {
    const known = this.#own.get(id)
    if (known !== undefined) return known
    try {
      return parsed(this.#storage().getItem(this.#key(id)))?.text ?? ''
    } catch {
      return ''
    }
  }

  /**
   * The draft of this window; without one, those of closed windows, the earliest first; without those, the latest draft
   * of another window, unless something was already written for `id` here. `old`: the key under which earlier versions
   * kept one draft for all windows.
   */
  find(id: string, old?: string): string {
    return this.#find(id, old, Infinity)
  }

  /**
   * Like `find`, for drafts that cannot be joined: returns the earliest of several closed windows; the others are found
   * later.
   */
  findOne(id: string, old?: string): string {
    return this.#find(id, old, 1)
  }

  /**
   * Stores the draft of this window; '' removes it. Drafts that it continues are removed, unless they have changed
   * since.
   */
  keep(id: string, text: string): void {
    this.#own.set(id, text)
    const continued = this.#continued.get(id) ?? []
    this.#continued.delete(id)
    try {
      const storage = this.#storage()
      if (text === '') storage.removeItem(this.#key(id))
      else storage.setItem(this.#key(id), this.#json(text, this.#now()))
      for (const { key, raw } of continued) if (storage.getItem(key) === raw) storage.removeItem(key)
    } catch {
      // Without storage, the draft lasts as long as the page, and drafts that it continues stay unchanged.
    }
  }

  /** The texts of the drafts of all windows whose id passes. */
  texts(passes: (id: string) => boolean): string[] {
    const storage = this.#storage()
    return keysOf(storage).flatMap((key) => {
      if (!key.startsWith(PREFIX) || !passes(idIn(key))) return []
      const draft = parsed(storage.getItem(key))
      return draft ? [draft.text] : []
    })
  }

  /**
   * Marks the drafts when the page is unloaded (permanently, if the window is closed), or removes the mark when it is
   * back.
   */
  mark(isLeft: boolean): void {
    this.#isLeft = isLeft
    try {
      const storage = this.#storage()
      for (const key of keysOf(storage)) {
        const draft = key.startsWith(`${PREFIX}${this.#windowId}\n`) ? parsed(storage.getItem(key)) : undefined
        if (!draft || (draft.left ?? false) === isLeft) continue
        storage.setItem(key, this.#json(draft.text, draft.at))
      }
    } catch {
      // A draft without the mark is still found, one at a time.
    }
  }

  #find(id: string, old: string | undefined, most: number): string {
    const own = this.own(id)
    if (own !== '') return own
    const others = this.#others(id, old)
    const left = others.filter((draft) => draft.left).slice(0, most)
    const found = left.length > 0 ? left : this.#own.has(id) ? [] : others.slice(-1)
    this.#continued.set(id, found)
    return [...new Set(found.map(({ text }) => text))].join('\n\n')
  }

  #others(id: string, old: string | undefined): OtherDraft[] {
    try {
      const storage = this.#storage()
      const found = keysOf(storage).flatMap((key): OtherDraft[] => {
        if (!key.startsWith(PREFIX) || key === this.#key(id) || idIn(key) !== id) return []
        const raw = storage.getItem(key)
        const draft = parsed(raw)
        return draft && raw !== null ? [{ ...draft, key, raw }] : []
      })
      const raw = old === undefined ? null : storage.getItem(old)
      if (old !== undefined && raw !== null && raw !== '') found.push({ text: raw, at: 0, left: true, key: old, raw })
      return found.toSorted((a, b) => a.at - b.at)
    } catch {
      return []
    }
  }

  #json(text: string, at: number): string {
    return JSON.stringify({ text, at, ...(this.#isLeft && { left: true }) } satisfies StoredDraft)
  }

  #key(id: string): string {
    return `${PREFIX}${this.#windowId}\n${id}`
  }
}

/** The id of the draft with this storage key. */
function idIn(key: string): string {
  return key.slice(key.indexOf('\n') + 1)
}

function keysOf(storage: DraftStorage): string[] {
  return Array.from({ length: storage.length }, (_, at) => storage.key(at)).filter((key) => key !== null)
}

function parsed(raw: string | null): StoredDraft | undefined {
  try {
    const value: unknown = JSON.parse(raw ?? 'null')
    if (typeof value !== 'object' || value === null) return undefined
    const { text, at, left } = value as Record<string, unknown>
    if (typeof text !== 'string' || text === '' || typeof at !== 'number') return undefined
    return { text, at, ...(left === true && { left }) }
  } catch {
    return undefined
  }
}
