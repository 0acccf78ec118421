/** The message of an error; anything else that was thrown, as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The system's code of a failed file operation (`ENOENT`); undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The text as a sentence that another one can follow: a period is added if it ends without punctuation. */
export function sentence(text: string): string {
  return /[.!?…][)\]"”’]?$/.test(text) ? text : `${text}.`
}
