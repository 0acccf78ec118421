/** 950, 12.4k, 1.2M. */
export function tokenWords(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${trim(count / 1000)}k`
  return `${trim(count / 1_000_000)}M`
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
}
