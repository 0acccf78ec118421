/** The message of an error, or whatever was thrown instead of one as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
