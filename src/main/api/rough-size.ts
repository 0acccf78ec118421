/**
 * About how many bytes a plain value takes as JSON, without building the JSON: strings count their length, everything else a little.
 * Good enough to bound a queue; never used where the exact number matters.
 */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  if (Array.isArray(value)) {
    for (const item of value) size += roughSize(item) + 1
    return size
  }
  for (const [key, item] of Object.entries(value)) size += key.length + 4 + roughSize(item)
  return size
}
