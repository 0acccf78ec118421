/** An error in a file, as a language server found it. Line and column count from 1. */
export interface FileDiagnostic {
  line: number
  column: number
  message: string
  /** Who says so, e.g. `ts 2322`, `Pyright reportArgumentType`; empty when the server does not say. */
  source: string
}

/** As far as it is read; from a program of the project, so nothing in it is certain. */
interface LspDiagnostic {
  range?: { start?: { line?: unknown; character?: unknown } }
  severity?: unknown
  code?: unknown
  source?: unknown
  message?: unknown
}

const SEVERITY_ERROR = 1

/** The errors among what a server has sent about a file, in the order of the lines. Warnings and hints are left out. */
export function parseDiagnostics(diagnostics: unknown): FileDiagnostic[] {
  if (!Array.isArray(diagnostics)) return []
  return (diagnostics as (LspDiagnostic | null)[])
    .flatMap((diagnostic): FileDiagnostic[] => {
      // Without a severity it is up to the client; a server that sends none means errors.
      if (!diagnostic || (diagnostic.severity ?? SEVERITY_ERROR) !== SEVERITY_ERROR) return []
      const { range, code, source, message } = diagnostic
      return [
        {
          line: position(range?.start?.line),
          column: position(range?.start?.character),
          message: typeof message === 'string' ? message : JSON.stringify(message ?? ''),
          source: [source, typeof code === 'object' ? undefined : code]
            .filter((part) => part !== undefined && part !== '')
            .join(' '),
        },
      ]
    })
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function position(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 1 : 1
}

const MAX_ERRORS = 20
const MAX_BYTES = 4_000
const MAX_MESSAGE_CHARS = 300
const HEAD = 'Errors in files you just changed:'

/** What the model is told of the errors in the files it has changed; `path` is as it is shown. Undefined when there are none. */
export function errorsMessage(
  files: readonly { path: string; errors: readonly FileDiagnostic[] }[],
): string | undefined {
  const lines = files.flatMap(({ path, errors }) => errors.map((error) => lineOf(path, error)))
  if (lines.length === 0) return undefined
  let bytes = Buffer.byteLength(HEAD)
  const kept: string[] = []
  for (const line of lines.slice(0, MAX_ERRORS)) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MAX_BYTES) break
    kept.push(line)
  }
  const left = lines.length - kept.length
  return [HEAD, ...kept, ...(left > 0 ? [`… and ${left} more ${left === 1 ? 'error' : 'errors'}.`] : [])].join('\n')
}

function lineOf(path: string, { line, column, message, source }: FileDiagnostic): string {
  // On one line: what a server says can contain anything.
  const words = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const short = words.length > MAX_MESSAGE_CHARS ? `${words.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…` : words
  return `${path}:${line}:${column} ${short}${source === '' ? '' : ` (${source.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, 80)})`}`
}
