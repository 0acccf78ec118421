/**
 * Small settings of this window, kept in the browser's storage. If storage is disabled or full, they last as long as
 * the page.
 */
export const browserStorage = {
  read(key: string): string | undefined {
    try {
      return localStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  /** `undefined` removes the entry. */
  write(key: string, value: string | undefined): void {
    try {
      if (value === undefined) localStorage.removeItem(key)
      else localStorage.setItem(key, value)
    } catch {
      // Ignored: storage is only a convenience.
    }
  },
}
