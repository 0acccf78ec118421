import type { FoundError } from './diagnostic'

const MOST_ERRORS = 20
const MOST_BYTES = 4_000
const MOST_MESSAGE_CHARS = 300
const HEAD = 'Errors in files you just changed:'

/** What the model is told of the errors in the files it has changed; `path` is as it is shown. Undefined when there are none. */
export function errorsMessage(files: readonly { path: string; errors: readonly FoundError[] }[]): string | undefined {
  const lines = files.flatMap(({ path, errors }) => errors.map((error) => lineOf(path, error)))
  if (lines.length === 0) return undefined
  let bytes = Buffer.byteLength(HEAD)
  const kept: string[] = []
  for (const line of lines.slice(0, MOST_ERRORS)) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MOST_BYTES) break
    kept.push(line)
  }
  const left = lines.length - kept.length
  return [HEAD, ...kept, ...(left > 0 ? [`… and ${left} more ${left === 1 ? 'error' : 'errors'}.`] : [])].join('\n')
}

function lineOf(path: string, { line, column, message, source }: FoundError): string {
  // On one line: what a server says can contain anything.
  const words = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const short = words.length > MOST_MESSAGE_CHARS ? `${words.slice(0, MOST_MESSAGE_CHARS).toWellFormed()}…` : words
  return `${path}:${line}:${column} ${short}${source === '' ? '' : ` (${source.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, 80)})`}`
}
