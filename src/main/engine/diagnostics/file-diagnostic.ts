import { cutText } from '../../../shared/cut-text'

/** An error in a file, as a language server found it. Line and column count from 1. */
export interface FileDiagnostic {
  line: number
  column: number
  message: string
  /** The source, e.g. `ts 2322`, `Pyright reportArgumentType`; empty if the server does not report one. */
  source: string
}

/** The fields we read. They come from a program of the project, so any of them may be missing or wrong. */
interface LspDiagnostic {
  range?: { start?: { line?: unknown; character?: unknown } }
  severity?: unknown
  code?: unknown
  source?: unknown
  message?: unknown
}

const SEVERITY_ERROR = 1

/** The errors among the diagnostics of a file, ordered by line, without warnings and hints. */
export function parseDiagnostics(diagnostics: unknown): FileDiagnostic[] {
  if (!Array.isArray(diagnostics)) return []
  return (diagnostics as (LspDiagnostic | null)[])
    .flatMap((diagnostic): FileDiagnostic[] => {
      // Without a severity the client decides; servers that omit it mean errors.
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

/** The message to the model about errors in the files it changed; `path` is as displayed. Undefined without errors. */
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
  // Put on one line, because a server's message can contain anything.
  const words = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const short = words.length > MAX_MESSAGE_CHARS ? `${cutText(words, MAX_MESSAGE_CHARS)}…` : words
  return (
    `${path}:${line}:${column} ` +
    `${short}${source === '' ? '' : ` (${source.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, 80)})`}`
  )
}
