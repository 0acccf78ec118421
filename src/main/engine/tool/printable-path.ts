/** A path in a list with one entry a line: as it is, or as a JSON string when it holds control characters such as a newline. */
export function printablePath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}
