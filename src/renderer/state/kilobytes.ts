/** What something takes of a request: `9.4 kB`, `183 kB`. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toLocaleString(undefined, { maximumFractionDigits: bytes < 10_000 ? 1 : 0 })} kB`
}
