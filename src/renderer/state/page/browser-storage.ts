/** Small settings of this window, kept by the browser. Storage may be switched off or full: then they last as long as the page. */
export const browserStorage = {
  read(key: string): string | undefined {
    try {
      return localStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  /** `undefined` forgets it. */
  write(key: string, value: string | undefined): void {
    try {
      if (value === undefined) localStorage.removeItem(key)
      else localStorage.setItem(key, value)
    } catch {
      // Nothing to do: it is a convenience.
    }
  },
}
